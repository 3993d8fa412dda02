internal import ReceiptTypes

/// What the listeners of a service have heard, and the conflicts that its log has.
///
/// Of a state that was announced long ago it forgets that, so the state is announced once more.
struct Announcements: Sendable {
    /// The facts of the announced transactions.
    private var facts = RecentSet<ExactString>(capacity: 10_000)
    /// The announced renewal state of each subscription, by the id of its first transaction.
    private var renewals: [ExactString: RenewalState] = [:]
    /// The conflicts that were logged for the present user.
    private var conflicts: Set<ExactString> = []

    /// Notes a transaction that this service has recorded, so that no concurrent delivery of it is news.
    mutating func note(_ transaction: Transaction) { facts.insert(ExactString(transaction.facts)) }

    /// Forgets a transaction that is kept for another user: with the owner's next sign-in, it is news.
    mutating func forget(_ transaction: Transaction) { facts.remove(ExactString(transaction.facts)) }

    /// Returns whether a delivery that was recorded before is news for the listeners, and notes it.
    ///
    /// An earlier run may have been killed after it had recorded the transaction, or another service over the ledger
    /// may have been faster. Concurrent deliveries of one transaction all find such an entry; the first one is news.
    mutating func isNews(_ kept: RecordedDelivery, isUnfinished: Bool, from source: DeliverySource) -> Bool {
        (isUnfinished || source.bringsNews) && facts.insert(kept.facts)
    }

    /// Returns whether a renewal info says something that the listeners have not heard, and notes it.
    ///
    /// A renewal comes with a transaction, which the listeners receive, and an info with nothing new but its date.
    /// Several listeners receive the same info.
    mutating func isNews(_ info: RenewalInfo, of transaction: Transaction) -> Bool {
        let state = RenewalState(info)
        let known = renewals.updateValue(state, forKey: ExactString(info.originalTransactionID))
        let isHeard = facts.contains(ExactString(transaction.facts))
        guard known.map({ $0 != state }) ?? (!isHeard || !state.isPlain) else { return false }
        note(transaction)
        return true
    }

    /// Returns whether a conflict of a transaction is not in the log of the present user, and notes it.
    mutating func isNews(_ conflict: RecordConflict, of transaction: Transaction) -> Bool {
        conflicts.insert(ExactString("\(conflict.rawValue) \(transaction.facts)")).inserted
    }

    /// Logs the conflicts of the next user anew.
    mutating func changeUser() { conflicts = [] }
}

extension DeliverySource {
    /// Whether a delivery that was recorded before can be news for this service, because another one has recorded it.
    ///
    /// The lists of a store have what is recorded each time.
    var bringsNews: Bool { self == .purchase || self == .update }
}

/// The part of a renewal info that is not news with each renewal.
struct RenewalState: Sendable, Hashable {
    private let willAutoRenew: Bool
    private let isInBillingRetry: Bool
    private let graceEnd: Timestamp?
    private let nextProductID: String?
    private let price: Milliunits?
    private let currency: String?
    private let priceIncreaseStatus: PriceIncreaseStatus?
    /// Whether the subscription renews as it is.
    let isPlain: Bool

    init(_ info: RenewalInfo) {
        willAutoRenew = info.willAutoRenew
        isInBillingRetry = info.isInBillingRetry
        graceEnd = info.gracePeriodExpiresDate
        nextProductID = info.autoRenewProductID
        price = info.renewalPrice
        currency = info.currency
        priceIncreaseStatus = info.priceIncreaseStatus
        isPlain =
            willAutoRenew && !isInBillingRetry && graceEnd == nil && priceIncreaseStatus == nil
            && (nextProductID == nil || nextProductID == info.productID)
    }
}
