internal import ReceiptTypes

/// The identity of a retry: a delivery that is not recorded, or a recorded state of a transaction.
///
/// A store signs a transaction again whenever it delivers it, so the JWS does not identify a retry.
package struct RetryKey: Sendable, Hashable {
    private let transactionID: ExactString
    /// Nil for a delivery that is not recorded.
    private let facts: ExactString?

    package init(_ delivery: SignedTransaction) {
        transactionID = ExactString(delivery.transactionID)
        facts = nil
    }

    package init(_ version: RecordedDelivery) {
        transactionID = ExactString(version.transaction.id)
        facts = version.facts
    }

    init(_ transaction: Transaction) {
        transactionID = ExactString(transaction.id)
        facts = ExactString(transaction.facts)
    }
}

/// A delivery that was not verified, not recorded or not handed over and is ingested again.
struct Retry: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        /// A delivery that is not recorded.
        case delivery(SignedTransaction)
        case version(RecordedDelivery)

        var delivery: SignedTransaction {
            switch self {
            case .delivery(let delivery): delivery
            case .version(let version): version.signed
            }
        }

        var version: RecordedDelivery? {
            if case .version(let version) = self { version } else { nil }
        }

        var key: RetryKey {
            switch self {
            case .delivery(let delivery): RetryKey(delivery)
            case .version(let version): RetryKey(version)
            }
        }
    }

    /// When the delivery is ingested again.
    enum Turn: Sendable, Hashable {
        /// When the timer fires.
        case waiting(HandOvers.EffectID)
        /// It is ingested now.
        case taken(HandOvers.EffectID)
        /// When its user signs in, or when the service is resumed.
        case stopped
    }

    var subject: Subject
    var source: DeliverySource
    /// The user that made the purchase, if the delivery is the answer to one.
    var buyer: AppUser?
    var failures: Int
    var turn: Turn
    /// Whether the last attempt has failed because another service had the claim.
    var followsOtherService = false

    /// The pauses before the next attempt: five seconds, doubled after each failure, at most two minutes.
    static let schedule = BackoffSchedule(firstMilliseconds: 5_000, longestMilliseconds: 120_000, jitterPercent: 0)

    /// Returns whether the purchase is the user's, as far as is known.
    func isOf(_ user: AppUser) -> Bool { buyer?.account.map { user.mayOwn($0) } ?? true }
}

extension HandOvers {
    /// Ingests a delivery again after a pause, which grows with each failure. It does so as long as the process runs.
    mutating func retryLater(
        _ subject: Retry.Subject, from source: DeliverySource, by buyer: AppUser?, followsOtherService: Bool = false
    ) {
        let delivery = subject.delivery
        let known = retries.first {
            // The ids are compared first, because the signed texts of thousands of retries begin alike.
            let other = $0.value.subject.delivery
            return other.transactionID.isIdentical(to: delivery.transactionID)
                && other.signedText.isIdentical(to: delivery.signedText)
        }?.key
        let key = subject.version == nil ? known ?? subject.key : subject.key
        let earlier = retries[key]
        if let earlier { stop(earlier) }
        let failures = (earlier?.failures ?? 0) + 1
        let version = subject.version ?? earlier?.subject.version
        let pause = Retry.schedule.pauseMilliseconds(afterFailures: failures, random: 0)
        let timer = emit(.startTimer(milliseconds: pause), for: .retry(key))
        retries[key] = Retry(
            subject: version.map { .version($0) } ?? subject,
            source: earlier.map { $0.source.awaitsFinish ? $0.source : source } ?? source,
            buyer: buyer ?? earlier?.buyer, failures: failures, turn: .waiting(timer),
            followsOtherService: followsOtherService)
    }

    /// Takes the result of a timer, or of ingesting a delivery again.
    mutating func proceed(_ key: RetryKey, _ id: EffectID, _ answer: Answer) {
        guard let retry = retries[key] else { return }
        switch retry.turn {
        case .waiting(id):
            if isSuspended { retries[key]?.turn = .stopped } else { tryAgain(key) }
        // The failure can change, and another attempt follows; a later attempt has replaced this one then.
        case .taken(id): if case .rejected = answer { endRetry(key, isHandedOver: false) }
        case .waiting, .taken, .stopped: break
        }
    }

    private mutating func tryAgain(_ key: RetryKey) {
        guard let retry = retries[key] else { return }
        guard retry.isOf(user) else {
            retries[key]?.turn = .stopped
            return
        }
        let work = Work.ingest(retry.subject.delivery, from: retry.source, by: retry.buyer)
        let id = emit(work, for: .retry(key))
        retries[key]?.turn = .taken(id)
    }

