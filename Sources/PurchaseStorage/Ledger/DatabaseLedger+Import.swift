public import PurchaseCore
public import ReceiptTypes

/// What an import into a ``DatabaseLedger`` has done.
public struct LedgerImport: Sendable, Hashable {
    /// A delivery that was not recorded.
    public struct Refusal: Sendable, Hashable {
        /// The delivery, whose ids are not signed; nil for a renewal info.
        public let delivery: SignedTransaction?
        /// The reason.
        public let failure: VerificationFailure
    }

    /// The number of deliveries that the ledger did not have, or had at an earlier stage.
    public internal(set) var imported = 0
    /// The number of deliveries that the ledger had.
    public internal(set) var known = 0
    /// The deliveries that are not verified, or that belong to another account than the ledger knows.
    public internal(set) var refused: [Refusal] = []
}

extension DatabaseLedger {
    /// Copies the entries, renewal infos and fulfilments of another ledger, and verifies each signature again.
    ///
    /// Nothing is believed because the other ledger says so, but what was handed over there counts as handed over
    /// here, so that no consumable is granted twice. Entries that the other ledger has only observed are left out: the
    /// store delivers them again. The clock marks of the other ledger are kept if they are later.
    ///
    /// Each entry is one transaction. A call that is repeated changes nothing, so an import that was interrupted is
    /// finished by another one. Import before a `PurchaseService` uses the ledger.
    ///
    /// - Parameters:
    ///   - other: The ledger to read, which stays as it is.
    ///   - verifier: The verifier of the app.
    ///   - now: The time at which signatures are verified.
    /// - Throws: `LedgerError` if a ledger cannot be read or written.
    public func importEntries(
        of other: some PurchaseLedger, verifier: some TransactionVerifying, at now: Timestamp
    ) async throws(LedgerError) -> LedgerImport {
        var result = LedgerImport()
        for entry in try await other.entries() where entry.stage >= .recorded {
            let verified = await verifier.transaction(of: entry.transaction.content, at: now)
            guard case .verified(let transaction) = verified else {
                if case .unverified(let failure) = verified {
                    result.refused.append(.init(delivery: entry.transaction, failure: failure))
                }
                continue
            }
            let fulfilment = try await other.fulfilment(of: transaction.purchaseKey)
            let delivery = ImportedDelivery(
                content: entry.transaction.content, source: entry.source, observedAt: entry.observedAt,
                stage: entry.stage, account: entry.account, fulfilment: fulfilment)
            let outcome = try await stored { () throws(DatabaseError) in
                try await database.importPurchase(transaction, delivery, at: now)
            }
            switch outcome {
            case .imported: result.imported += 1
            case .known: result.known += 1
            case .conflict(let conflict):
                result.refused.append(.init(delivery: entry.transaction, failure: conflict.failure))
            }
        }
        for jws in try await other.renewalInfos() {
            switch await verifier.renewalInfo(of: jws, at: now) {
            case .unverified(let failure): result.refused.append(.init(delivery: nil, failure: failure))
            case .verified(let info):
                if try await record(info, jws: jws) { result.imported += 1 } else { result.known += 1 }
            }
        }
        let marks = try await other.memory().clock
        try await updateMemory { memory in
            memory.clock = memory.clock.merged(with: marks)
        }
        return result
    }

    private func stored(
        _ call: () async throws(DatabaseError) -> ImportOutcome
    ) async throws(LedgerError) -> ImportOutcome {
        do throws(DatabaseError) {
            return try await call()
        } catch {
            throw LedgerError(.notWritten, error.message, underlying: error)
        }
    }
}
