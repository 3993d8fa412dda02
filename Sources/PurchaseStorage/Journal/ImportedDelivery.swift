package import PurchaseCore
package import ReceiptTypes

/// A delivery of another journal or of an export, and what was done with it there.
package struct ImportedDelivery: Sendable {
    package let content: SignedContent
    package let source: DeliverySource
    package let observedAt: Timestamp
    package let stage: JournalStage
    /// The account that the purchase belongs to there; nil if it is not known.
    package let account: UUIDText?
    /// What was handed over there; nil for what the transaction itself says.
    package let fulfilment: FulfilledAmount?

    package init(
        content: SignedContent, source: DeliverySource, observedAt: Timestamp, stage: JournalStage,
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
                return Transaction(recording: payload).map { .verified($0) }
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
    /// Imports a verified renewal info.
    package nonisolated func importRenewalInfo(
        _ info: RenewalInfo, jws: String
    ) async throws(DatabaseError) -> ImportOutcome {
        try await importing { (database) throws(DatabaseError) in
            try database.record(info, jws: jws) ? .imported : .known
        }
    }

    /// Runs one import as a transaction, which a conflict undoes.
    nonisolated func importing(
        _ body: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> ImportOutcome
    ) async throws(DatabaseError) -> ImportOutcome {
        do throws(DatabaseError) {
            return try await write(body)
        } catch {
            guard let conflict = (error.underlying as? ImportConflict)?.conflict else { throw error }
            return .conflict(conflict)
        }
    }

    /// The error that undoes the transaction of an import.
    func conflict(_ conflict: RecordConflict) -> DatabaseError {
        DatabaseError(.constraint, conflict.rawValue, underlying: ImportConflict(conflict: conflict))
    }

    /// Copies a verified delivery into the journal; part of a transaction.
    func importEntry(
        _ transaction: Transaction, _ delivery: ImportedDelivery
    ) throws(DatabaseError) -> ImportOutcome {
        let token = transaction.appAccountToken?.lowercased
        if let account = delivery.account, let token, account != token { throw conflict(.belongsToAnotherAccount) }
        let signed = SignedTransaction(delivery.content, of: transaction)
        guard delivery.stage >= .recorded else { return try importUnrecorded(transaction, signed, delivery) }
        _ = try observe(signed, from: delivery.source, at: delivery.observedAt)
        // The entry of the same facts can have another text.
        guard let entry = try markVerified(transaction, signedText: signed.signedText) else { return .known }
        let text = entry.transaction.signedText
        switch try record(transaction, signedText: text, for: delivery.account ?? token) {
        case .conflict(let conflict): throw self.conflict(conflict)
        case nil: return .known
        case .unchanged, .inserted, .merged: break
        }
        guard delivery.stage >= .granted, entry.stage < delivery.stage else {
            return entry.stage < .recorded ? .imported : .known
        }
        let key = transaction.purchaseKey
        let isLast = try isLatest(transaction)
        if try fulfilment(of: key) == nil || isLast {
            try store(delivery.fulfilment ?? transaction.fulfilledAmount, of: key)
        }
        try deleteClaim(of: key)
        _ = try advance(text, from: .recorded, to: delivery.stage)
        return .imported
    }

    /// Copies a delivery that was not recorded there. The service decides about it at the next launch, as it would have
    /// there.
    private func importUnrecorded(
        _ transaction: Transaction, _ signed: SignedTransaction, _ delivery: ImportedDelivery
    ) throws(DatabaseError) -> ImportOutcome {
        let verified = try EntryRow.Verified(transaction)
        let known = try entryRows(
            "WHERE text_digest = ?1 OR verified_id = ?2 AND facts_digest = ?3",
            [.blob(try SignedText(delivery.content).digest), .text(verified.id), .blob(verified.factsDigest)])
        if known.contains(where: { $0.stage >= delivery.stage }) { return .known }
        _ = try observe(signed, from: delivery.source, at: delivery.observedAt)
        if delivery.stage == .verified { _ = try markVerified(transaction, signedText: signed.signedText) }
        return .imported
    }

    /// Whether no version of a purchase that was handed over is later than a transaction.
    private func isLatest(_ transaction: Transaction) throws(DatabaseError) -> Bool {
        try entryRows(
            "WHERE purchase_key = ? AND stage >= ? AND signed_date > ? LIMIT 1",
            [
                .text(transaction.purchaseKey.description), .integer(Int64(JournalStage.granted.rawValue)),
                .integer(transaction.signedDate.millisecondsSince1970),
            ]
        ).isEmpty
    }
}

/// The conflict of a delivery, as the cause of the error that undoes its import.
private struct ImportConflict: Error {
    let conflict: RecordConflict
}

extension Transaction {
    /// What the customer has after this state of the purchase was handed over.
    fileprivate var fulfilledAmount: FulfilledAmount {
        isRevoked ? .revoked : .granted(productID: productID, quantity: remainingQuantity)
    }
}

extension SignedTransaction {
    /// The delivery of verified content.
    fileprivate init(_ content: SignedContent, of transaction: Transaction) {
        switch content {
        case .jws(let jws):
            self.init(jws: jws, transactionID: transaction.id, productID: transaction.productID)
        case .play(let purchase):
            self.init(play: purchase, purchaseToken: transaction.id, productID: transaction.productID)
        case .appReceipt(let receipt):
            self.init(appReceipt: receipt, transactionID: transaction.id, bundleID: transaction.productID)
        }
    }
}
