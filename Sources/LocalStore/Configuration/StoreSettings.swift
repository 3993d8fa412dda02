/// How a local store behaves; every setting has the default of a store where nothing is set.
public struct StoreSettings: Sendable, Hashable {
    /// The language of names and descriptions, such as `en_US`.
    public var locale = "en_US"
    /// The storefront as ISO 3166-1 alpha-3, such as `USA`.
    public var storefront = "USA"
    /// How fast subscriptions renew.
    public var timeRate = TimeRate.realTime
    /// Whether somebody has to approve each purchase.
    public var isAskToBuyEnabled = false
    /// Whether each purchase stops until its issue is resolved; `_billingIssuesEnabled` in the file.
    public var isInterruptingPurchases = false
    /// Whether renewals fail and enter billing retry; `_renewalBillingIssuesEnabled` in the file.
    public var isFailingRenewals = false
    /// Whether a subscription in billing retry stays usable for a time.
    public var isGracePeriodEnabled = false
    /// Whether no dialogue is shown.
    public var isWithoutDialogs = false
    /// The errors that calls end with, by the name of the call; only those that are switched on.
    ///
    /// An error is as the file has it: a name such as `network`, a number, or the type and the index that Xcode writes,
    /// such as `generic 2`; `unknown` where the file names none.
    public var simulatedErrors: [SimulatedCall: String] = [:]

    /// The settings of a store where nothing is set.
    public init() {}

    /// What a call can be made to fail.
    public enum SimulatedCall: String, Sendable, Hashable, CaseIterable {
        /// Loading of products.
        case loadProducts = "Load Products"
        /// Purchases.
        case purchase = "Purchase"
        /// The verification of what the store has signed.
        case verification = "Verification"
        /// Synchronisation for a restore.
        case appStoreSync = "App Store Sync"
        /// The status of subscriptions.
        case subscriptionStatus = "Subscription Status"
        /// The app transaction.
        case appTransaction = "App Transaction"
        /// The sheet to manage subscriptions.
        case manageSubscriptionsSheet = "Manage Subscriptions Sheet"
        /// The sheet to ask for money back.
        case refundRequestSheet = "Refund Request Sheet"
        /// The sheet to redeem a code.
        case offerCodeRedeemSheet = "Offer Code Redeem Sheet"
    }
}
