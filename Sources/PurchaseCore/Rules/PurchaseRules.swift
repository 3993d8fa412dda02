package import ReceiptTypes

// What the app shows of the deliveries: the current state of each purchase, and the events of its changes.
extension LedgerRows {
    /// Brings a purchase up to date with a recorded version of its transaction, and appends the events of the change.
    ///
    /// The later version decides, in any order of the versions. What the app's server has acknowledged stays
    /// acknowledged until the facts or the owner change.
    ///
    /// - Parameters:
    ///   - isNew: Whether the version has just been recorded. Of a Google Play subscription, whose versions all have
    ///     one date, a version that was recorded before does not bring a former product back.
    ///   - now: The time by the device's clock.
    mutating func show(
        _ transaction: Transaction, _ text: TextDigest, of account: UUIDText?, verifiedBy key: String? = nil,
        isNew: Bool, at now: Timestamp
    ) throws(LedgerError) {
        // An app receipt is evidence, and no purchase of its own.
        guard transaction.type != .app else { return }
        let version = PurchaseRow(
            purchase: Purchase(transaction, user: account, verificationKey: key), text: text,
            signedDate: transaction.signedDate, recordedAt: now, changedAt: now)
        guard let known = try purchase(version.purchase.id) else {
            // Without a new version, the row of the purchase was lost. It was completed before.
            let events = PurchaseEvent.Kind.changes(from: nil, to: version.purchase)
            return try put(version, isNew ? events : events.filter { $0 != .completed }, at: now)
        }
        let isSameProduct = known.purchase.productID.isIdentical(to: transaction.productID)
        guard isNew || isSameProduct || transaction.play == nil else { return }
        try save(known.merged(with: version), over: known, at: now)
    }

    /// Gives the purchase of a transaction to another account.
    mutating func move(_ id: Purchase.ID, to account: UUIDText?, at now: Timestamp) throws(LedgerError) {
        guard let known = try purchase(id), known.purchase.user != account else { return }
        try save(known.moved(to: account), over: known, at: now)
    }

    /// Changes what the app itself adds to a purchase of a user; false if the user has no such purchase.
    package mutating func change(
        _ id: Purchase.ID, of user: AppUser, at now: Timestamp, _ change: (inout PurchaseRow) -> Void
    ) throws(LedgerError) -> Bool {
        guard let known = try purchase(id), user.owns(known.purchase) else { return false }
        var row = known
        change(&row)
        try save(row, over: known, at: now)
        return true
    }

    private mutating func save(
        _ row: PurchaseRow, over known: PurchaseRow, at now: Timestamp
    ) throws(LedgerError) {
        guard row != known else { return }
        var row = row
        if row.purchase != known.purchase { row.changedAt = now }
        try put(row, PurchaseEvent.Kind.changes(from: known.purchase, to: row.purchase), at: now)
    }

    /// Records a purchase that the app itself has verified, for a user, with its delivery.
    ///
    /// - Throws: An error with a ``RecordRefusal`` as its cause if it contradicts what is recorded; then nothing of it
    ///   must be stored.
    mutating func record(
        _ verified: VerifiedPurchase, for user: AppUser, at now: Timestamp
    ) throws(LedgerError) -> RecordOutcome {
        let transaction = verified.transaction
        let before = try purchase(Purchase.ID(transaction))
        if let account = user.account, let token = transaction.appAccountToken, account != token {
            throw RecordRefusal(.belongsToAnotherAccount).error
        }
        let account = user == .noAccounts ? transaction.appAccountToken : user.account
        var entry = try observe(SignedTransaction(verified.content, of: transaction), from: .purchase, at: now)
        if entry.stage < .verified || entry.quarantineReason != nil {
            entry = try markVerified(transaction, signedText: entry.transaction.signedText)
        }
        let outcome = try record(
            transaction, signedText: entry.transaction.signedText, for: account, verifiedBy: verified.verificationKey,
            at: now)
        if case .conflict(let conflict) = outcome { throw RecordRefusal(conflict).error }
        let after = try purchase(Purchase.ID(transaction))
        if let after, !user.owns(after.purchase) { throw RecordRefusal(.belongsToAnotherAccount).error }
        if before == nil { return .inserted }
        return before?.purchase == after?.purchase ? .unchanged : .merged
    }

