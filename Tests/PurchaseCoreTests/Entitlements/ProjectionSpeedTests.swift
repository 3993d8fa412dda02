import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Projection speed", .serialized)
struct ProjectionSpeedTests {
    private let projection = EntitlementProjection(catalog: Sample.catalog)

    /// One account's purchases: renewals, consumables, one-time purchases, refunds.
    private func transactions(_ count: Int) throws -> [Transaction] {
        try (0..<count).map { number in
            let bought = Sample.at(Int64(number) * 3_600_000)
            switch number % 4 {
            case 0: return try Sample.transaction("c\(number)", "coins", bought: bought)
            case 1:
                return try Sample.transaction("o\(number)", "template.a", bought: bought) {
                    $0.revocationDate = $0.purchaseDate
                }
            default: return try Sample.transaction("s\(number)", "pro.monthly", bought: bought, original: "s")
            }
        }
    }

    private func fastest(_ transactions: [Transaction]) -> Duration {
        (0..<5).map { _ in
            ContinuousClock().measure {
                _ = projection.entitlements(from: transactions, at: Sample.at(day: 365 * 20))
            }
        }.min() ?? .zero
    }

    @Test("[PSE-12] a projection takes time in proportion to the number of transactions")
    func linear() throws {
        let few = try transactions(2_500)
        let many = try transactions(20_000)
        // Eight times as many; squared it would be sixty-four times as long. Other work on the machine can spoil a round,
        // but not ten of them.
        let isLinear = (0..<10).contains { _ in fastest(many) < fastest(few) * 24 }
        #expect(isLinear)
    }

    #if !DEBUG
        @Test("[PSE-12] a hundred thousand transactions take less than a tenth of a second")
        func hundredThousand() throws {
            let times = try [1_000, 10_000, 100_000].map { fastest(try transactions($0)) }
            print("projection of 1,000 / 10,000 / 100,000 transactions: \(times)")
            #expect(times[2] < .milliseconds(100))
        }
    #endif
}
