import ReceiptTypes
import Testing

/// Tests amounts of money.
@Suite("Milliunits")
struct MilliunitsTests {
    @Test(
        "an amount is written as an exact decimal",
        arguments: [
            (1990, "1.99"), (0, "0.00"), (1, "0.001"), (10, "0.01"), (100, "0.10"), (125, "0.125"), (1000, "1.00"),
            (39_990, "39.99"), (230_000, "230.00"), (-1990, "-1.99"), (-5, "-0.005"), (100_000_001, "100000.001"),
            (.max, "9223372036854775.807"), (.min, "-9223372036854775.808"),
        ] as [(Int64, String)]
    )
    func text(thousandths: Int64, text: String) {
        #expect(Milliunits(thousandths).description == text)
        #expect(Milliunits(thousandths).displayText == text)
    }

    @Test("an amount is created from a JSON integer only, so no price passes through floating point")
    func json() {
        #expect(Milliunits(json: .integer(.max)) == Milliunits(.max))
        #expect(Milliunits(1990).json == .integer(1990))
        for value: JSONValue in [.decimal(1990), .string("1990"), .null, .boolean(true)] {
            #expect(Milliunits(json: value) == nil)
        }
    }

    @Test("amounts are ordered by size")
    func order() {
        #expect(Milliunits(-1) < Milliunits(0))
        #expect(!(Milliunits(1) < Milliunits(1)))
    }
}
