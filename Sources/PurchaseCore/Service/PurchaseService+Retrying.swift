internal import ReceiptTypes

/// The identity of a retry: a delivery that is not recorded, or a recorded state of a transaction.
///
/// A store signs a transaction again whenever it delivers it, so the JWS does not identify a retry.
struct RetryKey: Sendable, Hashable {
    private let transactionID: ExactString
    /// Nil for a delivery that is not recorded.
    private let facts: ExactString?

    init(_ delivery: SignedTransaction) {
        transactionID = ExactString(delivery.transactionID)
        facts = nil
    }

    init(_ transaction: Transaction) {
        transactionID = ExactString(transaction.id)
        facts = ExactString(transaction.facts)
    }
}

/// A delivery that was not verified, not recorded or not handed over and is processed again.
struct Retry: Sendable {
    let number: Int
    var delivery: SignedTransaction
    var source: DeliverySource
    /// The user that made the purchase, if the delivery is the answer to one.
    let buyer: AppUser?
    /// The transaction, if the delivery is recorded.
    var transaction: Transaction?
    let failures: Int
    let wait: Task<Void, Never>
    /// Whether its turn has come while another user was signed in.
    var isDue = false

    /// The pauses before the next attempt: five seconds, doubled after each failure, at most two minutes.
    static let schedule = BackoffSchedule(firstMilliseconds: 5_000, longestMilliseconds: 120_000, jitterPercent: 0)

    /// Returns whether the purchase is the user's, as far as is known.
    func isOf(_ user: AppUser) -> Bool { buyer?.account.map { user.mayOwn($0) } ?? true }
}

extension PurchaseService {
    /// Processes a delivery again after a pause, which grows with each failure. The process keeps trying while it runs.
    func retryLater(
        _ delivery: SignedTransaction, from source: DeliverySource, by buyer: AppUser?, _ transaction: Transaction?
    ) {
        let known = retries.first {
            // The ids are compared first, because the signed texts of thousands of retries begin alike.
            $0.value.delivery.transactionID.isIdentical(to: delivery.transactionID)
                && $0.value.delivery.signedText.isIdentical(to: delivery.signedText)
        }?.key
        let key = transaction.map(RetryKey.init) ?? known ?? RetryKey(delivery)
        let earlier = retries[key]
        earlier?.wait.cancel()
        let failures = (earlier?.failures ?? 0) + 1
        lastRetry += 1
        let number = lastRetry
        let wait = timer.start(milliseconds: Retry.schedule.pauseMilliseconds(afterFailures: failures, random: 0))
        let awaitsFinish = earlier?.source.awaitsFinish ?? false
        retries[key] = Retry(
            number: number, delivery: delivery, source: awaitsFinish ? earlier?.source ?? source : source,
            buyer: buyer ?? earlier?.buyer, transaction: transaction ?? earlier?.transaction, failures: failures,
            wait: wait)
        // Detached, because the retry is not part of the hand-over that has failed.
        Task.detached { [weak self] in
            await wait.value
            await self?.startRetry(number)
        }
    }

    /// Starts the attempt of a retry, as work that ``suspend(after:)`` waits for.
    private func startRetry(_ number: Int) {
        if !isSuspended { startDelivery { await self.retry(number) } }
    }

    /// Moves the retry of a delivery that is recorded now to the recorded state, which has one retry for all
    /// signatures.
    func moveRetry(of delivery: SignedTransaction, to kept: SignedTransaction, _ transaction: Transaction) {
        let (before, after) = (RetryKey(delivery), RetryKey(transaction))
        // Another version of the transaction, such as a refund, can wait under the same id.
        guard var retry = retries[before], retry.delivery.signedText.isIdentical(to: delivery.signedText) else {
            return
        }
        retries[before] = nil
        if let known = retries[after] {
            retry.wait.cancel()
            if !known.source.awaitsFinish { retries[after]?.source = retry.source }
        } else {
            retry.delivery = kept
            retry.transaction = transaction
            retries[after] = retry
        }
    }

    private func retry(_ number: Int) async {
        // A later attempt has replaced this one.
        guard let (key, retry) = retries.first(where: { $0.value.number == number }) else { return }
        guard retry.isOf(user) else {
            retries[key]?.isDue = true
            return
        }
        let outcome = await ingest(retry.delivery, from: retry.source, by: retry.buyer)
        switch outcome {
        case .recorded, .notRecorded: break
        case .unverified, .conflict:
            // The failure can change, and another attempt follows.
            guard retries[key]?.number == number else { return }
            await endRetry(key, isHandedOver: false)
        }
        notifyHandlers(of: outcome)
    }

    /// Forgets a retry that needs no other attempt.
    func endRetry(_ key: RetryKey, isHandedOver: Bool) async {
        guard let retry = retries.removeValue(forKey: key) else { return }
        retry.wait.cancel()
        if isHandedOver {
            logEvent(
                .handedOver, retry.delivery.productID, transactionID: retry.delivery.transactionID,
                detail: "failed attempts: \(retry.failures)")
        }
        await tellObservers(of: retry.delivery.productID)
    }

    /// Stops the attempts for another user than the present one, and goes on with those of the present one.
    ///
    /// What is recorded is forgotten: the ledger knows its owner, and that of an erased account must stay empty. Of
    /// what is not recorded, only the retry knows the buyer, and no other user gets it.
    func changeRetries() {
        let other = retries.filter { $0.value.transaction != nil || !$0.value.isOf(user) }
        for (key, retry) in other {
            retry.wait.cancel()
            if retry.transaction != nil { retries[key] = nil }
        }
        let products = Set(other.values.map { ExactString($0.delivery.productID) })
        let stopped = retries.values.filter { ($0.wait.isCancelled || $0.isDue) && $0.isOf(user) && !isSuspended }
        startDelivery {
            for product in products { await self.tellObservers(of: product.string) }
            for retry in stopped { await self.retry(retry.number) }
        }
    }

    // MARK: Suspending

    /// Begins no retry until ``resume()``, and returns when nothing is processed or handed over any more.
    ///
    /// It waits as long as an order and a query may take, at most: a handler or a fulfiller that takes longer goes on.
    /// A caller that is part of a hand-over does not wait for that one. A purchase that the customer makes goes on, and
    /// calls of the service work as before.
    ///
    /// - Parameter work: Other work to wait for first.
    package func suspend(after work: @escaping @Sendable () async -> Void = {}) async {
        isSuspended = true
        _ = await timer.answer(within: deadlines.handOverMilliseconds) {
            await work()
            await self.finishWork()
        }
    }

    /// Repeats at once what waits for another attempt, and goes on with retries; does nothing unless it is suspended.
    package func resume() {
        guard isSuspended else { return }
        isSuspended = false
        for retry in retries.values where retry.isOf(user) { startRetry(retry.number) }
    }

    private func finishWork() async {
        // Each delivery removes itself, and may have started others.
        while let delivery = deliveries.values.first { await delivery.value }
        for key in handOvers.keys { await isHandedOver(key) }
    }
}
