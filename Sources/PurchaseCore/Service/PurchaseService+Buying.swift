internal import ReceiptTypes

/// A sale that the store was asked for. A purchase of another product has to wait until the store answers.
struct PurchaseSlot: Sendable {
    let number: Int
    let productID: String
    let options: PurchaseOptions
    /// The user that has begun the purchase.
    let user: AppUser
    /// The time by the device's clock at which the store was asked.
    let start: Timestamp
    let answer: FirstAnswer<SaleAnswer>
    let task: Task<PurchaseResult, Never>

    /// Returns whether a transaction is of the product that is sold.
    func sells(_ transaction: Transaction) -> Bool { productID.isIdentical(to: transaction.productID) }

    /// Returns whether a transaction answers the question to the store as well as the store's own answer does.
    ///
    /// Another device of the customer can have bought the product meanwhile. A non-consumable or a subscription is then
    /// owned all the same; of a consumable, the customer gets one for each answer.
    func isAnswered(by transaction: Transaction) -> Bool {
        sells(transaction) && transaction.kind != .consumable && transaction.purchaseDate >= start
            && transaction.appAccountToken == options.appAccountToken && transaction.quantity == options.quantity
            && transaction.ownership == .purchased && !transaction.isRevoked
    }
}

/// The event that ends the wait for a store's answer.
enum SaleAnswer: Sendable {
    /// The store has answered.
    case store(Result<StorePurchase, StoreError>)
    /// The transaction has arrived another way, such as an update, before the answer.
    case delivered(Transaction)
    /// The deadline has passed.
    case nothing

    /// The code of the store's failure; nil for an answer and for a cancellation.
    var failureCode: String? {
        switch self {
        case .store(.success), .delivered: nil
        case .store(.failure(let error)): StageMeter.code(of: error)
        case .nothing: PendingReason.noAnswer.name
        }
    }
}

extension PurchaseService {
    /// Buys one item of a product, without an offer.
    public func purchase(productID: String) async -> PurchaseResult {
        await purchase(productID: productID, options: PurchaseOptions())
    }

    /// Buys a product with options. The service's account is added to options that name none.
    ///
    /// Concurrent callers for the same product and options share one purchase; any other call fails with
    /// ``PurchaseFlowError/Code/purchaseInProgress`` until the store has answered. Cancelling a caller does not cancel the
    /// purchase, because the customer may already have paid. If the store does not answer within
    /// ``PurchaseDeadlines/purchase``, the result is ``PendingReason/noAnswer``, and an answer that arrives later is
    /// processed like an update.
    ///
    /// The store is not asked to sell a product whose purchase is pending, a non-consumable that the customer owns, or a
    /// product that would repeat or change what another user of the app has bought in the same account of the store.
    public func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult {
        let options = options.completed(for: user)
        while true {
            if let error = objection(to: options, of: user) { return .failed(error) }
            if let slot {
                guard slot.productID.isIdentical(to: productID), slot.options == options else {
                    return .failed(PurchaseFlowError.purchaseInProgress(slot.productID))
                }
                return await slot.task.value
            }
            let (number, user) = (lastSlot, user)
            // This verifies transactions, so the slot is not taken yet.
            if let result = await resultWithoutSale(of: productID, by: user) { return result }
            // Another caller can have bought the product since, or the user can have changed, so the checks are repeated.
            guard slot == nil, lastSlot == number, user == self.user else { continue }
            return await openSlot(for: productID, options, user).value
        }
    }

    /// Returns the result that a purchase has without a sale; nil if the store has to be asked to sell.
    ///
    /// It is the result of a purchase that is pending, of a non-consumable that the customer owns, and of one that the user
    /// cannot make. The store is asked for its list also if nothing is recorded, because the first refresh after an
    /// installation may not have ended.
    public func resultWithoutSale(productID: String, options: PurchaseOptions) async -> PurchaseResult? {
        if let error = objection(to: options.completed(for: user), of: user) { return .failed(error) }
        if let result = await resultWithoutSale(of: productID, by: user) { return result }
        do {
            if try await isRecorded(productID) {
                // The store does not list it any more. The reason, such as a refund, is read before the next sale.
                try await askStore()
                return nil
            }
            return try await resultOfListedPurchase(productID)
        } catch {
            // The customer loses nothing that is recorded, and the store decides when it is asked to sell.
            logEvent(.storeFailed, productID, detail: "\(error)")
            return nil
        }
    }