    /// Moves the retry of a delivery that is recorded now to the recorded state, which has one retry for all
    /// signatures.
    mutating func moveRetry(of delivery: SignedTransaction, to version: RecordedDelivery) {
        let (before, after) = (RetryKey(delivery), RetryKey(version))
        // Another version of the transaction, such as a refund, can wait under the same id.
        guard var retry = retries[before],
            retry.subject.delivery.signedText.isIdentical(to: delivery.signedText)
        else { return }
        retries[before] = nil
        stop(retry)
        if let known = retries[after] {
            if !known.source.awaitsFinish { retries[after]?.source = retry.source }
        } else {
            retry.subject = .version(version)
            retry.turn = .stopped
            retries[after] = retry
        }
    }

    /// Forgets a retry that needs no other attempt.
    mutating func endRetry(_ key: RetryKey, isHandedOver: Bool) {
        guard let retry = retries.removeValue(forKey: key) else { return }
        stop(retry)
        if isHandedOver { log(.handedOver, retry.subject.delivery, "failed attempts: \(retry.failures)") }
        answerWaits(forProduct: retry.subject.delivery.productID)
    }

    private mutating func stop(_ retry: Retry) {
        if case .waiting(let timer) = retry.turn { emit(.cancelTimer(timer)) }
    }

    // MARK: Users, and suspending

    /// Stops the attempts for another user than the present one, and goes on with those of the present one.
    ///
    /// What is recorded is forgotten: the ledger knows its owner, and that of an erased account must stay empty. Of
    /// what is not recorded, only the retry knows the buyer, and no other user gets it.
    mutating func change(_ newUser: AppUser) {
        user = newUser
        for (key, retry) in retries.inOrder() where retry.subject.version != nil || !retry.isOf(user) {
            stop(retry)
            if retry.subject.version == nil { retries[key]?.turn = .stopped } else { retries[key] = nil }
        }
        answerWaits(forProduct: nil)
        if !isSuspended { tryAgain { $0.turn == .stopped } }
    }

    /// Ingests at once what waits, and goes on with retries; does nothing unless the machine is suspended.
    mutating func resume() {
        guard isSuspended else { return }
        isSuspended = false
        tryAgain { if case .taken = $0.turn { false } else { true } }
    }

    private mutating func tryAgain(_ isDue: (Retry) -> Bool) {
        for (key, retry) in retries.inOrder() where retry.isOf(user) && isDue(retry) {
            stop(retry)
            tryAgain(key)
        }
    }

    // MARK: What waits

    /// Returns the retries of a product's deliveries that a store waits for and that are not recorded for a user yet.
    func unrecordedSales(of productID: String, to user: AppUser) -> [Retry] {
        retries.inOrder().map(\.value).filter {
            $0.subject.version == nil && $0.source.awaitsFinish && $0.isOf(user)
                && $0.subject.delivery.productID.isIdentical(to: productID)
        }
    }

    /// Returns the buyer of a delivery that waits to be recorded, if that is a user with an account.
    func buyer(ofTransaction id: String) -> AppUser? {
        retries.values.first {
            $0.buyer?.account != nil && $0.subject.delivery.transactionID.isIdentical(to: id)
        }?.buyer
    }

    /// Returns the retry of a delivery that is not recorded.
    func retry(of delivery: SignedTransaction) -> Retry? { retries[RetryKey(delivery)] }

    /// Returns whether a delivery, or the state that it was verified to be, waits for another attempt.
    func isRetried(_ delivery: SignedTransaction, _ transaction: Transaction) -> Bool {
        !retries.isEmpty && (retries[RetryKey(transaction)] != nil || retries[RetryKey(delivery)] != nil)
    }
}

extension [RetryKey: Retry] {
    /// The retries in the order of their last effects, so that the same events always have the same effects.
    fileprivate func inOrder() -> [(key: RetryKey, value: Retry)] {
        sorted { left, right in
            let (first, second) = (left.value.turn.number, right.value.turn.number)
            return first != second
                ? first < second
                : left.value.subject.delivery.signedText.precedes(right.value.subject.delivery.signedText)
        }
    }
}

extension Retry.Turn {
    fileprivate var number: Int {
        switch self {
        case .waiting(let id), .taken(let id): id.number
        case .stopped: 0
        }
    }
}
