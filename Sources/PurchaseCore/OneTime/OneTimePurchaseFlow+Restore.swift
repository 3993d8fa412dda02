internal import ReceiptTypes

extension OneTimePurchaseFlow {
    // MARK: Restoring

    /// Fetches the store's complete history, records it, and says whether that has brought something back.
    ///
    /// It works while purchases are switched off. The store may ask for a password, so call it only after a tap on a restore
    /// button. A network error is repeated after growing pauses. Concurrent calls share one restore. What is recorded
    /// already is only updated, and a restore does not change whether the app's own server has acknowledged a purchase.
    public func restorePurchases() async -> OneTimeRestoreResult {
        if let runningRestore { return await runningRestore.value }
        showRestore(true)
        let task = Task {
            let result = await self.restore()
            self.runningRestore = nil
            self.showRestore(false)
            return result
        }
        runningRestore = task
        return await task.value
    }

    private func restore() async -> OneTimeRestoreResult {
        let history: RestoredHistory
        do {
            try restores.countCall()
            history = try await retry.run { [service] in try await service.requestAllPurchaseHistory() }
        } catch {
            return OneTimeRestoreResult(outcome: .failed(failure(error)), purchases: await recordedPurchases())
        }
        let pass = await recorder.record()
        await entitlements.refresh()
        var problems = history.rejected.map { failure($0) }
        if history.notRecorded > 0 {
            problems.append(failure(JournalError(.notWritten, "\(history.notRecorded) transactions are not recorded")))
        }
        if let error = pass.error { problems.append(error) }
        return OneTimeRestoreResult(
            outcome: outcome(of: history, pass, problems), purchases: await recordedPurchases(), problems: problems)
    }

    private func outcome(
        of history: RestoredHistory, _ pass: PurchaseRecorder.Pass, _ problems: [PurchaseError]
    ) -> OneTimeRestoreResult.Outcome {
        let new = Set(history.restored.map { ExactString($0.originalID) })
            .subtracting(history.known.map { ExactString($0.originalID) })
        let inserted = Set(
            pass.purchases.filter { pass.inserted.contains(Purchase.ID($0.transaction)) }
                .map { ExactString($0.transaction.originalID) })
        let ended = endedProducts
        let granted = Set(
            entitlements.entitlements.purchases.filter(\.isGranted).map { ExactString($0.productID) })
        // The current entitlements can have a purchase that the history lacks, or that was rejected there.
        let all = history.restored + history.known + pass.purchases.map(\.transaction)
        // Of a subscription, all renewals are one purchase.
        let found = Set(
            all.latestVersions().filter { transaction in
                let product = ExactString(transaction.productID)
                return switch transaction.kind {
                // One that was recorded before may be used up.
                case .consumable: !transaction.isRevoked && new.contains(ExactString(transaction.originalID))
                case .nonConsumable: !transaction.isRevoked && !ended.contains(product)
                default: granted.contains(product)
                }
            }.map { ExactString($0.originalID) })
        let restored = found.intersection(new.union(inserted))
        if !restored.isEmpty { return .restored(restored.count) }
        // What can be restored by another attempt is missing, so "everything" and "nothing" would not be true. What is rejected
        // for good is not missing from the rest.
        let unfinished = problems.first { $0.isRetryable } ?? pass.error
        if let unfinished { return .failed(unfinished) }
        if !found.isEmpty { return .alreadyRestored }
        return problems.first.map { .failed($0) } ?? .nothingFound
    }

    // MARK: Recorded purchases

    /// Returns the recorded one-time purchases that count, the latest first.
    ///
    /// They are verified and neither refunded nor removed from family sharing, and the store has not confirmed that it no
    /// longer lists them. Consumables and subscriptions are not among them. It works offline and while purchases are
    /// switched off.
    ///
    /// - Throws: ``PurchaseError`` with the ``DatabaseError`` as its cause.
    public func getActivePurchases() async throws(PurchaseError) -> [Purchase] {
        if entitlements.freshness == .notLoaded { await entitlements.refresh() }
        let ended = endedProducts
        return try await queryRecords { records throws(DatabaseError) in try await records.getAllPurchases() }.filter {
            $0.isVerified && !$0.isRevoked && $0.type == .nonConsumable && !ended.contains(ExactString($0.productID))
        }
    }

    /// Returns the recorded purchase with a transaction id, of any kind and state; nil if the user has none.
    ///
    /// The id is compared byte by byte. If several stores or environments have it, the latest purchase is returned.
    ///
    /// - Throws: ``PurchaseError`` with the ``DatabaseError`` as its cause.
    public func getPurchase(_ transactionID: String) async throws(PurchaseError) -> Purchase? {
        try await queryRecords { records throws(DatabaseError) in try await records.getAllPurchases() }.first {
            $0.id.transactionID.isIdentical(to: transactionID)
        }
    }

    /// The products of which the store has confirmed that it lists no purchase of the customer.
    private var endedProducts: Set<ExactString> {
        Set(entitlements.entitlements.denials.filter { $0.value == .notListedByStore }.keys.map(ExactString.init))
    }

    private func recordedPurchases() async -> [Purchase] { (try? await getActivePurchases()) ?? [] }

    private func queryRecords<Value: Sendable>(
        _ query: (any PurchaseRecords) async throws(DatabaseError) -> Value
    ) async throws(PurchaseError) -> Value {
        do throws(DatabaseError) {
            return try await query(records)
        } catch {
            throw failure(error)
        }
    }
}