    /// Returns the reason that a user cannot buy with these options; nil if there is none.
    private func objection(to options: PurchaseOptions, of user: AppUser) -> PurchaseFlowError? {
        switch user {
        case .noAccounts: nil
        case .signedOut: PurchaseFlowError(.signedOut, "no account is signed in")
        case .signedIn(let account) where options.appAccountToken == account: nil
        case .signedIn: PurchaseFlowError(.conflict, "the options name another account than the one signed in")
        }
    }

    private func openSlot(
        for productID: String, _ options: PurchaseOptions, _ user: AppUser
    ) -> Task<PurchaseResult, Never> {
        lastSlot += 1
        let number = lastSlot
        let answer = FirstAnswer<SaleAnswer>()
        let task = Task { await self.buy(productID, options, of: user, answer, slot: number) }
        slot = PurchaseSlot(
            number: number, productID: productID, options: options, user: user, start: clock(), answer: answer,
            task: task)
        return task
    }

    private func closeSlot(_ number: Int) {
        if slot?.number == number { slot = nil }
    }

    private func buy(
        _ productID: String, _ options: PurchaseOptions, of user: AppUser, _ answer: FirstAnswer<SaleAnswer>,
        slot number: Int
    ) async -> PurchaseResult {
        let first = await meter.measure(.sale, failure: \.failureCode) {
            await askToSell(productID, options, of: user, answer)
        }
        if case .store(.success(.success(let delivery))) = first {
            // The entry exists before the slot is free, so the next caller finds the purchase. If it cannot be written,
            // the ingest tries again.
            await logFailure(productID, transactionID: delivery.transactionID) { [journal] () throws(JournalError) in
                _ = try await journal.observe(delivery, from: .purchase, at: clock())
            }
        }
        closeSlot(number)
        switch first {
        case .delivered(let transaction):
            return await meter.measure(.purchase, failure: \.failureCode) {
                await result(of: transaction, requested: productID, isSale: true)
            }
        case .nothing:
            logEvent(
                .storeFailed, productID, detail: "no answer to the purchase within \(deadlines.purchaseMilliseconds) ms"
            )
            return .deferred(.noAnswer)
        case .store(.success(.userCancelled)): return .userCancelled
        case .store(.success(let purchase)):
            return await meter.measure(.purchase, failure: \.failureCode) {
                await result(of: purchase, requested: productID, by: user, slot: number)
            }
        case .store(.failure(let error)):
            if error.code == .userCancelled { return .userCancelled }
            logEvent(.storeFailed, productID, error: error)
            return .failed(error)
        }
    }

    /// Asks the store to sell, and returns the first of its answer, a delivery of the transaction, and the deadline.
    private func askToSell(
        _ productID: String, _ options: PurchaseOptions, of user: AppUser, _ answer: FirstAnswer<SaleAnswer>
    ) async -> SaleAnswer {
        Task {
            let result: Result<StorePurchase, StoreError>
            do throws(StoreError) {
                result = .success(try await self.store.purchase(productID, options: options))
            } catch {
                result = .failure(error)
            }
            if await !answer.give(.store(result)) { await self.processLate(result, productID, of: user) }
        }
        let deadline = timer.start(milliseconds: deadlines.purchaseMilliseconds)
        Task {
            await deadline.value
            await answer.give(.nothing)
        }
        let first = await answer.value()
        deadline.cancel()
        return first
    }

    /// Processes an answer that arrives after the wait for it has ended.
    private func processLate(
        _ result: Result<StorePurchase, StoreError>, _ productID: String, of user: AppUser
    ) async {
        switch result {
        case .success(.success(let delivery)):
            let outcome = await ingest(delivery, from: .purchase, by: user)
            if case .recorded(let transaction, _) = outcome, transaction.isPlaySubscription {
                _ = await planChange(to: productID, answeredBy: transaction)
            }
            notifyHandlers(of: outcome)
        case .success(.pending): await recordPendingPurchase(productID, of: user.account)
        case .success(.userCancelled): break
        case .failure(let error): logEvent(.storeFailed, productID, error: error)
        }
    }

    /// Ends the wait for the store's answer if a transaction that was not recorded before is the one it was asked for.
    func endWait(for transaction: Transaction, _ entry: JournalEntry, of owner: UUIDText?) async {
        guard let slot, slot.user.mayOwn(owner), entry.source != .purchase, slot.isAnswered(by: transaction)
        else { return }
        await slot.answer.give(.delivered(transaction))
    }
}

