public import PurchaseCore

/// The settings of the simulated store; the defaults are those of a `.storekit` file without settings.
public struct StoreSettings: Sendable, Hashable {
    /// The locale of display names and descriptions, such as `en_US`.
    public var locale = "en_US"
    /// The storefront's ISO 3166-1 alpha-3 code, such as `USA`.
    public var storefront = "USA"
    /// The speed at which subscriptions renew.
    public var timeRate = TimeRate.realTime
    /// Whether each purchase waits for approval (Ask to Buy).
    public var isAskToBuyEnabled = false
    /// Whether each purchase is interrupted until the customer resolves an issue; `_billingIssuesEnabled` in the file.
    public var isInterruptingPurchases = false
    /// Whether renewals fail and enter billing retry; `_renewalBillingIssuesEnabled` in the file.
    public var isFailingRenewals = false
    /// Whether a subscription that fails to renew first has a grace period.
    public var isGracePeriodEnabled = false
    /// The length of that grace period.
    public var gracePeriod = GracePeriod.sixteenDays
    /// Whether Xcode shows no dialogs; the simulator shows none in any case.
    public var isWithoutDialogs = false
    /// The enabled simulated errors, by call.
    ///
    /// The value is the error as the file spells it: a name such as `network`, a number, or the type and index that
    /// Xcode writes, such as `generic 2`. It is `unknown` where the file names no error.
    public var simulatedErrors: [SimulatedCall: String] = [:]
    /// The lengths of non-renewing subscriptions, by product.
    ///
    /// The store does not know these lengths: it lists such a purchase without an end, and the app ends it. They are
    /// here for programs that compute entitlements as the app does.
    public var nonRenewingPeriods: [String: BillingPeriod] = [:]

    /// Creates the default settings.
    public init() {}

    /// The length of a grace period in days; App Store Connect offers these three.
    public enum GracePeriod: Int, Codable, Sendable, Hashable, CaseIterable {
        /// 3 days.
        case threeDays = 3
        /// 16 days; 6 days for weekly subscriptions.
        case sixteenDays = 16
        /// 28 days; 6 days for weekly subscriptions.
        case twentyEightDays = 28
    }

    /// A call that the settings can make fail.
    public enum SimulatedCall: String, Sendable, Hashable, CaseIterable {
        /// Loading products.
        case loadProducts = "Load Products"
        /// Purchasing a product.
        case purchase = "Purchase"
        /// Verifying a signed transaction or renewal info.
        case verification = "Verification"
        /// Synchronizing with the store to restore purchases.
        case appStoreSync = "App Store Sync"
        /// Reading the subscription status.
        case subscriptionStatus = "Subscription Status"
        /// Reading the app transaction.
        case appTransaction = "App Transaction"
        /// Managing subscriptions in the system's sheet.
        case manageSubscriptionsSheet = "Manage Subscriptions Sheet"
        /// Requesting a refund in the system's sheet.
        case refundRequestSheet = "Refund Request Sheet"
        /// Redeeming an offer code in the system's sheet.
        case offerCodeRedeemSheet = "Offer Code Redeem Sheet"
    }

    /// The storefront that the settings name; the one of the United States for an unknown code.
    public var knownStorefront: Storefront { Storefront(code: storefront) ?? .unitedStates }
}

// Hand-written: a synthesized conformance would encode `simulatedErrors` as an array, or need `CodingKeyRepresentable`
// and newer systems, to use the call names as keys.
extension StoreSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case locale, storefront, timeRate, isAskToBuyEnabled, isInterruptingPurchases, isFailingRenewals
        case isGracePeriodEnabled, gracePeriod, isWithoutDialogs, simulatedErrors, nonRenewingPeriods
    }

    /// Decodes settings.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        locale = try container.decode(String.self, forKey: .locale)
        storefront = try container.decode(String.self, forKey: .storefront)
        timeRate = try container.decode(TimeRate.self, forKey: .timeRate)
        isAskToBuyEnabled = try container.decode(Bool.self, forKey: .isAskToBuyEnabled)
        isInterruptingPurchases = try container.decode(Bool.self, forKey: .isInterruptingPurchases)
        isFailingRenewals = try container.decode(Bool.self, forKey: .isFailingRenewals)
        isGracePeriodEnabled = try container.decode(Bool.self, forKey: .isGracePeriodEnabled)
        // Earlier versions wrote neither the length of the grace period nor those of non-renewing subscriptions.
        gracePeriod = try container.decodeIfPresent(GracePeriod.self, forKey: .gracePeriod) ?? .sixteenDays
        isWithoutDialogs = try container.decode(Bool.self, forKey: .isWithoutDialogs)
        for (name, error) in try container.decode([String: String].self, forKey: .simulatedErrors) {
            guard let call = SimulatedCall(rawValue: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .simulatedErrors, in: container, debugDescription: "unknown call")
            }
            simulatedErrors[call] = error
        }
        nonRenewingPeriods =
            try container.decodeIfPresent([String: BillingPeriod].self, forKey: .nonRenewingPeriods) ?? [:]
    }

    /// Encodes the settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(locale, forKey: .locale)
        try container.encode(storefront, forKey: .storefront)
        try container.encode(timeRate, forKey: .timeRate)
        try container.encode(isAskToBuyEnabled, forKey: .isAskToBuyEnabled)
        try container.encode(isInterruptingPurchases, forKey: .isInterruptingPurchases)
        try container.encode(isFailingRenewals, forKey: .isFailingRenewals)
        try container.encode(isGracePeriodEnabled, forKey: .isGracePeriodEnabled)
        try container.encode(gracePeriod, forKey: .gracePeriod)
        try container.encode(isWithoutDialogs, forKey: .isWithoutDialogs)
        var errors: [String: String] = [:]
        for (call, error) in simulatedErrors { errors[call.rawValue] = error }
        try container.encode(errors, forKey: .simulatedErrors)
        try container.encode(nonRenewingPeriods, forKey: .nonRenewingPeriods)
    }
}
