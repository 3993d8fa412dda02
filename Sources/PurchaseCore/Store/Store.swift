/// A store that sells: the App Store, one on this machine, or one of a test.
///
/// A store hands over what it has signed and nothing is believed that it says beside it. Whatever comes from here may
/// come twice, late, in any order, and signed by somebody else.
public protocol Store: Sendable {
    /// Loads the products that the store knows among the ids, in any order; an id that it does not know is left out.
    func products(for ids: [String]) async throws(StoreError) -> [Product]

    /// Lets the customer buy a product, and waits until the store has an answer.
    ///
    /// The answer to a cancelled dialogue or a purchase that somebody has to approve is a result and not an error.
    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase

    /// What happens outside of ``purchase(_:options:)``: approvals, renewals, refunds, purchases on other devices.
    ///
    /// Each call makes a stream that has everything from the call on. A transaction that is not finished may come again.
    /// The stream ends when the store goes away or the reader is cancelled.
    func updates() -> AsyncStream<StoreUpdate>

    /// The transactions that were delivered and not finished.
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction]

    /// The latest transaction of each product that the store holds the customer entitled to.
    ///
    /// A subscription in billing retry without grace is not among them, a non-renewing one always is, and neither
    /// consumables nor what was paid back ever are.
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction]

    /// The state of every subscription that the customer has or had.
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus]

    /// Everything that the store remembers the customer to have bought, what was paid back included. Finished consumables
    /// may be missing.
    func history() async throws(StoreError) -> [SignedTransaction]

    /// Tells the store that a transaction has been dealt with, so that it does not deliver it again. A transaction that is
    /// unknown or finished already is no error.
    func finish(transactionID: String) async throws(StoreError)

    /// Fetches everything anew, which may ask the customer for a password: only after a tap on a restore button.
    func synchronize() async throws(StoreError)
}