// MARK: - Results

extension PurchaseService {
    private func result(
        of purchase: StorePurchase, requested productID: String, by user: AppUser, slot number: Int
    ) async -> PurchaseResult {
        switch purchase {
        case .userCancelled: return .userCancelled
        case .pending:
            // It is noted before the statuses are read: an approval that arrives while the store answers ends it.
            await recordPendingPurchase(productID, of: user.account)
            // A store can also answer so when it accepts a change of plan.
            if case .success(let change?) = await planChange(to: productID) {
                await removePendingPurchase(productID, of: user.account)
                return .deferred(change)
            }
            return .pending
        case .success(let delivery):
            switch await ingest(delivery, from: .purchase, by: user) {
            case .recorded(let transaction, _):
                // Also recorded since the store was asked if an update was faster than the answer. A transaction that
                // another service over this journal has recorded is new if it is of a consumable.
                let isSale =
                    salesBeforeRecording[ExactString(transaction.id)].map { $0 >= number }
                    ?? (transaction.kind == .consumable)
                return await result(of: transaction, requested: productID, isSale: isSale)
            // It is recorded as a pending purchase.
            case .unverified(let failure) where failure.code == .purchasePending: return .pending
            case .unverified(let failure) where failure.isRetryable: return .deferred(.unverified(failure))
            case .unverified(let failure):
                return .failed(PurchaseFlowError.unverified(failure))
            case .conflict(let transaction, .belongsToAnotherAccount)
            where user != self.user && (transaction.appAccountToken ?? user.account) == user.account:
                return .deferred(.awaitingSignIn)
            case .conflict(_, let conflict):
                return .failed(PurchaseFlowError(.conflict, conflict.failure.message, underlying: conflict.failure))
            case .notRecorded: return .deferred(.notRecorded)
            }
        }
    }

