internal import ReceiptTypes

extension OneTimePurchaseFlow {
    // MARK: Restoring

    /// Fetches the store's complete history, records it, and says whether that has brought something back.
    ///
    /// It works while purchases are switched off. The store may ask for a password, so call it only after a tap on a
    /// restore button. A network error is repeated after growing pauses. Concurrent calls share one restore. What is
    /// recorded already is only updated, and a restore does not change whether the app's own server has acknowledged a
    /// purchase.
    ///
    /// It returns within ``PurchaseDeadlines/synchronizationMilliseconds``; a store that has not answered by then has
    /// failed with ``StoreErrorCode/timedOut``. What it brings later is recorded all the same.
    public func restorePurchases() async -> OneTimeRestoreResult {
        let restore = runningRestore ?? startRestore()
        let milliseconds = deadlines.synchronizationMilliseconds
        if let result = await environment.timer.value(of: restore, within: milliseconds) { return result }
        // The next tap starts anew.
        if runningRestore == restore { endRestore() }
        let error = StoreError(.timedOut, "the restore did not end within \(milliseconds) ms")
        return OneTimeRestoreResult(outcome: .failed(failure(error)))
    }

    private func startRestore() -> Task<OneTimeRestoreResult, Never> {
        showRestore(true)
        restoreCount += 1
        let number = restoreCount
        let task = Task {
            let result = await self.restore()
            if self.restoreCount == number { self.endRestore() }
            return result
        }
        runningRestore = task
        return task
    }

    private func endRestore() {
        runningRestore = nil
        showRestore(false)
    }

    private func restore() async -> OneTimeRestoreResult {
        let before: Set<Purchase.ID>
        let history: RestoredHistory
        do {
            before = Set(try await recordedPurchases().map(\.id))
            history = try await retry.run { [service] in try await service.requestAllPurchaseHistory() }
        } catch {
            return OneTimeRestoreResult(outcome: .failed(restoreFailure(error)), purchases: await activePurchases())
        }
        await entitlements.refresh()
        do throws(LedgerError) {
            guard let undecided = try await service.reviewPurchases(of: records.user) else {
                let error = PurchaseFlowError(.conflict, "another user is signed in than the one of the records")
                return OneTimeRestoreResult(outcome: .failed(failure(error)))
            }
            let problems = RestoreProblems(history, undecided) { failure($0) }
            let outcome = await outcome(of: history, before, problems)
            return OneTimeRestoreResult(outcome: outcome, purchases: await activePurchases(), problems: problems.all)
        } catch {
            return OneTimeRestoreResult(outcome: .failed(failure(error)), purchases: await activePurchases())
        }
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
        of history: RestoredHistory, _ before: Set<Purchase.ID>, _ problems: RestoreProblems
    ) async -> OneTimeRestoreResult.Outcome {
        let transactions = history.restored + history.known
        let originals = Dictionary(
            transactions.map { (ExactString($0.id), ExactString($0.originalID)) },
            uniquingKeysWith: { first, _ in first })
        /// The id of a purchase, which is the same for all renewals of a subscription.
        func original(_ id: Purchase.ID) -> ExactString {
            originals[ExactString(id.transactionID)] ?? ExactString(id.transactionID)
        }
        let delivered = Set(history.restored.map { ExactString($0.id) })
        let found = Set(
            ((try? await recordedPurchases()) ?? []).filter { purchase in
                guard purchase.isVerified else { return false }
                switch purchase.type {
                // One that was delivered before may be used up.
                case .consumable:
                    return !purchase.isRevoked && delivered.contains(ExactString(purchase.id.transactionID))
                case .nonConsumable:
                    return !purchase.isRevoked
                        && !isEnded(purchase.id.transactionID, purchase.productID, bought: purchase.purchasedAt)
                default: return isGranted(purchase.id.transactionID)
                }
            }.map { original($0.id) })
        let known = Set(before.map(original))
        let restored = found.subtracting(known)
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

    init(
        _ history: RestoredHistory, _ undecided: [UnverifiedPurchase], _ convert: (any Error) -> PurchaseError
    ) {
        let notRecorded = LedgerError(.notWritten, "\(history.notRecorded) transactions are not recorded")
        let isUndecided: (VerificationFailure) -> Bool = { $0.isRetryable && $0.mayCountLater }
        unfinished =
            (history.notRecorded > 0 ? [convert(notRecorded)] : []) + undecided.map { convert($0.failure) }
            + history.rejected.filter(isUndecided).map(convert)
        rejected = history.rejected.filter { !isUndecided($0) }.map(convert)
    }
}
