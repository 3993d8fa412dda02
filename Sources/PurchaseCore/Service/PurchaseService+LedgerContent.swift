internal import ReceiptTypes

// Each run verifies every signed text of the ledger, because an attacker can edit the ledger.
extension PurchaseService {
    /// Returns what the ledger has for the current user.
    func ledgerContent() async throws(LedgerError) -> LedgerContent {
        while true {
            let (user, changes) = (user, userChanges)
            var content = LedgerContent(user: user)
            var visible: [LedgerEntry] = []
            let entries = try await entries()
            for entry in entries where !entry.transaction.isAppReceipt {
                if entry.stage >= .recorded, user.maySee(entry.account) {
                    visible.append(entry)
                } else if entry.stage >= .verified, entry.quarantineReason == nil {
                    content.others.append(entry.transaction)
                }
            }
            var transactions: [Transaction] = []
            for (entry, result) in zip(visible, await verifyAll(visible.map(\.transaction))) {
                switch result {
                case .verified(let transaction):
                    if user.maySee(transaction, of: entry.account) { transactions.append(transaction) }
                case .unverified(let failure):
                    if failure.mayCountLater { content.isDecided = false }
                    if failure.isTimeout { content.hasTimedOut = true }
                }
            }
            intake.dropTransactions(notIn: entries)
            // The user may have changed while the ledger was read; the next user sees nothing of the former one.
            guard changes == userChanges else { continue }
            content.recorded = try await withPaidPeriods(transactions)
            await addReceipts(in: entries, beside: content.recorded, to: &content)
            guard changes == userChanges else { continue }
            return content
        }
    }

    /// Returns the recorded transactions of the current user that are verified.
    func recordedTransactions() async throws(LedgerError) -> [Transaction] { try await ledgerContent().recorded }

    /// Returns the verified transactions in the ledger that are not the current user's, as ``LedgerContent/others``
    /// says.
    func otherTransactions() async throws(LedgerError) -> [Transaction] {
        try await otherTransactions(in: try await ledgerContent()).transactions
    }

    /// Returns the latest versions of the other transactions in a content that are verified, and whether the verifier
    /// has decided about each.
    func otherTransactions(
        in content: LedgerContent
    ) async throws(LedgerError) -> (transactions: [Transaction], isDecided: Bool) {
        let results = await verifyAll(content.others)
        let transactions = try await withPaidPeriods(results.compactMap(\.verifiedPayload))
        let receipts = transactions.purchasesBeside(content.otherReceiptPurchases)
        return ((transactions + receipts).latestVersions(), !results.contains { $0.failure?.mayCountLater ?? false })
    }

    /// The number of deliveries that are verified at the same time.
    private static let verificationBatch = 100

    /// Verifies deliveries, many at the same time, and those that this run has verified before not again.
    ///
    /// After a verification that has timed out, the remaining ones are not begun: one after the other, a verifier that
    /// does not answer would take its deadline as many times.
    func verifyAll(_ deliveries: [SignedTransaction]) async -> [VerificationResult<Transaction>] {
        var results = deliveries.map { intake.transaction(of: $0.signedText).map { VerificationResult.verified($0) } }
        var open = results.indices.filter { results[$0] == nil }[...]
        if open.isEmpty { return results.compactMap(\.self) }
        // Read once: a ledger that does not answer would take its deadline for each delivery.
        let now = await currentTime()
        while !open.isEmpty {
            let batch = open.prefix(Self.verificationBatch)
            open = open.dropFirst(Self.verificationBatch)
            await withTaskGroup(of: (Int, VerificationResult<Transaction>).self) { group in
                for index in batch { group.addTask { (index, await self.verify(deliveries[index], at: now)) } }
                for await (index, result) in group { results[index] = result }
            }
            guard let timeout = batch.lazy.compactMap({ results[$0]?.failure }).first(where: \.isTimeout) else {
                continue
            }
            for index in open { results[index] = .unverified(timeout) }
            break
        }
        return results.compactMap { $0 }
    }

    // MARK: Review

    /// Brings the recorded purchases of a user up to date with what the verifier says now, without asking the store.
    ///
    /// Deliveries change their purchases when they are recorded. What this adds are the purchases whose rows were lost,
    /// and the verdicts that have changed since: a purchase that is rejected for good is marked as unverified. Call it
    /// at launch and after a recovery of the ledger.
    ///
    /// - Returns: The deliveries that the verifier has not decided about; nil if another user is signed in.
    public func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]? {
        guard self.user == .noAccounts || self.user == user.normalized else { return nil }
        let deliveries = try await ledger.entries().filter { entry in
            entry.stage >= .recorded && !entry.transaction.isAppReceipt
                && (user == .noAccounts || entry.account == user.account?.lowercased)
        }.map(\.transaction)
        var verified: [VerifiedPurchase] = []
        var unverified: [UnverifiedPurchase] = []
        for (delivery, result) in zip(deliveries, await verifyAll(deliveries)) {
            switch result {
            case .verified(let transaction): verified.append(VerifiedPurchase(transaction, delivery.content))
            case .unverified(let failure): unverified.append(UnverifiedPurchase(delivery, failure))
            }
        }
        let versions = verified.withoutFormerProducts(try await ledger.memory().playListings, \.transaction)
        let now = environment.clock()
        try await ledger.transact(.reviewPurchases) { [unverified] (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.review(versions, unverified, of: user, at: now)
        }
        return unverified.filter { $0.failure.isRetryable && $0.failure.mayCountLater }
    }
}