    /// Brings the purchases of a user up to date with what the verifier says now.
    ///
    /// A purchase whose row was lost is shown again. One that is rejected for good in all its versions, such as one of
    /// a certificate that is distrusted since, is marked as unverified, and counts again once it verifies.
    ///
    /// - Parameters:
    ///   - verified: The recorded versions that are verified, in the order of their first delivery.
    ///   - unverified: Those that are not.
    package mutating func review(
        _ verified: [VerifiedPurchase], _ unverified: [UnverifiedPurchase], of user: AppUser, at now: Timestamp
    ) throws(LedgerError) {
        for version in verified {
            let row = try delivery(digest(of: version.content.text))
            guard let row, row.stage >= .recorded else { continue }
            try show(version.transaction, row.text, of: row.account, isNew: false, at: now)
        }
        guard !unverified.isEmpty else { return }
        let ids = Set(verified.map { Purchase.ID($0.transaction) })
        let versions = Dictionary(grouping: unverified) { ExactString($0.delivery.transactionID) }
        for known in try purchases(of: user) where known.purchase.isVerified && !ids.contains(known.purchase.id) {
            let id = known.purchase.id
            let rejected = (versions[ExactString(id.transactionID)] ?? []).filter { $0.isVersion(of: id) }
            guard let failure = rejected.first?.failure, rejected.allSatisfy(\.failure.isLasting) else { continue }
            var row = known
            row.purchase.verification = .unverified(failure.code)
            try save(row, over: known, at: now)
        }
    }
}

/// The reason that a purchase is not recorded, as the cause of the error that undoes its transaction.
package struct RecordRefusal: Error {
    package let conflict: RecordConflict

    package init(_ conflict: RecordConflict) {
        self.conflict = conflict
    }

    package var error: LedgerError { LedgerError(.outOfOrder, conflict.rawValue, underlying: self) }
}

extension PurchaseRow {
    /// Returns the state after another version was recorded.
    fileprivate func merged(with version: PurchaseRow) -> PurchaseRow {
        var merged = self
        if isReplaced(by: version) {
            merged.purchase = version.purchase
            merged.text = version.text
            merged.signedDate = version.signedDate
            merged.purchase.user = purchase.user
            merged.purchase.synchronization = purchase.synchronization
            if !merged.purchase.hasFacts(of: purchase) { merged.purchase.synchronization = .unsynced }
        }
        return merged.moved(to: version.purchase.user)
    }

    fileprivate func moved(to account: UUIDText?) -> PurchaseRow {
        guard purchase.user != account else { return self }
        var moved = self
        moved.purchase.user = account
        // The server has not heard of the owner.
        moved.purchase.synchronization = .unsynced
        return moved
    }

    /// Returns whether another version is as late as this one or later.
    ///
    /// All versions of a Google Play purchase have one date; a revoked version then replaces one that is not.
    private func isReplaced(by version: PurchaseRow) -> Bool {
        if signedDate != version.signedDate { return signedDate < version.signedDate }
        let (old, new) = (purchase, version.purchase)
        if old.isRevoked != new.isRevoked { return new.isRevoked }
        if old.revocationDate != new.revocationDate {
            return (new.revocationDate ?? .maximum) < (old.revocationDate ?? .maximum)
        }
        if old.remainingQuantity != new.remainingQuantity { return new.remainingQuantity < old.remainingQuantity }
        if old.purchasedAt != new.purchasedAt { return new.purchasedAt < old.purchasedAt }
        return new.quantity <= old.quantity
    }
}

extension Purchase {
    /// Returns whether two states have the same facts: all but what the app itself adds to them.
    fileprivate func hasFacts(of other: Purchase) -> Bool {
        var compared = self
        compared.verification = other.verification
        compared.synchronization = other.synchronization
        return compared == other
    }
}

extension VerificationFailure {
    /// Whether another verification of the same signature fails too.
    fileprivate var isLasting: Bool { verdict == .unverified && !isRetryable }
}
