package import PurchaseCore
package import ReceiptTypes

/// A delivery of another ledger or of an export, and what was done with it there.
package struct ImportedDelivery: Sendable {
    package let content: SignedContent
    package let source: DeliverySource
    package let observedAt: Timestamp
    package let stage: DeliveryStage
    /// The account that the purchase belongs to there; nil if it is not known.
    package let account: UUIDText?
    /// What was handed over there; nil for what the transaction itself says.
    package let fulfilment: FulfilledAmount?

    package init(
        content: SignedContent, source: DeliverySource, observedAt: Timestamp, stage: DeliveryStage,
        account: UUIDText?, fulfilment: FulfilledAmount? = nil
    ) {
        self.content = content
        self.source = source
        self.observedAt = observedAt
        self.stage = stage
        self.account = account?.lowercased
        self.fulfilment = fulfilment
    }
}

/// What the import of one delivery has done.
package enum ImportOutcome: Sendable, Hashable {
    case imported, known
    case conflict(RecordConflict)
}

extension TransactionVerifying {
    /// Verifies the signed content of a delivery.
    package func transaction(of content: SignedContent, at now: Timestamp) async -> VerificationResult<Transaction> {
        switch content {
        case .play(let purchase): return await verifyPlayPurchase(purchase, at: now)
        case .jws(let jws):
            switch await verifyTransaction(jws, at: now) {
            case .unverified(let failure): return .unverified(failure)
            case .verified(let payload):
                return Transaction(payload).map { .verified($0) } ?? .unverified(.init(code: .transactionIncomplete))
            }
        case .appReceipt(let receipt):
            switch await verifyAppReceipt(receipt, at: now) {
            case .unverified(let failure): return .unverified(failure)
            case .verified(let payload):
                return Transaction(recording: payload, isAppTransaction: receipt.isAppTransaction).map { .verified($0) }
                    ?? .unverified(.init(code: .transactionIncomplete))
            }
        }
    }

    /// Verifies a renewal info.
    package func renewalInfo(of jws: String, at now: Timestamp) async -> VerificationResult<RenewalInfo> {
        switch await verifyRenewalInfo(jws, at: now) {
        case .unverified(let failure): .unverified(failure)
        case .verified(let payload):
            RenewalInfo(payload).map { .verified($0) } ?? .unverified(.init(code: .renewalInfoIncomplete))
        }
    }
}

extension PurchaseDatabase {
    /// Imports a verified delivery.
    package nonisolated func importPurchase(
        _ transaction: Transaction, _ delivery: ImportedDelivery, at now: Timestamp
    ) async throws(DatabaseError) -> ImportOutcome {
        try await importing { (rows) throws(LedgerError) in
            try rows.importEntry(transaction, delivery, at: now)
        }
    }

    /// Imports a verified renewal info.
    package nonisolated func importRenewalInfo(
        _ info: RenewalInfo, jws: String
    ) async throws(DatabaseError) -> ImportOutcome {
        try await importing { (rows) throws(LedgerError) in
            try rows.record(info, jws: jws) ? .imported : .known
        }
    }

    /// Runs one import as a transaction, which a conflict undoes.
    private nonisolated func importing(
        _ body: @Sendable (inout any LedgerRows) throws(LedgerError) -> ImportOutcome
    ) async throws(DatabaseError) -> ImportOutcome {
        do throws(DatabaseError) {
            return try await write { (session) throws(DatabaseError) in try session.changeLedger(body) }
        } catch {
            let refusal = (error.underlying as? LedgerError)?.underlying as? RecordRefusal
            guard let refusal else { throw error }
            return .conflict(refusal.conflict)
        }
    }
}

extension LedgerRows {
    fileprivate mutating func importEntry(
        _ transaction: Transaction, _ delivery: ImportedDelivery, at now: Timestamp
    ) throws(LedgerError) -> ImportOutcome {
        let token = transaction.appAccountToken?.lowercased
        if let account = delivery.account, let token, account != token {
            throw RecordRefusal(.belongsToAnotherAccount).error
        }
        let signed = SignedTransaction(delivery.content, of: transaction)
        guard delivery.stage >= .recorded else { return try importUnrecorded(transaction, signed, delivery) }
        _ = try observe(signed, from: delivery.source, at: delivery.observedAt)
        // The entry of the same facts can have another text.
        let entry = try markVerified(transaction, signedText: signed.signedText)
        let text = entry.transaction.signedText
        let shown = try purchase(Purchase.ID(transaction))?.purchase
        let outcome = try record(transaction, signedText: text, for: delivery.account ?? token, at: now)
        if case .conflict(let conflict) = outcome { throw RecordRefusal(conflict).error }
        guard delivery.stage >= .granted, entry.stage < delivery.stage else {
            let isShown = try purchase(Purchase.ID(transaction))?.purchase == shown
            return entry.stage < .recorded || !isShown ? .imported : .known
        }
        let key = transaction.purchaseKey
        let isLast = try isLatest(transaction)
        if try handedOver(of: key) == nil || isLast {
            try put(delivery.fulfilment ?? transaction.fulfilledAmount, of: key)
        }
        try deleteClaim(of: key)
        try advance(text, from: .recorded, to: delivery.stage)
        return .imported
    }

    /// Copies a delivery that was not recorded there. The service decides about it at the next launch, as it would have
    /// there.
    private mutating func importUnrecorded(
        _ transaction: Transaction, _ signed: SignedTransaction, _ delivery: ImportedDelivery
    ) throws(LedgerError) -> ImportOutcome {
        let facts = try digest(of: transaction.facts)
        var known = try deliveries(ofVersion: transaction.versionID).filter { $0.verified?.facts == facts }
        if let row = try self.delivery(digest(of: signed.signedText)) { known.append(row) }
        if known.contains(where: { $0.stage >= delivery.stage }) { return .known }
        _ = try observe(signed, from: delivery.source, at: delivery.observedAt)
        if delivery.stage == .verified { _ = try markVerified(transaction, signedText: signed.signedText) }
        return .imported
    }

    /// Whether no version of a purchase that was handed over is later than a transaction.
    private func isLatest(_ transaction: Transaction) throws(LedgerError) -> Bool {
        try !deliveries(of: transaction.purchaseKey).contains { row in
            guard row.stage >= .granted, let verified = row.verified else { return false }
            return verified.signedDate > transaction.signedDate
        }
    }
}
