internal import ReceiptTypes

// What a purchase is answered with before the store is asked to sell.
extension PurchaseService {
    /// Returns the result that a purchase has without a sale; nil if the store has to be asked to sell.
    ///
    /// It is the result of a purchase that is pending or not recorded yet, of a non-consumable that the customer owns,
    /// and of one that the user cannot make. The store is asked for its list also if nothing is recorded, because the
    /// first refresh after an installation may not have ended. Its questions to the store have
    /// ``PurchaseDeadlines/queryMilliseconds`` together.
    public func resultWithoutSale(productID: String, options: PurchaseOptions) async -> PurchaseResult? {
        if let refusal = refusal(of: options.completed(for: user)) { return .failed(refusal) }
        return await sharingDeadline { await self.answerBeforeConfirmation(of: productID, by: user) }?.result
    }

    /// Returns the answer for a product that the customer is not asked to confirm; nil if the store has to sell.
    func answerBeforeConfirmation(of productID: String, by user: AppUser) async -> PurchaseReport? {
        if let answer = await answerWithoutSale(of: productID, by: user) { return answer }
        do {
            if try await isRecorded(productID) {
                // The store does not list it any more. The reason, such as a refund, is read before the next sale.
                try await askStore()
                return nil
            }
            return try await answerOfListedPurchase(productID)
        } catch {
            // The customer loses nothing that is recorded, and the store decides when it is asked to sell.
            logEvent(.storeFailed, productID, detail: "\(error)")
            return nil
        }
    }

    /// Returns the answer for a product that the store is not asked to sell; nil if it has to sell.
    ///
    /// The store decides about every other product: consumables can be bought again, and a subscription of the same
    /// group can be an upgrade. A purchase in the ledger may have been refunded since, so the store is asked for it.
    func answerWithoutSale(of productID: String, by user: AppUser) async -> PurchaseReport? {
        // First, because a ledger that cannot be read does not make a paid purchase one that was not started.
        if let open = await answerOfRetriedPurchase(productID, of: user) { return open }
        do throws(LedgerError) {
            if let pending = try await answerOfPendingPurchase(productID) { return pending }
            if let objection = try await objectionOfOwner(of: productID, to: user) {
                return PurchaseReport(productID, result: .failed(objection))
            }
            if let open = try await answerOfOpenPurchase(productID, of: user) { return open }
            guard try await isRecorded(productID) else { return nil }
        } catch {
            return notStarted(productID, error)
        }
        do throws(StoreError) {
            return try await answerOfListedPurchase(productID)
        } catch {
            logEvent(.storeFailed, productID, error: error)
            return PurchaseReport(productID, result: .failed(error))
        }
    }

    /// Returns the answer for a non-consumable that the store lists as the customer's own; nil if it lists none.
    private func answerOfListedPurchase(_ productID: String) async throws(StoreError) -> PurchaseReport? {
        let question = questions.last
        for listed in try await store.currentEntitlements() {
            let isNamed = listed.productID.isIdentical(to: productID)
            // A purchase of several products is delivered with the name of one of them.
            guard isNamed || listed.isPlay else { continue }
            switch await ingest(listed, from: .entitlement, in: question) {
            case .recorded(let transaction, _) where isOwned(transaction, productID):
                return await answer(with: transaction, requested: productID, isSale: false)
            // A purchase that the ledger cannot take is not sold again.
            case .notRecorded(let error) where isNamed: return notStarted(productID, error)
            case .recorded, .notRecorded, .unverified, .conflict: continue
            }
        }
        return nil
    }

