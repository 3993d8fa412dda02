internal import ReceiptTypes

// What the store's answer to a purchase means.
extension PurchaseService {
    /// Processes the store's answer, and returns what it means.
    ///
    /// - Parameter isLate: Whether the caller has gone, so that only the listeners learn that a delivery is rejected.
    func answer(
        with purchase: StorePurchase, to request: SaleRequest, isLate: Bool = false
    ) async -> PurchaseReport {
        switch purchase {
        case .userCancelled: return PurchaseReport(request.productID, result: .userCancelled)
        case .pending:
            let account = request.user.account
            // It is noted before the statuses are read: an approval that arrives while the store answers ends it.
            await recordPendingPurchase(request.productID, of: account)
            // A store can also answer so when it accepts a change of plan.
            if case .success(let change?) = await planChange(to: request.productID) {
                await removePendingPurchase(request.productID, of: account)
                return PurchaseReport(request.productID, result: .deferred(change))
            }
            return PurchaseReport(request.productID, result: .pending)
        case .success(let delivery):
            let outcome = await ingest(delivery, from: .purchase, by: request.user)
            if isLate { notifyHandlers(of: outcome) }
            if let transaction = outcome.recorded {
                // The store can answer one user with what another one has bought meanwhile.
                if let buyer = request.user.account, let owner = await recordedOwner(of: transaction), owner != buyer {
                    return PurchaseReport(
                        request.productID, .failed(Self.conflictError(.belongsToAnotherAccount)))
                }
                return await answer(
                    with: transaction, requested: request.productID, isSale: request.isSale(transaction),
                    to: request)
            }
            // The store has answered with an earlier purchase, so this one has cost nothing.
            if case .notRecorded(let error) = outcome, case .verified(let transaction) = await verify(delivery),
                !request.isSale(transaction)
            {
                return notStarted(request.productID, error)
            }
            return PurchaseReport(
                request.productID, result: await result(ofUnrecorded: outcome, by: request.user))
        }
    }

    private func result(ofUnrecorded outcome: Intake.Outcome, by user: AppUser) async -> PurchaseResult {
        if case .conflict(let transaction, .belongsToAnotherAccount) = outcome, user != self.user,
            await recordedOwner(of: transaction).map({ $0 == user.account }) ?? true
        {
            // It is kept until the user signs in again.
            return .deferred(.awaitingSignIn)
        }
        return switch outcome {
        case .unverified(let failure): PurchaseResult(unverified: failure)
        case .conflict(_, let conflict):
            .failed(Self.conflictError(conflict))
        case .notRecorded, .recorded: .deferred(.notRecorded)
        }
    }

    private static func conflictError(_ conflict: RecordConflict) -> PurchaseFlowError {
        PurchaseFlowError(.conflict, conflict.failure.message, underlying: conflict.failure)
    }

    /// Returns the account that a transaction is recorded for; nil if there is none, or if the ledger fails.
    private func recordedOwner(of transaction: Transaction) async -> UUIDText? {
        if let account = transaction.appAccountToken { return account }
        let owner = await logFailure(transaction.productID) { () throws(LedgerError) in
            try await self.owner(ofRecorded: transaction)
        }
        return owner ?? nil
    }

    /// Returns the answer for a recorded transaction.
    ///
    /// - Parameter isSale: Whether the transaction was sold in this purchase, and not recorded before the store was
    ///   asked.
    /// - Parameter request: The question to the store; nil if it was not asked.
    func answer(
        with transaction: Transaction, requested productID: String, isSale: Bool, to request: SaleRequest? = nil
    ) async -> PurchaseReport {
        var report = PurchaseReport(
            productID, result: await result(of: transaction, requested: productID, isSale: isSale, request),
            transactionID: transaction.id)
        if !isSale, report.outcome == .pending(.notHandedOver) { report.sale = .notSold }
        return report
    }

    private func result(
        of transaction: Transaction, requested productID: String, isSale: Bool, _ request: SaleRequest?
    ) async -> PurchaseResult {
        let playChange =
            transaction.isPlaySubscription ? await planChange(to: productID, answeredBy: transaction) : nil
        guard transaction.includes(productID) else {
            if transaction.kind == .autoRenewable {
                let change = if let playChange { playChange } else { await planChange(to: productID) }
                switch change {
                case .success(let change?): return .deferred(change)
                case .success(nil): break
                // Without the status it is not known what the store has accepted.
                case .failure: return .deferred(.noAnswer)
                }
            }
            return .failed(
                PurchaseFlowError(
                    .differentProduct, "the store sold \(transaction.productID) instead of \(productID)"))
        }
        guard !transaction.isRevoked else {
            return .failed(PurchaseFlowError(.revoked, "the store has refunded the purchase"))
        }
        if await hasEnded(transaction) {
            return .failed(
                PurchaseFlowError(.notInForce, "the store has answered with a purchase that has already ended"))
        }
        guard await isHandedOver(transaction.purchaseKey, isBuyer: true) else {
            handle(.reported(transaction))
            return .deferred(.notHandedOver)
        }
        if isSale { return .success(verified: true) }
        return await changedRenewal(of: transaction, by: request).map { .deferred($0) } ?? .alreadyOwned
    }

    /// Returns what a purchase of the present plan, which has sold nothing, has changed about the next renewal.
    private func changedRenewal(of transaction: Transaction, by request: SaleRequest?) async -> PendingReason? {
        guard let request, request.mayChangeRenewal(of: transaction) else { return nil }
        do throws(StoreError) {
            return request.changedRenewal(of: transaction, try await ingestSubscriptionStatuses().infos)
        } catch {
            logEvent(.storeFailed, transaction.productID, error: error)
            return nil
        }
    }

    /// Returns whether a subscription's period was over, or upgraded, when the store signed it.
    private func hasEnded(_ transaction: Transaction) async -> Bool {
        let memory = await memoryOrLog() ?? LedgerMemory()
        let signed = max(transaction.signedDate, memory.clock.signed ?? transaction.signedDate)
        var renewal: RenewalInfo?
        if case .denied(.expired) = transaction.standing(at: signed) {
            // The store also grants a period that has expired, during a billing grace period.
            let stored = await logFailure { () throws(LedgerError) in try await storedRenewalInfos() }
            renewal = stored?.infos.last { $0.originalTransactionID.isIdentical(to: transaction.originalID) }
            // The one that is missing can be about this subscription.
            if renewal == nil, stored?.isDecided != true { return false }
        }
        return transaction.hasEnded(at: signed, renewal: renewal)
    }

    /// Returns the reason for a product that a current subscription changes to with its next renewal.
    private func planChange(to productID: String) async -> Result<PendingReason?, StoreError> {
        let statuses: RenewalStates
        do throws(StoreError) {
            statuses = try await ingestSubscriptionStatuses()
        } catch {
            logEvent(.storeFailed, productID, error: error)
            return .failure(error)
        }
        let now = await currentTime()
        let recorded = await logFailure(productID) { () throws(LedgerError) in try await recordedTransactions() }
        if let change = statuses.infos.planChange(
            to: productID, of: (recorded ?? []).latestVersions(), at: now)
        {
            return .success(change)
        }
        // Without the renewal info it is not known what the store has accepted.
        return statuses.isDecided
            ? .success(nil) : .failure(StoreError(.system, "a renewal info cannot be verified now"))
    }
}