    /// Returns the result for a recorded transaction.
    ///
    /// - Parameter isSale: Whether the transaction was recorded for the first time after the store was asked. A store also
    ///   answers with the transaction of an earlier sale, for example when a planned change of plan is cancelled.
    private func result(
        of transaction: Transaction, requested productID: String, isSale: Bool
    ) async -> PurchaseResult {
        let playChange =
            transaction.isPlaySubscription ? await planChange(to: productID, answeredBy: transaction) : nil
        guard transaction.productID.isIdentical(to: productID) else {
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
        guard await isHandedOver(transaction.purchaseKey) else {
            notHandedOver[ExactString(productID)] = transaction.purchaseKey
            return .deferred(.notHandedOver)
        }
        return isSale ? .success(verified: true) : .alreadyOwned
    }

    /// Returns whether a subscription's period was over, or upgraded, when the store signed it.
    ///
    /// Only the store's signatures decide: the device's clock can run ahead, and the customer has paid.
    private func hasEnded(_ transaction: Transaction) async -> Bool {
        let memory = await memoryOrLog() ?? JournalMemory()
        let signed = max(transaction.signedDate, memory.clock.signed ?? transaction.signedDate)
        var renewal: RenewalInfo?
        if case .denied(.expired) = transaction.standing(at: signed) {
            // The store also grants a period that has expired, during a billing grace period.
            let stored = await logFailure { () throws(JournalError) in try await storedRenewalInfos() }
            renewal = stored?.infos.last { $0.originalTransactionID.isIdentical(to: transaction.originalID) }
            // The one that is missing can be about this subscription.
            if renewal == nil, stored?.isDecided != true { return false }
        }
        switch transaction.standing(at: signed, renewal: renewal) {
        case .denied(.expired), .denied(.billingRetry), .denied(.upgraded): return true
        default: return false
        }
    }

    /// Returns the reason for a product that a current subscription changes to with its next renewal.
    ///
    /// The store's answer to an accepted downgrade or crossgrade is the transaction of the present period, or none; only
    /// the signed renewal info shows that it was accepted.
    private func planChange(to productID: String) async -> Result<PendingReason?, StoreError> {
        let statuses: [SignedSubscriptionStatus]
        do throws(StoreError) {
            statuses = try await store.subscriptionStatuses()
        } catch {
            logEvent(.storeFailed, productID, error: error)
            return .failure(error)
        }
        for status in statuses { _ = await ingest(status) }
        let now = await currentTime()
        let recorded = await logFailure(productID) { () throws(JournalError) in try await recordedTransactions() }
        let transactions = (recorded ?? []).latestVersions()
        var isDecided = true
        for status in statuses where status.renewalInfoObjection == nil {
            let result = await verify(renewalInfo: status.renewalInfoJWS)
            if let failure = result.failure, failure.mayCountLater { isDecided = false }
            guard let info = result.verifiedPayload, info.willAutoRenew,
                info.autoRenewProductID?.isIdentical(to: productID) ?? false
            else { continue }
            let periods = transactions.filter {
                $0.originalID.isIdentical(to: info.originalTransactionID)
                    && !$0.productID.isIdentical(to: productID) && $0.standing(at: now, renewal: info).isInForce
            }
            guard let end = periods.compactMap(\.expiresDate).max() else { continue }
            return .success(.changesAtRenewal(productID: productID, date: end))
        }
        // Without the renewal info it is not known what the store has accepted.
        return isDecided ? .success(nil) : .failure(StoreError(.system, "a renewal info cannot be verified now"))
    }

    /// Returns the result for a product that the store is not asked to sell; nil if it has to sell.
    ///
    /// The store decides about every other product: consumables can be bought again, and a subscription of the same group can
    /// be an upgrade. A purchase in the journal can have been refunded since, so the store is asked for it.
    private func resultWithoutSale(of productID: String, by user: AppUser) async -> PurchaseResult? {
        do throws(JournalError) {
            if let pending = try await resultOfPendingPurchase(productID) { return pending }
            if let objection = try await objectionOfOwner(of: productID, to: user) { return .failed(objection) }
            // The answer to an earlier purchase, which can still be in verification.
            for entry in try await journal.entries()
            where entry.stage < .recorded && entry.quarantineReason == nil
                && entry.transaction.productID.isIdentical(to: productID)
            {
                _ = await ingest(entry.transaction, from: entry.source)
            }
            guard try await isRecorded(productID) else { return nil }
        } catch {
            // A purchase that could not be recorded is not started.
            logEvent(.journalFailed, productID, error: error)
            return .failed(PurchaseFlowError(.journalUnavailable, error.message, underlying: error))
        }
        do throws(StoreError) {
            return try await resultOfListedPurchase(productID)
        } catch {
            logEvent(.storeFailed, productID, error: error)
            return .failed(error)
        }
    }

    /// Returns the result for a non-consumable that the store lists as the customer's own; nil if it lists none.
    private func resultOfListedPurchase(_ productID: String) async throws(StoreError) -> PurchaseResult? {
        let question = lastQuestion
        for listed in try await store.currentEntitlements() where listed.productID.isIdentical(to: productID) {
            if case .recorded(let transaction, _) = await ingest(listed, from: .entitlement, in: question),
                isOwned(transaction, productID)
            {
                return await result(of: transaction, requested: productID, isSale: false)
            }
        }
        return nil
    }

    /// Returns the result for a product whose purchase is pending, or has just been approved; nil if none is pending.
    ///
    /// The approval can have arrived while no listener was running, so what is unfinished is processed first.
    private func resultOfPendingPurchase(_ productID: String) async throws(JournalError) -> PurchaseResult? {
        guard try await pendingPurchases().contains(where: { $0.productID.isIdentical(to: productID) }) else {
            return nil
        }
        do throws(StoreError) {
            for listed in try await store.unfinishedTransactions() where listed.productID.isIdentical(to: productID) {
                if case .recorded(let transaction, isNew: true) = await ingest(listed, from: .unfinished) {
                    return await result(of: transaction, requested: productID, isSale: true)
                }
            }
        } catch {
            logEvent(.storeFailed, productID, error: error)
        }
        // Another delivery can have ended the wait since.
        let isPending = try await pendingPurchases().contains { $0.productID.isIdentical(to: productID) }
        return isPending ? .pending : nil
    }

    private func isRecorded(_ productID: String) async throws(JournalError) -> Bool {
        try await recordedTransactions().latestVersions().contains { isOwned($0, productID) }
    }

    private func isOwned(_ transaction: Transaction, _ productID: String) -> Bool {
        transaction.type == .nonConsumable && transaction.ownership == .purchased && !transaction.isRevoked
            && transaction.productID.isIdentical(to: productID)
    }
}

extension PurchaseOptions {
    /// Returns the options with the user's account if they name none.
    fileprivate func completed(for user: AppUser) -> PurchaseOptions {
        var options = self
        options.appAccountToken = appAccountToken?.lowercased ?? user.account
        return options
    }
}
