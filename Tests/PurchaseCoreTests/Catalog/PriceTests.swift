import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Prices")
struct PriceTests {
    @Test("[defect 14] a decimal price is parsed exactly")
    func exact() {
        #expect(Milliunits(decimal: "39.99") == Milliunits(39_990))
        #expect(Milliunits(decimal: "39.99")?.description == "39.99")
        #expect(Milliunits(decimal: "2.50")?.description == "2.50")
        #expect(Milliunits(decimal: "5900") == Milliunits(5_900_000))
        #expect(Milliunits(decimal: "-0.125") == Milliunits(-125))
        #expect(Milliunits(decimal: "9223372036854775.807") == Milliunits(.max))
        #expect(Milliunits(decimal: "-9223372036854775.808") == Milliunits(.min))
        for cents in Int64(0)..<10_000 {
            let text = Milliunits(cents * 10).description
            #expect(Milliunits(decimal: text) == Milliunits(cents * 10))
        }
    }

    @Test(
        "[defect 14] a string that is not an exact price is rejected",
        arguments: ["", ".", "1.", ".5", "1e3", "1.2345", "0x10", "1,5", "--1", "9223372036854775.808", "١"])
    func malformed(text: String) {
        #expect(Milliunits(decimal: text) == nil)
    }

    private func subscription(_ price: Int64, _ period: String) throws -> Product {
        let period = try #require(BillingPeriod(iso8601: period))
        return Sample.product(
            "pro.monthly", price: price, subscription: SubscriptionTerms(groupID: "g", level: 1, period: period))
    }

    @Test("[defect 13] a weekly price is the same for P1W and P7D")
    func weekly() throws {
        for period in ["P1W", "P7D"] {
            #expect(try subscription(6_990, period).price(per: .week) == Milliunits(6_990))
        }
        #expect(try subscription(6_990, "P2W").price(per: .week) == Milliunits(3_495))
        #expect(try subscription(39_990, "P12M").price(per: .year) == Milliunits(39_990))
        #expect(try subscription(39_990, "P1Y").price(per: .month) == Milliunits(3_332))
        // A year has 52.14 weeks, not 52; the result is rounded down.
        #expect(try subscription(52_000, "P1Y").price(per: .week) == Milliunits(997))
    }

    @Test("price(per:) returns nil instead of overflowing")
    func limits() throws {
        #expect(try subscription(.max, "P1D").price(per: .year) == nil)
        #expect(try subscription(.max, "P1Y").price(per: .year) == Milliunits(.max))
        #expect(try subscription(.min, "P1Y").price(per: .week) == nil)
        #expect(Sample.product("template.a").price(per: .week) == nil)
    }
}
