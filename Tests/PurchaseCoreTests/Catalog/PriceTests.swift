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

    private func product(_ price: Int64, _ period: BillingPeriod) -> Product {
        Sample.product("pro", price: price, subscription: SubscriptionTerms(groupID: "g", level: 1, period: period))
    }

    @Test("a derived price is exact, and is rounded only where it is shown")
    func derived() throws {
        let yearly = product(39_990, .year)
        let monthly = try #require(yearly.derivedPrice(per: .month))
        #expect(monthly.numerator == 6665 && monthly.denominator == 2 && !monthly.isWhole)
        #expect(monthly.roundedDown() == Milliunits(3332))
        #expect(monthly.roundedDown(toMultipleOf: Milliunits(10)) == Milliunits(3330))
        #expect(monthly.roundedDown(toMultipleOf: Milliunits(0)) == nil)
        #expect(try #require(yearly.derivedPrice(per: .year)).roundedDown() == Milliunits(39_990))
        #expect(yearly.derivedPrice(per: .month)?.roundedDown() == yearly.price(per: .month))
        #expect(Sample.product("lamp").derivedPrice(per: .month) == nil)
        let own = try #require(product(4990, .month).derivedPrice(per: .month))
        #expect(monthly < own && !(own < monthly))
        #expect(monthly.percentBelow(own) == 33)
        #expect(own.percentBelow(monthly) == nil && own.percentBelow(own) == nil)
        let free = try #require(product(0, .month).derivedPrice(per: .year))
        #expect(free.numerator == 0 && free.percentBelow(own) == 100 && own.percentBelow(free) == nil)
    }

    @Test("a derived price beyond 64 bits is nil, and comparisons at the limit do not overflow")
    func derivedLimits() throws {
        let largest = product(.max, .month)
        #expect(largest.derivedPrice(per: .year) == nil)
        #expect(product(-1, .month).derivedPrice(per: .month) == nil)
        let price = try #require(largest.derivedPrice(per: .month))
        #expect(price.roundedDown() == Milliunits(.max))
        let weekly = try #require(product(1, .year).derivedPrice(per: .week))
        #expect(weekly < price)
        #expect(weekly.percentBelow(price) == nil)
        #expect(weekly.roundedDown() == Milliunits(0))
    }

    @Test("the total of an offer counts every payment")
    func offerTotal() {
        func total(_ mode: OfferDiscountType, _ price: Int64, _ count: Int) -> Milliunits? {
            ProductOffer(
                type: .promotional, paymentMode: mode, period: .month, periodCount: count, price: Milliunits(price)
            ).totalPrice
        }
        #expect(total(.payAsYouGo, 990, 3) == Milliunits(2970))
        #expect(total(.payUpFront, 990, 3) == Milliunits(990))
        #expect(total(.freeTrial, 0, 3) == Milliunits(0))
        #expect(total(.payAsYouGo, .max, 2) == nil)
    }
}
