public import ReceiptTypes

/// The port to a store: the App Store, a simulator, or a fake in a test.
///
/// The service trusts only what a store has signed, and nothing that accompanies the signature. Everything that a store
/// delivers may arrive twice, late, in any order, or with a forged signature.
///
/// To write one, see <doc:WritingAStoreAndALedger>.
public protocol Store: Sendable {
    /// Loads the products with these ids, in any order; an id that the store does not know is left out.
    func products(for ids: [String]) async throws(StoreError) -> [Product]

    /// Asks the customer to buy a product, and returns the store's answer.
    ///
    /// A cancelled dialogue and a purchase that awaits approval are answers, not errors.
    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase

    /// Returns a stream of the events that ``purchase(_:options:)`` does not return, such as renewals and refunds.
    ///
    /// Each call returns a new stream with everything that happens from the call on. An unfinished transaction may be
    /// delivered again. The stream ends when the store closes or the consumer is cancelled.
    func updates() -> AsyncStream<StoreUpdate>

    /// Returns the transactions that were delivered and not finished.
    ///
    /// This answer, and that of each question below, is complete or an error, also if the task is cancelled: what it
    /// lacks counts as not owned.
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction]

    /// Returns the latest transaction of each product that the customer is entitled to, according to the store.
    ///
    /// The list includes every non-renewing subscription that was not revoked. It excludes subscriptions in billing
    /// retry without a grace period, consumables, and revoked purchases.
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction]

    /// Returns the status of every current or former subscription of the customer.
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus]

    /// Returns all purchases that the store remembers, revoked ones included. Finished consumables may be missing.
    func history() async throws(StoreError) -> [SignedTransaction]

    /// Marks a transaction as finished, so that the store does not deliver it again.
    ///
    /// Finishing an unknown or already finished transaction is not an error. A store over Google Play acknowledges the
    /// purchase, and consumes a consumable; Google Play refunds a purchase that is not finished within three days.
    func finish(transactionID: String) async throws(StoreError)

    /// Reloads everything from the store. The store may ask for a password, so call it only after a tap on a restore
    /// button.
    func synchronize() async throws(StoreError)

    /// Returns whether the customer is eligible for introductory offers in a subscription group; nil if the store does
    /// not tell.
    func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool?

    /// Returns the app transaction, the customer's purchase or download of the app itself; nil if the store has none.
    func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction?

    /// Shows a sheet of the store, and returns after the customer has left it.
    func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer

    /// Returns a stream of purchases that the customer begins outside of the app, such as promoted purchases.
    func purchaseIntents() -> AsyncStream<PurchaseIntent>
}

/// The options of a purchase.
public struct PurchaseOptions: Sendable, Hashable {
    /// The app's account that the purchase is for; the store signs it into the transaction.
    public var appAccountToken: UUIDText?
    /// The number of items; only consumables and non-renewing subscriptions allow more than one.
    public var quantity: Int
    /// The offer that the app requests. An introductory offer applies without a request.
    public var offer: PurchaseOffer?
    /// The payment schedule of a subscription; nil for the usual one, which bills each period at its start.
    ///
    /// With `BillingPlanType.monthly`, the customer pays each month and is committed to all months of the product's
    /// period. A store without the schedule fails with ``StoreErrorCode/unsupported`` or
    /// ``StoreErrorCode/productUnavailable``.
    public var billingPlan: BillingPlanType?
    /// The obfuscated id of the profile within the app's account, which only Google Play signs into the purchase.
    ///
    /// The account of a Play purchase is ``appAccountToken``. It must not name a person; a random UUID does not.
    public var obfuscatedProfileID: String?

    /// Creates options; without arguments, for one item and no account.
    public init(
        appAccountToken: UUIDText? = nil, quantity: Int = 1, offer: PurchaseOffer? = nil,
        billingPlan: BillingPlanType? = nil, obfuscatedProfileID: String? = nil
    ) {
        self.appAccountToken = appAccountToken
        self.quantity = quantity
        self.offer = offer
        self.billingPlan = billingPlan
        self.obfuscatedProfileID = obfuscatedProfileID
    }
}

/// An offer that an app requests with the purchase of a subscription.
public enum PurchaseOffer: Sendable, Hashable {
    /// A promotional offer for a current or former subscriber, signed by the app's server.
    case promotional(id: String, signature: PromotionalOfferSignature)
    /// A win-back offer for a former subscriber, one of ``Entitlements/winBackOffers(of:)``.
    case winBack(id: String)
}

/// The signature of a promotional offer, which the app's server makes for one customer.
public struct PromotionalOfferSignature: Sendable, Hashable {
    /// The id of the key that signed the offer.
    public let keyID: String
    /// The nonce, unique to this signature.
    public let nonce: UUIDText
    /// The time of the signature.
    public let timestamp: Timestamp
    /// The signature in base64.
    public let base64: String

    /// Creates a signature from the fields that the server returned.
    public init(keyID: String, nonce: UUIDText, timestamp: Timestamp, base64: String) {
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.base64 = base64
    }
}

/// A store's answer to a purchase.
public enum StorePurchase: Sendable, Hashable {
    /// The customer has paid.
    case success(SignedTransaction)
    /// The customer has cancelled.
    case userCancelled
    /// The purchase awaits an approval or the bank's confirmation.
    ///
    /// If it is approved, the transaction arrives as an update; stores never report that it was declined.
    case pending
}

/// An event that a store delivers on its own.
public enum StoreUpdate: Sendable, Hashable {
    /// A new or changed transaction.
    case transaction(SignedTransaction)
    /// A subscription whose renewal has changed: renewal switched off, billing retry, grace period.
    case subscriptionStatus(SignedSubscriptionStatus)
}
