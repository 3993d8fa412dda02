internal import ReceiptTypes

extension PurchaseService {
    /// Buys one item of a product, without an offer.
    public func purchase(productID: String) async -> PurchaseResult {
        await purchase(productID: productID, options: PurchaseOptions())
    }

    /// Buys a product with options, as ``countedPurchase(productID:options:confirmation:)`` does.
    public func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult {
        await countedPurchase(productID: productID, options: options).result
    }

    /// Buys a product with options: the one purchase behind every way to buy.
    ///
    /// Its steps are: a recovery and the user can forbid it; what is pending or owned is answered; the limit counts it;
    /// the customer confirms; the store sells; the transaction is verified, recorded and handed over. A refused
    /// purchase fails with ``PurchaseFlowError/Code/recoveryInProgress``, or with
    /// ``PurchaseFlowError/Code/rateLimited`` and the ``RateLimitError`` as its cause. The account is added to options
    /// that name none.
    ///
    /// Concurrent callers for the same product and options share one purchase; any other call fails with
    /// ``PurchaseFlowError/Code/purchaseInProgress`` until the store has answered. Cancelling a caller does not cancel
    /// the purchase, because the customer may already have paid. A purchase that a former user has begun keeps no other
    /// user from buying.
    ///
    /// It returns within ``PurchaseDeadlines/purchaseMilliseconds``, counted from the confirmation, and leaves the time
    /// of a query for the refresh that follows. If the store has not answered, or the answer is not processed, the
    /// result is ``PendingReason/noAnswer``, and an answer that arrives later is processed like an update.
    ///
    /// The store is not asked to sell a product whose purchase is pending or paid and not recorded yet, a
    /// non-consumable that the customer owns, or a product that would repeat or change what another user of the app has
    /// bought in the same account of the store.
    public func countedPurchase(
        productID: String, options: PurchaseOptions, confirmation: PurchaseConfirmation?
    ) async -> PurchaseReport {
        var deadline = environment.timer.start(milliseconds: deadlines.saleMilliseconds)
        defer { deadline.cancel() }
        let options = options.completed(for: user)
        var isConfirmed = false
        while true {
            if let refusal = refusal(of: options) { return .notAsked(productID, .failed(refusal)) }
            if let running = sales.awaited(by: user) {
                guard let wait = saleWaits[running.number], running.productID.isIdentical(to: productID),
                    running.options == options
                else {
                    return .notAsked(productID, .failed(PurchaseFlowError.purchaseInProgress(running.productID)))
                }
                return await wait.task.value.shared
            }
            let (count, user, changes) = (sales.count, user, userChanges)
            // This verifies transactions, so the slot is not taken yet.
            let asksFirst = !isConfirmed && confirmation != nil
            let known = await sharingDeadline {
                await asksFirst
                    ? self.answerBeforeConfirmation(of: productID, by: user)
                    : self.answerWithoutSale(of: productID, by: user)
            }
            if let known { return known.notAsked }
            if !isConfirmed {
                do throws(PurchaseFlowError) {
                    try countCall(pacing?.purchases)
                    if let confirmation, try await !confirmation() { return .notAsked(productID, .userCancelled) }
                } catch {
                    return .notAsked(productID, .failed(error))
                }
                isConfirmed = true
            }
            if asksFirst {
                // The customer may have taken minutes, so everything is checked again.
                deadline.cancel()
                deadline = environment.timer.start(milliseconds: deadlines.saleMilliseconds)
                continue
            }
            let request: SaleRequest
            do throws(LedgerError) {
                request = try await saleRequest(productID, options, of: user)
            } catch {
                return notStarted(productID, error).notAsked
            }
            // Another caller can have bought the product since, or the user can have changed, so the checks are
            // repeated.
            guard sales.awaited(by: self.user) == nil, sales.count == count, changes == userChanges else { continue }
            return await begin(request, deadline).value
        }
    }

    /// Returns the reason that nothing is bought with these options now; nil if there is none.
    func refusal(of options: PurchaseOptions) -> PurchaseFlowError? {
        if pacing?.recovery.isLocked ?? false {
            return PurchaseFlowError(.recoveryInProgress, "a recovery of the purchases is in progress")
        }
        return switch user {
        case .noAccounts: nil
        case .signedOut: PurchaseFlowError(.signedOut, "no account is signed in")
        case .signedIn(let account) where options.appAccountToken == account: nil
        case .signedIn: PurchaseFlowError(.conflict, "the options name another account than the one signed in")
        }
    }

    func countCall(_ limiter: RateLimiter?) throws(PurchaseFlowError) {
        do throws(RateLimitError) {
            try limiter?.countCall()
        } catch {
            throw PurchaseFlowError(.rateLimited, error.message, underlying: error)
        }
    }

    /// Returns the answer for a purchase that is not started, because it could not be recorded.
    func notStarted(_ productID: String, _ error: LedgerError) -> PurchaseReport {
        logEvent(.ledgerFailed, productID, error: error)
        return PurchaseReport(
            productID, .failed(PurchaseFlowError(.ledgerUnavailable, error.message, underlying: error)))
    }

