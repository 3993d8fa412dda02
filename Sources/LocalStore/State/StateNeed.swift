package import ReceiptTypes

/// What a command reads and changes of a state.
///
/// A store is opened with that part of its state only, so that the command costs about the same after 20,000
/// transactions as after 20.
package enum StateNeed: Sendable {
    /// What purchases of an account depend on; nil means the only account.
    case purchases(of: String?)
    /// Transactions, each named by its identifier or by a product of the account; nil means the only account.
    case transactions([String], of: String?)
    /// A subscription, named by one of its transactions or by its product; nil means the only one of the account.
    case subscription(String?, of: String?)
    /// All purchases that wait for approval or for the customer, and an account.
    case pendingPurchases(of: String?)
    /// Everything that is due until an instant, which the time on the clock determines; nil means the next event.
    case dueEvents(until: @Sendable (_ now: Timestamp) -> Timestamp?)
}
