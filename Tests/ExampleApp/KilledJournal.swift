import PurchaseCore
import ReceiptTypes

/// A journal with a step before and after each call.
struct KilledJournal: PurchaseJournal {
    let base: any PurchaseJournal
    let kill: KillSwitch

    private func run<Value>(
        _ name: String, _ body: () async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await kill.around("journal.\(name)", orThrow: JournalError(.notWritten, "killed"), body)
    }

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        try await run("observe") { () async throws(JournalError) in
            try await base.observe(transaction, from: source, at: now)
        }
    }

    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        try await run("markVerified") { () async throws(JournalError) in
            try await base.markVerified(transaction, signedText: signedText)
        }
    }

    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await run("quarantine") { () async throws(JournalError) in
            try await base.quarantine(signedText: signedText, because: code)
        }
    }

    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        try await run("record") { () async throws(JournalError) in
            try await base.record(transaction, signedText: signedText, for: account)
        }
    }

    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await run("claimFulfilment") { () async throws(JournalError) in
            try await base.claimFulfilment(of: key, from: now, until: end)
        }
    }

    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await run("renew") { () async throws(JournalError) in
            try await base.renew(claim, from: now, until: end)
        }
    }

    func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        try await run("release") { () async throws(JournalError) in try await base.release(claim) }
    }

    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        try await run("markGranted") { () async throws(JournalError) in
            try await base.markGranted(signedText: signedText, fulfilment, under: claim)
        }
    }

    func markFinished(signedText: String) async throws(JournalError) {
        try await run("markFinished") { () async throws(JournalError) in
            try await base.markFinished(signedText: signedText)
        }
    }

    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        try await base.fulfilment(of: key)
    }

    func entries() async throws(JournalError) -> [JournalEntry] { try await base.entries() }

    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        try await base.recordedEntries(of: key)
    }

    func compact() async throws(JournalError) {
        try await run("compact") { () async throws(JournalError) in try await base.compact() }
    }

    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await run("recordRenewal") { () async throws(JournalError) in
            try await base.record(renewalInfo, jws: jws)
        }
    }

    func renewalInfos() async throws(JournalError) -> [String] { try await base.renewalInfos() }
    func memory() async throws(JournalError) -> JournalMemory { try await base.memory() }

    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await run("updateMemory") { () async throws(JournalError) in try await base.updateMemory(change) }
    }
}
