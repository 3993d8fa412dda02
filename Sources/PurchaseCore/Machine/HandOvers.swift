package import ReceiptTypes

/// The machine that hands recorded purchases over: the fulfiller grants or revokes each, then the store finishes it.
///
/// It is a value. ``handle(_:at:)`` takes an event and returns the effects that the shell, the ``PurchaseService``, is
/// to perform; their results come back as events. Neither a late result nor one that never comes leads to a second
/// order while the first one runs.
///
/// ```
/// recorded ─▶ read ─▶ claim ─▶ read ─▶ fulfil ─▶ markGranted ─▶ read ─▶ finish ─▶ markFinished ─▶ handed over
///              │        │        └─ nothing due ────▲                │
///              │        └─ another service has the claim: a pause, then read (for a buyer), or a retry
///              └─ granted before ───────────────────────────────────▶│
/// ```
///
/// A step that fails ends the attempt: its claim is released, and the delivery is ingested again after a pause. Two
/// transaction ids can identify one purchase, so deliveries of one purchase are handed over one after the other.
package struct HandOvers: Sendable, Hashable {
    /// The longest times that the machine waits.
    package struct Limits: Sendable, Hashable {
        /// The milliseconds for one order of the fulfiller.
        package var orderMilliseconds: Int64
        /// The milliseconds for which the buyer waits for another service that hands the purchase over.
        package var otherServiceMilliseconds: Int64

        package init(orderMilliseconds: Int64, otherServiceMilliseconds: Int64) {
            self.orderMilliseconds = orderMilliseconds
            self.otherServiceMilliseconds = otherServiceMilliseconds
        }
    }

    /// The purchases that are handed over, or whose order has not ended or is not recorded.
    var purchases: [PurchaseKey: HandOver] = [:]
    /// The deliveries that wait for another attempt.
    var retries: [RetryKey: Retry] = [:]
    /// The callers that wait, by their number.
    var waits: [Int: Wait] = [:]
    /// The purchases that were reported as not handed over, the last one at the end.
    private var reported: [ReportedPurchase] = []
    var user: AppUser
    var isSuspended = false
    let limits: Limits
    /// The number of the last effect.
    var lastNumber = 0
    /// The effects of the present event.
    private var effects: [Effect] = []

    /// Creates a machine with nothing to do.
    package init(user: AppUser, limits: Limits) {
        self.user = user
        self.limits = limits
    }

    /// Takes an event, and returns what is to be done.
    ///
    /// - Parameter now: The time of the device's clock.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [Effect] {
        switch event {
        case .recorded(let recorded): accept(recorded, at: now)
        case .notRecorded(let delivery, let source, let buyer): retryLater(.delivery(delivery), from: source, by: buyer)
        case .ended(let id, let answer):
            switch id.subject {
            case .purchase(let key): proceed(key, id, answer, at: now)
            case .retry(let key): proceed(key, id, answer)
            case .none: break
            }
        case .userChanged(let newUser): change(newUser)
        case .suspended: isSuspended = true
        case .resumed: resume()
        case .reported(let transaction): note(transaction)
        case .waits(let waiter, let target, let scope): begin(Wait(target: target, scope: scope), waiter, at: now)
        case .stopsWaiting(let waiter): waits[waiter] = nil
        }
        defer { effects = [] }
        return effects
    }

    /// Adds an effect, and returns its identity.
    @discardableResult
    mutating func emit(_ work: Work, for subject: Subject = .none) -> EffectID {
        lastNumber += 1
        let id = EffectID(number: lastNumber, subject: subject)
        effects.append(Effect(id: id, work: work))
        return id
    }

    mutating func log(_ kind: PurchaseLogEvent.Kind, _ delivery: SignedTransaction, _ detail: String) {
        emit(
            .log(
                PurchaseLogEvent(
                    kind, productID: delivery.productID, transactionID: delivery.transactionID, detail: detail)))
    }

    mutating func log(_ kind: PurchaseLogEvent.Kind, _ delivery: SignedTransaction, _ error: any CodedError) {
        emit(
            .log(
                PurchaseLogEvent(
                    kind, productID: delivery.productID, transactionID: delivery.transactionID, error: error)))
    }

    // MARK: Reported purchases

    /// A purchase that was reported as not handed over.
    private struct ReportedPurchase: Sendable, Hashable {
        let productID: ExactString
        let transactionID: ExactString
        let key: PurchaseKey
        /// The user for whom it is recorded.
        let user: AppUser
    }

    private mutating func note(_ transaction: Transaction) {
        let id = ExactString(transaction.id)
        reported.removeAll { $0.transactionID == id }
        reported.append(
            ReportedPurchase(
                productID: ExactString(transaction.productID), transactionID: id, key: transaction.purchaseKey,
                user: user))
    }

    /// Returns the last purchase of a product that was reported as not handed over to the present user.
    func reportedPurchase(of productID: String) -> PurchaseKey? {
        reported.last { $0.productID == ExactString(productID) && $0.user == user }?.key
    }

    /// Returns the purchase with a transaction that was reported as not handed over.
    func reportedPurchase(transactionID: String) -> PurchaseKey? {
        reported.last { $0.transactionID == ExactString(transactionID) }?.key
    }
}
