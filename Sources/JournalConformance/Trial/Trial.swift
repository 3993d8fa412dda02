internal import PurchaseCore
internal import ReceiptTypes

/// An open journal, and the ways to open its storage again; nil for a way that it does not have.
struct OpenJournal: Sendable {
    let journal: any PurchaseLedger
    /// Closes the journal and opens its storage again.
    let reopen: (@Sendable () async throws -> OpenJournal)?
    /// Opens its storage once more, as another process does.
    let share: (@Sendable () async throws -> OpenJournal)?
}

/// A journal under test, with calls that report an error of the journal as a mismatch.
struct Trial: Sendable {
    /// What all trials of a run have in common.
    struct Source: Sendable {
        let make: @Sendable () async throws -> OpenJournal
    }

    let opened: OpenJournal
    let source: Source
    /// The store whose format the check's deliveries have.
    let store: SampleStore

    var journal: any PurchaseLedger { opened.journal }

    private func with(_ opened: OpenJournal) -> Trial { Trial(opened: opened, source: source, store: store) }

    /// Returns a trial over a new, empty journal.
    func fresh() async throws -> Trial { with(try await source.make()) }

    /// Returns a trial over the journal after its storage was closed and opened again.
    func reopened() async throws -> Trial {
        guard let reopen = opened.reopen else { throw Self.cannotOpen }
        return with(try await reopen())
    }

    /// Returns a trial over a second journal with the same storage, as another process has it.
    func shared() async throws -> Trial {
        guard let share = opened.share else { throw Self.cannotOpen }
        return with(try await share())
    }

    private static var cannotOpen: Mismatch {
        Mismatch("opening the journal again", expected: "a way to open it", found: "none")
    }

    // MARK: Calls

    private func call<Value>(
        _ situation: String, _ body: () async throws(JournalError) -> Value
    ) async throws -> Value {
        do throws(JournalError) {
            return try await body()
        } catch {
            throw Mismatch(situation, expected: "no error", found: error.description)
        }
    }

    @discardableResult
    func observe(
        _ delivery: SignedTransaction, from source: DeliverySource = .update, at now: Timestamp = at(0)
    ) async throws -> JournalEntry {
        try await call("observing a delivery") { () throws(JournalError) in
            try await journal.observe(delivery, from: source, at: now)
        }
    }

    @discardableResult
    func observe(_ delivery: Delivery) async throws -> JournalEntry { try await observe(delivery.signed) }

    @discardableResult
    func verify(_ delivery: Delivery) async throws -> JournalEntry {
        try await call("marking an entry as verified") { () throws(JournalError) in
            try await journal.markVerified(delivery.transaction, signedText: delivery.text)
        }
    }

    func quarantine(_ text: String, _ code: VerificationFailure.Code = .signatureInvalid) async throws {
        try await call("quarantining an entry") { () throws(JournalError) in
            try await journal.quarantine(signedText: text, because: code)
        }
    }

    @discardableResult
    func record(_ delivery: Delivery, for account: UUIDText? = nil) async throws -> RecordOutcome {
        try await call("recording an entry") { () throws(JournalError) in
            try await journal.record(delivery.transaction, signedText: delivery.text, for: account)
        }
    }

    /// Claims a purchase and marks an entry of it as granted under the claim.
    func grant(
        _ delivery: Delivery, _ fulfilment: FulfilledAmount = .one, of key: PurchaseKey? = nil
    ) async throws {
        let claim = try expectClaim(
            try await claim(key ?? delivery.key, from: at(0), until: at(0)), "a claim for granting a purchase")
        try await grant(delivery, fulfilment, under: claim)
    }

    func grant(
        _ delivery: Delivery, _ fulfilment: FulfilledAmount = .one, under claim: FulfilmentClaim
    ) async throws {
        try await call("marking an entry as granted") { () throws(JournalError) in
            try await journal.markGranted(signedText: delivery.text, fulfilment, under: claim)
        }
    }

    func finish(_ delivery: Delivery) async throws {
        try await call("marking an entry as finished") { () throws(JournalError) in
            try await journal.markFinished(signedText: delivery.text)
        }
    }

    func claim(_ key: PurchaseKey, from now: Timestamp, until end: Timestamp) async throws -> FulfilmentClaim? {
        try await call("claiming a purchase") { () throws(JournalError) in
            try await journal.claimFulfilment(of: key, from: now, until: end)
        }
    }

    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws -> FulfilmentClaim? {
        try await call("renewing a claim") { () throws(JournalError) in
            try await journal.renew(claim, from: now, until: end)
        }
    }

    func release(_ claim: FulfilmentClaim) async throws {
        try await call("releasing a claim") { () throws(JournalError) in try await journal.release(claim) }
    }

    func compact() async throws {
        try await call("compacting") { () throws(JournalError) in try await journal.compact() }
    }

    func record(_ renewal: RenewalSample) async throws {
        let info = try renewal.info()
        try await call("recording a renewal info") { () throws(JournalError) in
            _ = try await journal.record(info, jws: renewal.text)
        }
    }

