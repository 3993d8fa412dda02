import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rows of a ledger, with the steps of a service as calls.
final class RuleTrial {
    /// The store whose format the deliveries of a test have.
    let store: SampleStore
    private var rows = InMemoryRows()

    init(_ store: SampleStore) {
        self.store = store
    }

    /// Returns a trial over an empty ledger.
    func fresh() -> RuleTrial { RuleTrial(store) }

    // MARK: Steps

    @discardableResult
    func observe(
        _ delivery: SignedTransaction, from source: DeliverySource = .update, at now: Timestamp = at(0)
    ) throws -> LedgerEntry {
        try rows.observe(delivery, from: source, at: now)
    }

    @discardableResult
    func observe(_ delivery: Delivery) throws -> LedgerEntry { try observe(delivery.signed) }

    @discardableResult
    func verify(_ delivery: Delivery) throws -> LedgerEntry {
        try rows.markVerified(delivery.transaction, signedText: delivery.text)
    }

    func quarantine(_ text: String, _ code: VerificationFailure.Code = .signatureInvalid) throws {
        try rows.quarantine(signedText: text, because: code)
    }

    @discardableResult
    func record(_ delivery: Delivery, for account: UUIDText? = nil) throws -> RecordOutcome {
        try rows.record(delivery.transaction, signedText: delivery.text, for: account, at: at(0))
    }

    /// Claims a purchase and marks an entry of it as granted under the claim.
    func grant(_ delivery: Delivery, _ fulfilment: FulfilledAmount = .one, of key: PurchaseKey? = nil) throws {
        try grant(delivery, fulfilment, under: try #require(try claim(key ?? delivery.key, from: at(0), until: at(0))))
    }

    func grant(_ delivery: Delivery, _ fulfilment: FulfilledAmount = .one, under claim: FulfilmentClaim) throws {
        try rows.markGranted(signedText: delivery.text, fulfilment, under: claim)
    }

    func finish(_ delivery: Delivery) throws { try rows.markFinished(signedText: delivery.text) }

    func claim(_ key: PurchaseKey, from now: Timestamp, until end: Timestamp) throws -> FulfilmentClaim? {
        try rows.claimFulfilment(of: key, from: now, until: end)
    }

    /// Begins to hand over a recorded delivery at minute 0.
    func begin(_ delivery: Delivery, hasFulfiller: Bool) throws -> FulfilmentClaim? {
        try rows.beginHandOver(
            of: delivery.transaction, signedText: delivery.text, hasFulfiller: hasFulfiller, from: at(0))
    }

    func renew(_ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp) throws -> FulfilmentClaim? {
        try rows.renew(claim, from: now, until: end)
    }

    func release(_ claim: FulfilmentClaim) throws { try rows.release(claim) }

    func compact() throws { try rows.compact() }

    @discardableResult
    func record(_ renewal: RenewalSample) throws -> Bool { try rows.record(renewal.info(), jws: renewal.text) }

    @discardableResult
    func updateMemory(_ change: (inout LedgerMemory) -> Void) throws -> LedgerMemory {
        try rows.updateMemory(change)
    }

    func entries() throws -> [LedgerEntry] { try rows.entries() }
    func fulfilment(_ key: PurchaseKey) throws -> FulfilledAmount? { try rows.handedOver(of: key) }
    func memory() throws -> LedgerMemory { rows.memory() }

    /// Returns the texts of the renewal infos in ascending order.
    func renewalInfos() throws -> [String] {
        try rows.renewalInfos().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    // MARK: Expectations

    /// Compares two values byte by byte.
    func expect<Value>(
        _ found: Value, _ expected: Value, _ situation: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(exactText(of: found) == exactText(of: expected), "\(situation)", sourceLocation: sourceLocation)
    }

    /// Compares two claims without their numbers.
    func expectClaim(
        _ found: FulfilmentClaim?, _ expected: FulfilmentClaim, _ situation: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let same = found.map { found in
            FulfilmentClaim(
                key: found.key, number: expected.number, start: found.start, end: found.end,
                followsUnanswered: found.followsUnanswered)
        }
        expect(same, expected, situation, sourceLocation: sourceLocation)
    }

    /// Checks that a claim was made, and returns it.
    @discardableResult
    func expectClaim(
        _ claim: FulfilmentClaim?, _ situation: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> FulfilmentClaim {
        try #require(claim, "\(situation)", sourceLocation: sourceLocation)
    }

    /// Checks that no claim was made.
    func expectNoClaim(
        _ claim: FulfilmentClaim?, _ situation: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(claim == nil, "\(situation)", sourceLocation: sourceLocation)
    }

    func expectEntries(
        _ expected: [LedgerEntry], _ situation: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        expect(try entries(), expected, "the entries \(situation)", sourceLocation: sourceLocation)
    }

    /// Checks that the recorded entries of a purchase are the given ones, in any order.
    func expectRecorded(
        _ key: PurchaseKey, _ expected: [LedgerEntry], _ situation: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        expect(
            try rows.recordedEntries(of: key).map { exactText(of: $0) }.sorted(),
            expected.map { exactText(of: $0) }.sorted(), situation, sourceLocation: sourceLocation)
    }

    /// Checks that a step throws an error, `out-of-order` unless another one is given, and changes nothing.
    func expectError(
        _ situation: String, _ expected: LedgerError.Code = .outOfOrder, keys: [PurchaseKey] = [],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout InMemoryRows) throws(LedgerError) -> Void
    ) throws {
        let before = try content(keys)
        var code: LedgerError.Code?
        do throws(LedgerError) {
            try body(&rows)
        } catch {
            code = error.code
        }
        #expect(code == expected, "the error of \(situation)", sourceLocation: sourceLocation)
        expect(try content(keys), before, "the content after \(situation)", sourceLocation: sourceLocation)
    }

    /// Returns everything that the rows return; of hand-overs and recorded entries, those of the given purchases.
    func content(_ keys: [PurchaseKey]) throws -> [String] {
        var lines = [exactText(of: try entries())]
        for key in keys {
            lines += try rows.recordedEntries(of: key).map { exactText(of: $0) }.sorted()
            lines.append(exactText(of: try fulfilment(key) as Any))
            lines.append(exactText(of: rows.claim(of: key) as Any))
        }
        return lines + [exactText(of: try renewalInfos()), exactText(of: try memory())]
    }

    // MARK: Preparation

    /// Observes a delivery, moves its entry to a stage, and returns the entry.
    @discardableResult
    func advance(
        _ delivery: Delivery, to stage: DeliveryStage, for account: UUIDText? = nil
    ) throws -> LedgerEntry {
        try observe(delivery)
        if stage >= .verified { try verify(delivery) }
        if stage >= .recorded { try record(delivery, for: account) }
        if stage >= .granted { try grant(delivery) }
        if stage >= .finished { try finish(delivery) }
        return delivery.entry(stage, account: stage >= .recorded ? account : nil)
    }
}

extension Delivery {
    /// The entry that the delivery has at a stage, if it was observed with the defaults of ``RuleTrial``.
    func entry(
        _ stage: DeliveryStage, quarantine: VerificationFailure.Code? = nil, account: UUIDText? = nil
    ) -> LedgerEntry {
        LedgerEntry(
            transaction: stage >= .verified ? signed.withoutObjection : signed, source: .update, observedAt: at(0),
            stage: stage, quarantineReason: quarantine, account: account)
    }
}

extension FulfilledAmount {
    /// One item of the usual product.
    static let one = Self.granted(productID: "coins", quantity: 1)
}
