import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Sales of a batch")
struct SalesTests {
    private func sale(
        _ id: String, signed: Int64 = 0, environment: StoreEnvironment? = .production, refunded: Bool = false,
        price: Int64 = 1000
    ) throws -> String {
        var sale = Fixture.transaction()
        sale.transactionId = id
        sale.environment = environment
        sale.price = Milliunits(price)
        sale.currency = "EUR"
        sale.signedDate = Timestamp(milliseconds: Fixture.signedAt + signed)
        if refunded { sale.revocationDate = sale.signedDate }
        return try #require(Fixture.authority).signer.sign(sale)
    }

    private func sums(_ lines: [String], by names: [String] = ["currency"]) throws -> SalesCounts {
        let batch = BatchVerifier(verifier: try Fixture.verifier())
        let source = BatchSource(name: "a", bytes: [UInt8](lines.joined(separator: "\n").utf8))
        return try batch.sum([source], by: try ResultFields(names), temporaryFolder: "/tmp").sums
    }

    @Test("the version of a purchase that was signed last counts, in whatever order the versions come")
    func latestVersion() throws {
        let versions = [
            try sale("1"), try sale("1", signed: 1, refunded: true), try sale("1", signed: 2, price: 7000),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0, 1, 0], [0, 2, 1]] {
            let sum = try #require(try sums(order.map { versions[$0] }).groups.first?.sum)
            #expect(sum.purchases == 1 && sum.price == Milliunits(7000) && sum.refunded == Milliunits(0))
        }
        for lines in [[versions[0], versions[1]], [versions[1], versions[0]]] {
            #expect(try sums(lines).groups.first?.sum.kept == Milliunits(0))
        }
        // Of two versions with one signing time, the refund counts.
        let refund = try sale("1", refunded: true)
        for lines in [[versions[0], refund], [refund, versions[0]]] {
            #expect(try sums(lines).groups.first?.sum.refundedInFull == 1)
        }
    }

    @Test("a purchase is its environment and the bytes of its transaction ID")
    func identity() throws {
        let lines = [
            try sale("\u{E9}"), try sale("e\u{301}"), try sale("1", environment: .sandbox), try sale("1"),
            try sale("1", environment: nil), try sale(""), try sale("2", environment: .xcode),
        ]
        let counts = try sums(lines)
        #expect(counts.groups.first?.sum.purchases == 3, "two spellings of é, and 1; none is Production")
        #expect(counts.notInProduction == 2 && counts.unidentified == 1 && counts.familyShared == 0)
    }

    @Test("long values stand for themselves by their digests, and too many fields are refused")
    func longValues() throws {
        let long = String(repeating: "x", count: 70_000)
        let lines = try ["a", "b"].map { end in
            var sale = Fixture.transaction()
            sale.transactionId = end
            sale.environment = .production
            sale.productId = long + end
            sale.price = Milliunits(1)
            return try #require(Fixture.authority).signer.sign(sale)
        }
        let counts = try sums(lines + lines, by: ["productId"])
        #expect(counts.names == ["productId", "currency"] && counts.groups.count == 2)
        #expect(counts.groups.allSatisfy { $0.values[0]?.hasPrefix("sha256:") == true && $0.sum.purchases == 1 })
        let names = (0...SalesCounts.maximumFields).map { "payload.f\($0)" }
        #expect(throws: BatchError.self) { try sums(lines, by: names) }
    }
}