    /// Returns the answer for a product whose purchase is pending, or has just been approved; nil if none is pending.
    ///
    /// The approval can have arrived while no listener was running, so what is unfinished is processed first.
    private func answerOfPendingPurchase(_ productID: String) async throws(LedgerError) -> PurchaseReport? {
        guard try await pendingPurchases().contains(where: { $0.productID.isIdentical(to: productID) }) else {
            return nil
        }
        do throws(StoreError) {
            for listed in try await store.unfinishedTransactions() where listed.productID.isIdentical(to: productID) {
                if case .recorded(let transaction, isNew: true) = await ingest(listed, from: .unfinished),
                    !transaction.isRevoked
                {
                    return await answer(with: transaction, requested: productID, isSale: true)
                }
            }
        } catch {
            logEvent(.storeFailed, productID, error: error)
        }
        // Another delivery can have ended the wait since.
        let isPending = try await pendingPurchases().contains { $0.productID.isIdentical(to: productID) }
        return isPending ? PurchaseReport(productID, result: .pending) : nil
    }

    private func isRecorded(_ productID: String) async throws(LedgerError) -> Bool {
        try await recordedTransactions().latestVersions().contains { isOwned($0, productID) }
    }

    private func isOwned(_ transaction: Transaction, _ productID: String) -> Bool {
        transaction.type == .nonConsumable && transaction.ownership == .purchased && !transaction.isRevoked
            && transaction.includes(productID)
    }
}

// MARK: - Purchases that are paid and not recorded

// A verifier or a ledger that fails leaves a purchase open. The store would sell the product once more.
extension PurchaseService {
    /// Returns the answer for a purchase of a product that waits for another attempt; nil if there is none.
    private func answerOfRetriedPurchase(_ productID: String, of user: AppUser) async -> PurchaseReport? {
        for retry in handOvers.unrecordedSales(of: productID, to: user) {
            let delivery = retry.subject.delivery
            let outcome = await ingest(delivery, from: retry.source, by: retry.buyer)
            if let open = await answer(forOpen: outcome, of: delivery, productID) { return open }
        }
        return nil
    }

    /// Returns the answer for a purchase of a product that the ledger has and has not recorded; nil if there is none.
    ///
    /// What only a list or the history has shown does not answer: it can be over for years. It is processed all the
    /// same, because it can be what the customer owns.
    private func answerOfOpenPurchase(
        _ productID: String, of user: AppUser
    ) async throws(LedgerError) -> PurchaseReport? {
        for entry in try await entries()
        where entry.stage < .recorded && entry.quarantineReason == nil
            && entry.transaction.productID.isIdentical(to: productID) && !entry.transaction.isAppReceipt
        {
            let retry = handOvers.retry(of: entry.transaction)
            guard retry?.isOf(user) ?? true else { continue }
            let outcome = await ingest(entry.transaction, from: entry.source, by: retry?.buyer)
            if entry.source.awaitsFinish, let open = await answer(forOpen: outcome, of: entry.transaction, productID) {
                return open
            }
            // One after the other, each entry would take the deadline of a verifier that does not answer.
            if outcome.hasTimedOut { return nil }
        }
        return nil
    }

    /// Returns the answer for a purchase that was paid before; nil if the outcome leaves nothing open.
    private func answer(
        forOpen outcome: Intake.Outcome, of delivery: SignedTransaction, _ productID: String
    ) async -> PurchaseReport? {
        switch outcome {
        // What the store has refunded since is bought anew.
        case .recorded(let transaction, isNew: true)
        where transaction.includes(productID) && !transaction.isRevoked:
            // The call that has paid still waits, or was told that the purchase is pending.
            let isShared = sales.isShared(transaction)
            let purchase = await answer(with: transaction, requested: productID, isSale: true)
            return isShared ? purchase.shared : purchase
        case .unverified(let failure) where failure.isRetryable && failure.code != .purchasePending:
            return PurchaseReport(productID, result: .deferred(.unverified(failure)))
        case .notRecorded(let error):
            // A refund that cannot be recorded is no purchase, and until it is, the product is not sold again.
            if case .verified(let transaction) = await verify(delivery), transaction.isRevoked {
                return notStarted(productID, error)
            }
            return PurchaseReport(productID, result: .deferred(.notRecorded))
        case .recorded, .unverified, .conflict: return nil
        }
    }
}

extension SignedTransaction {
    /// Whether this is a purchase of Google Play.
    fileprivate var isPlay: Bool { if case .play = content { true } else { false } }
}
