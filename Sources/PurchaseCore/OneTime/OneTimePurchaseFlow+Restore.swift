internal import ReceiptTypes

extension OneTimePurchaseFlow {
    // MARK: Restoring

    /// Fetches the store's complete history, records it, and says whether that has brought something back.
    ///
    /// It works while purchases are switched off. The store may ask for a password, so call it only after a tap on a
    /// restore button. A network error is repeated after growing pauses. Concurrent calls share one restore. What is
    /// recorded already is only updated, and a restore does not change whether the app's own server has acknowledged a
    /// purchase.
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
        let before: Set<Purchase.ID>
        let history: RestoredHistory
        do {
            try restores.countCall()
            before = Set(try await recordedPurchases().map(\.id))
            history = try await retry.run { [service] in try await service.requestAllPurchaseHistory() }
        } catch {
            // A part of the history can have arrived before the failure.
            await recorder.record()
            return OneTimeRestoreResult(outcome: .failed(restoreFailure(error)), purchases: await activePurchases())
        }
        await entitlements.refresh()
        let pass = await recorder.record(again: true)
        if let error = pass.userChange {
            return OneTimeRestoreResult(outcome: .failed(failure(error)))
        }
        let problems = RestoreProblems(history, pass) { failure($0) }
        let outcome = await outcome(of: history, pass, before, problems)
        return OneTimeRestoreResult(outcome: outcome, purchases: await activePurchases(), problems: problems.all)
    }

    /// Returns the error of a restore that the store has not answered.
    private func restoreFailure(_ error: any Error) -> PurchaseError {
        let isCancelled = (error as? StoreError)?.code == .userCancelled || error is CancellationError
        guard isCancelled else { return failure(error) }
        // Not logged, because the customer has closed the store's sheet.
        return PurchaseError(
            ErrorTable.restoreCancelled, "the customer has cancelled the restore", underlying: error,
            platform: platform, nativeErrorCode: nil, productID: nil)
    }

    private func outcome(
        of history: RestoredHistory, _ pass: PurchaseRecorder.Pass, _ before: Set<Purchase.ID>,
        _ problems: RestoreProblems
    ) async -> OneTimeRestoreResult.Outcome {
        /// The purchases with a transaction among some ids. Of a subscription, all renewals are one purchase.
        func purchases(in ids: Set<Purchase.ID>) -> Set<ExactString> {
            Set(pass.transactions.filter { ids.contains(Purchase.ID($0)) }.map { ExactString($0.originalID) })
        }
        let delivered = Set(history.restored.map { ExactString($0.id) })
        let found = Set(
            pass.transactions.latestVersions().filter { transaction in
                switch transaction.kind {
                // One that was delivered before may be used up.
                case .consumable: !transaction.isRevoked && delivered.contains(ExactString(transaction.id))
                case .nonConsumable:
                    !transaction.isRevoked
                        && !isEnded(transaction.id, transaction.productID, bought: transaction.purchaseDate)
                default: isGranted(transaction.id)
                }
            }.map { ExactString($0.originalID) })
        let known = purchases(in: before)
        let recorded = purchases(in: Set(((try? await recordedPurchases()) ?? []).map(\.id)))
        let restored = found.intersection(recorded).subtracting(known)
        if !restored.isEmpty { return .restored(restored.count) }
        // Something is missing, so "everything" and "nothing" would not be true.
        if let unfinished = problems.unfinished.first { return .failed(unfinished) }
        if !found.isEmpty, found.isSubset(of: known) { return .alreadyRestored }
        if let rejected = problems.rejected.first { return .failed(rejected) }
        let pending = (try? await service.pendingPurchases()) ?? []
        return pending.isEmpty ? .nothingFound : .failed(failure(VerificationFailure(code: .purchasePending)))
    }

    // MARK: Pending purchases

    /// Returns the purchases that await something outside of the app, such as an approval; nil if they cannot be read.
    public func pendingPurchases() async -> [PendingPurchase]? { try? await service.pendingPurchases() }

    /// Forgets a pending purchase, so that the product can be ordered again.
    ///
    /// Call it when the customer says that the purchase was declined or given up, which no store reports. If it is
    /// approved all the same, the customer has bought the product, and a second order is a second purchase.
    ///
    /// - Throws: ``PurchaseError`` with the ``LedgerError`` as its cause.
    public func forgetPendingPurchase(productID: String) async throws(PurchaseError) {
        do throws(LedgerError) {
            try await service.forgetPendingPurchase(productID: productID)
        } catch {
            throw failure(error, productID)
        }
    }

    // MARK: Recorded purchases

    /// Returns the recorded one-time purchases that count, the latest first.
    ///
    /// They are verified and neither refunded nor removed from family sharing, and the store has not confirmed that it
    /// no longer lists them. Consumables and subscriptions are not among them. It works offline and while purchases are
    /// switched off.
    ///
    /// - Throws: ``PurchaseError`` with the ``DatabaseError`` as its cause.
    public func getActivePurchases() async throws(PurchaseError) -> [Purchase] {
        if entitlements.freshness == .notLoaded { await entitlements.refresh() }
        return try await allPurchases().filter {
            $0.isVerified && !$0.isRevoked && $0.type == .nonConsumable
                && !isEnded($0.id.transactionID, $0.productID, bought: $0.purchasedAt)
        }
    }

    /// Returns the recorded purchase with a transaction id, of any kind and state; nil if the user has none.
    ///
    /// The id is compared byte by byte. If several stores or environments have it, the latest purchase is returned.
    ///
    /// - Throws: ``PurchaseError`` with the ``DatabaseError`` as its cause.
    public func getPurchase(_ transactionID: String) async throws(PurchaseError) -> Purchase? {
        do throws(DatabaseError) {
            return try await recordedPurchases(ofTransaction: transactionID).first
        } catch {
            throw failure(error)
        }
    }

    /// Returns whether a purchase that is not revoked is no longer in force, because the store does not list it.
    ///
    /// The entitlements have all purchases in force, and of each product the latest one that is not. A purchase that is
    /// later than those of its product is newer than the entitlements.
    private func isEnded(_ transactionID: String, _ productID: String, bought date: Timestamp) -> Bool {
        let entitlements = entitlements.entitlements
        let known = entitlements.purchases.filter {
            $0.productID.isIdentical(to: productID) && $0.purchaseDate >= date
        }
        // A product that the catalog does not know is in force and grants nothing.
        if known.isEmpty || entitlements.denials[productID] == .unknownProduct { return false }
        return !known.contains { $0.isGranted && $0.transactionID.isIdentical(to: transactionID) }
    }

    private func isGranted(_ transactionID: String) -> Bool {
        entitlements.entitlements.purchases.contains {
            $0.isGranted && $0.transactionID.isIdentical(to: transactionID)
        }
    }

    private func activePurchases() async -> [Purchase] { (try? await getActivePurchases()) ?? [] }

    private func allPurchases() async throws(PurchaseError) -> [Purchase] {
        do throws(DatabaseError) {
            return try await recordedPurchases()
        } catch {
            throw failure(error)
        }
    }
}

/// The reasons that purchases of a history are not recorded.
private struct RestoreProblems {
    /// The purchases are missing, and another attempt can restore them.
    let unfinished: [PurchaseError]
    /// What is rejected for good is not missing from the rest.
    let rejected: [PurchaseError]

    var all: [PurchaseError] { rejected + unfinished }

    init(_ history: RestoredHistory, _ pass: PurchaseRecorder.Pass, _ convert: (any Error) -> PurchaseError) {
        let notRecorded = LedgerError(.notWritten, "\(history.notRecorded) transactions are not recorded")
        let isUndecided: (VerificationFailure) -> Bool = { $0.isRetryable && $0.mayCountLater }
        unfinished =
            (history.notRecorded > 0 ? [convert(notRecorded)] : [])
            + pass.problems.filter { !$0.isLasting }.map { convert($0.error) }
            + history.rejected.filter(isUndecided).map(convert)
        rejected =
            history.rejected.filter { !isUndecided($0) }.map(convert)
            + pass.problems.filter(\.isLasting).map { convert($0.error) }
    }
}