    @discardableResult
    func updateMemory(_ change: @escaping @Sendable (inout JournalMemory) -> Void) async throws -> JournalMemory {
        try await call("changing the memory") { () throws(JournalError) in try await journal.updateMemory(change) }
    }

    func entries() async throws -> [JournalEntry] {
        try await call("reading the entries") { () throws(JournalError) in try await journal.entries() }
    }

    func recordedEntries(_ key: PurchaseKey) async throws -> [JournalEntry] {
        try await call("reading the recorded entries") { () throws(JournalError) in
            try await journal.recordedEntries(of: key)
        }
    }

    func fulfilment(_ key: PurchaseKey) async throws -> FulfilledAmount? {
        try await call("reading a fulfilment") { () throws(JournalError) in try await journal.fulfilment(of: key) }
    }

    /// Returns the texts of the renewal infos in ascending order; the port has no order.
    func renewalInfos() async throws -> [String] {
        try await call("reading the renewal infos") { () throws(JournalError) in try await journal.renewalInfos() }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func memory() async throws -> JournalMemory {
        try await call("reading the memory") { () throws(JournalError) in try await journal.memory() }
    }

    // MARK: Expectations

    /// Compares two values byte by byte.
    func expect<Value: Rendered>(_ found: Value, _ expected: Value, _ situation: String) throws {
        try Self.compare(found.rendering, expected.rendering, situation)
    }

    static func compare(_ found: String, _ expected: String, _ situation: String) throws {
        guard !found.utf8.elementsEqual(expected.utf8) else { return }
        throw Mismatch(
            situation, expected: expected.excerpt(comparedTo: found), found: found.excerpt(comparedTo: expected))
    }

    /// Checks that a claim was made, and returns it.
    @discardableResult
    func expectClaim(_ claim: FulfilmentClaim?, _ situation: String) throws -> FulfilmentClaim {
        guard let claim else { throw Mismatch(situation, expected: "a claim", found: "no claim") }
        return claim
    }

    /// Checks that no claim was made.
    func expectNoClaim(_ claim: FulfilmentClaim?, _ situation: String) throws {
        guard let claim else { return }
        throw Mismatch(situation, expected: "no claim", found: claim.rendering)
    }

    func expectEntries(_ expected: [JournalEntry], _ situation: String) async throws {
        try expect(await entries(), expected, "the entries \(situation)")
    }

    /// Checks that the recorded entries of a purchase are the given ones, in any order.
    func expectRecorded(_ key: PurchaseKey, _ expected: [JournalEntry], _ situation: String) async throws {
        let found = try await recordedEntries(key).map(\.rendering).sorted().joined(separator: ", ")
        try Self.compare(found, expected.map(\.rendering).sorted().joined(separator: ", "), situation)
    }

    /// Checks that a call throws an error, `out-of-order` unless another one is given, and changes nothing.
    func expectError(
        _ situation: String, _ expected: JournalError.Code = .outOfOrder, keys: [PurchaseKey] = [],
        _ body: (any PurchaseLedger) async throws(JournalError) -> Void
    ) async throws {
        let before = try await content(keys)
        var code = "no error"
        do throws(JournalError) {
            try await body(journal)
        } catch {
            code = error.code.rawValue
        }
        try Self.compare(code, expected.rawValue, "the error of \(situation)")
        try Self.compare(try await content(keys), before, "the content after \(situation)")
    }

    /// Returns everything that the journal returns; of fulfilments and recorded entries, those of the given purchases.
    func content(_ keys: [PurchaseKey]) async throws -> String {
        var lines = ["entries \(try await entries().rendering)"]
        for key in keys {
            let recorded = try await recordedEntries(key).map(\.rendering).sorted().joined(separator: ", ")
            lines.append("recorded of \(key.rendering) [\(recorded)]")
            lines.append("fulfilment of \(key.rendering) \(try await fulfilment(key).rendering)")
        }
        lines.append("renewal infos \(try await renewalInfos().rendering)")
        lines.append("memory \(try await memory().rendering)")
        return lines.joined(separator: "\n")
    }

    // MARK: Preparation

    /// Observes a delivery, moves its entry to a stage, and returns the entry.
    @discardableResult
    func advance(
        _ delivery: Delivery, to stage: JournalStage, for account: UUIDText? = nil
    ) async throws -> JournalEntry {
        try await observe(delivery)
        if stage >= .verified { try await verify(delivery) }
        if stage >= .recorded { try await record(delivery, for: account) }
        if stage >= .granted { try await grant(delivery) }
        if stage >= .finished { try await finish(delivery) }
        return delivery.entry(stage, account: stage >= .recorded ? account : nil)
    }
}

extension Delivery {
    /// The entry that the delivery has at a stage, if it was observed with the defaults of ``Trial``.
    func entry(
        _ stage: JournalStage, quarantine: VerificationFailure.Code? = nil, account: UUIDText? = nil
    ) -> JournalEntry {
        JournalEntry(
            transaction: stage >= .verified ? signed.withoutObjection : signed, source: .update, observedAt: at(0),
            stage: stage, quarantineReason: quarantine, account: account)
    }
}