    private func saleRequest(
        _ productID: String, _ options: PurchaseOptions, of user: AppUser
    ) async throws(LedgerError) -> SaleRequest {
        let memory = try await ledger.memory()
        // Of all users and products: a transaction that is recorded for any of them is not a new sale.
        let entries = try await ledger.entries().filter { $0.stage >= .recorded }
        let deliveries = entries.map(\.transaction).filter { !$0.isAppReceipt }
        let inReceipts = await receiptPurchases(entries)
        // What this run could verify is kept, unless a verdict can change; the rest is not worth another deadline.
        let recorded =
            verifier.hasLastingVerdicts
            ? deliveries.map { intake.transaction(of: $0.signedText) }
            : await verifyAll(deliveries).map(\.verifiedPayload)
        // A verifier whose verdicts last decided when they were stored; one that was not is not worth a deadline.
        let renewals = await logFailure(productID) { () throws(LedgerError) in
            try await storedRenewalInfos(asksVerifier: !verifier.hasLastingVerdicts)
        }
        return SaleRequest(
            productID, options, of: user, beside: zip(deliveries, recorded), inReceipts, renewals?.infos ?? [],
            memory.clock, at: environment.clock(), deadlineMilliseconds: deadlines.purchaseMilliseconds)
    }

    private func begin(_ request: SaleRequest, _ deadline: Task<Void, Never>) -> Task<PurchaseReport, Never> {
        let request = sales.begin(request)
        let answer = FirstAnswer<Sales.Answer>()
        let task = Task { await self.buy(request, answer, deadline) }
        saleWaits[request.number] = SaleWait(answer: answer, task: task)
        return task
    }

    private func buy(
        _ request: SaleRequest, _ answer: FirstAnswer<Sales.Answer>, _ deadline: Task<Void, Never>
    ) async -> PurchaseReport {
        let first = await meter.measure(.sale, failure: \.failureCode) {
            await askToSell(request, answer, deadline)
        }
        // The slot is free when this returns.
        if case .nothing = first { return await process(first, of: request) }
        // It goes on after the deadline.
        let processing = Task { await self.process(first, of: request) }
        return await SystemTimer.value(of: processing, before: deadline)
            ?? PurchaseReport(request.productID, result: .deferred(.noAnswer))
    }

    private func process(_ first: Sales.Answer, of request: SaleRequest) async -> PurchaseReport {
        let productID = request.productID
        var delivery: SignedTransaction?
        defer {
            if let delivery { sales.noteReturn(of: delivery) }
            // Another answer is late, and its processing goes on.
            if case .store = first { sales.forgetAnswer(to: request) }
        }
        if case .store(.success(.success(let sold))) = first {
            delivery = sold
            sales.notePurchase(of: sold)
            // The entry exists before the slot is free, so the next caller finds the purchase. If it cannot be written,
            // the ingest tries again. While no account is signed in, there is no next caller, and the ingest decides
            // whether to write it.
            if self.user != .signedOut {
                await logFailure(productID, transactionID: sold.transactionID) {
                    [ledger] () throws(LedgerError) in
                    _ = try await ledger.observe(sold, from: .purchase, at: environment.clock())
                }
            }
        }
        sales.endWait(for: request)
        saleWaits[request.number] = nil
        switch first {
        case .delivered(let transaction):
            sales.take(transaction, for: request)
            return await meter.measure(.purchase, failure: \.result.failureCode) {
                await self.answer(with: transaction, requested: productID, isSale: true)
            }
        case .nothing:
            logEvent(
                .storeFailed, productID, detail: "no answer to the purchase within \(deadlines.saleMilliseconds) ms"
            )
            return PurchaseReport(productID, result: .deferred(.noAnswer))
        case .store(.success(.userCancelled)): return PurchaseReport(productID, result: .userCancelled)
        case .store(.success(let purchase)):
            return await meter.measure(.purchase, failure: \.result.failureCode) {
                await self.answer(with: purchase, to: request)
            }
        case .store(.failure(let error)):
            if error.code == .userCancelled { return PurchaseReport(productID, result: .userCancelled) }
            logEvent(.storeFailed, productID, error: error)
            return PurchaseReport(productID, result: .failed(error))
        }
    }

    /// Asks the store to sell, and returns the first of its answer, a delivery of the transaction, and the deadline.
    private func askToSell(
        _ request: SaleRequest, _ answer: FirstAnswer<Sales.Answer>, _ deadline: Task<Void, Never>
    ) async -> Sales.Answer {
        Task {
            let result: Result<StorePurchase, StoreError>
            do throws(StoreError) {
                result = .success(try await self.store.purchase(request.productID, options: request.options))
            } catch {
                result = .failure(error)
            }
            sales.noteAnswer(result, to: request)
            if await !answer.give(.store(result)) { await self.processLate(result, to: request) }
        }
        Task {
            await deadline.value
            await answer.give(.nothing)
        }
        return await answer.value()
    }

    /// Processes an answer that arrives after the wait for it has ended.
    private func processLate(_ result: Result<StorePurchase, StoreError>, to request: SaleRequest) async {
        switch result {
        case .success(let purchase):
            _ = await answer(with: purchase, to: request, isLate: true)
            sales.forgetAnswer(to: request)
        case .failure(let error): logEvent(.storeFailed, request.productID, error: error)
        }
    }

    /// Ends each wait for the store's answer that a recorded transaction answers.
    func endWaits(for transaction: Transaction, from source: DeliverySource, of owner: UUIDText?) async {
        for number in sales.sales(answeredBy: transaction, from: source, of: owner) {
            await saleWaits[number]?.answer.give(.delivered(transaction))
        }
    }
}

/// The wait for a sale, in which another call for the same product takes part.
struct SaleWait: Sendable {
    let answer: FirstAnswer<Sales.Answer>
    let task: Task<PurchaseReport, Never>
}

extension Sales.Answer {
    /// The code of the store's failure; nil for an answer and for a cancellation.
    fileprivate var failureCode: String? {
        switch self {
        case .store(.success), .delivered: nil
        case .store(.failure(let error)): StageMeter.code(of: error)
        case .nothing: PendingReason.noAnswer.name
        }
    }
}
