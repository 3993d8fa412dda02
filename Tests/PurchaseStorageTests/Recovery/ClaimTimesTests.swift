import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Times of claims that another program has changed")
struct ClaimTimesTests {
    private struct Edit: CustomTestStringConvertible {
        let testDescription: String
        let start, end: Int64
    }

    private static let now = PurchaseSample.start
    private static let edits = [
        Edit(testDescription: "from zero to the largest integer", start: 0, end: .max),
        Edit(testDescription: "all integers", start: .min, end: .max),
        Edit(testDescription: "from now on", start: now.millisecondsSince1970, end: .max),
        Edit(testDescription: "a minute and a millisecond", start: now.millisecondsSince1970, end: later(60_001)),
        Edit(testDescription: "the largest integer", start: .max, end: .max),
        Edit(testDescription: "negative", start: .min, end: -1),
        Edit(testDescription: "the end before the start", start: later(1), end: now.millisecondsSince1970),
    ]

    private static func later(_ milliseconds: Int64) -> Int64 { now.millisecondsSince1970 + milliseconds }

    private let files = TestDatabase()

    private func key() throws -> PurchaseKey { try PurchaseSample.purchase().transaction.purchaseKey }

    /// Claims a purchase, and replaces the times of the claim.
    private func claim(_ edit: Edit) async throws -> DatabaseLedger {
        let ledger = DatabaseLedger(try files.open())
        #expect(try await ledger.claimFulfilment(of: key(), from: Self.now, until: PurchaseSample.at(60)) != nil)
        try files.execute("UPDATE claims SET start_at = \(edit.start), end_at = \(edit.end)")
        return ledger
    }

    @Test(
        "A claim with impossible times excludes others for a minute at most, and the check reports it", arguments: edits
    )
    private func impossible(_ edit: Edit) async throws {
        let ledger = try await claim(edit)
        let damage = try DatabaseInspection.damage(path: files.path, key: TestDatabase.key)
        #expect(damage?.finding == .malformed)
        #expect(damage?.detail.contains("claims") == true)
        let after = Self.now.adding(milliseconds: 60_001)
        #expect(try await ledger.claimFulfilment(of: key(), from: after, until: after) != nil)
        #expect(try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) == nil)
    }

    @Test("A claim of a device whose clock was ahead excludes nothing after the clock is set, and is no damage")
    func ahead() async throws {
        let year: Int64 = 365 * 86_400_000
        let ledger = try await claim(
            Edit(testDescription: "", start: Self.later(year), end: Self.later(year + 60_000)))
        #expect(try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) == nil)
        let claim = try await ledger.claimFulfilment(of: key(), from: Self.now, until: PurchaseSample.at(60))
        #expect(claim?.followsUnanswered == true)
    }

    @Test("A claim that is made or renewed for longer than a minute, or released, is sound")
    func written() async throws {
        let ledger = DatabaseLedger(try files.open())
        var claim = try #require(try await ledger.claimFulfilment(of: key(), from: Self.now, until: .maximum))
        #expect(claim.end == PurchaseSample.at(60))
        #expect(try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) == nil)
        let renewed = try await ledger.renew(claim, from: PurchaseSample.at(60), until: .maximum)
        #expect(renewed?.end == PurchaseSample.at(120))
        #expect(try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) == nil)
        let next = PurchaseSample.at(121)
        claim = try #require(try await ledger.claimFulfilment(of: key(), from: next, until: next))
        #expect(claim.followsUnanswered)
        try await ledger.release(claim)
        #expect(try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) == nil)
    }
}
