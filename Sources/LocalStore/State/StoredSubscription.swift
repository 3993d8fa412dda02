public import ReceiptTypes

/// A customer's own or family-shared subscription in one group.
public struct StoredSubscription: Codable, Sendable, Hashable, Identifiable {
    /// The state of a subscription.
    public enum Standing: String, Codable, Sendable, Hashable, CaseIterable {
        /// The current period is paid.
        case active
        /// The renewal failed; the customer stays entitled until the grace period ends.
        case gracePeriod
        /// The renewal failed, and the store keeps trying to charge the customer; the customer is not entitled.
        case billingRetry
        /// The subscription has ended.
        case expired
        /// The latest transaction was refunded, or its Family Sharing ended.
        case revoked

        /// The state in words, for people.
        package var words: String {
            switch self {
            case .active: "active"
            case .gracePeriod: "grace period"
            case .billingRetry: "billing retry"
            case .expired: "expired"
            case .revoked: "revoked"
            }
        }
    }

    /// A price increase that takes effect with the next renewal.
    public struct PriceIncrease: Codable, Sendable, Hashable {
        /// The new price.
        public let price: Milliunits
        /// Whether the customer has consented, or consent is not required.
        public internal(set) var isAccepted: Bool
    }

    /// An offer that starts or continues with the next renewal.
    struct UpcomingOffer: Codable, Sendable, Hashable {
        let offer: AppliedOffer
        var remainingTransactions: Int
    }

    let originalNumber: Int64
    /// The subscription of the paying family member; nil for the customer's own subscription.
    let sharedFrom: Int64?
    var latestNumber: Int64
    /// The start of the first of a series of equal calendar periods; ``anchoredPeriods`` is their number.
    var anchor: Timestamp
    var anchoredPeriods: Int
    var upcomingOffers: [UpcomingOffer] = []

    /// The customer's account.
    public let account: String
    /// The identifier of the subscription group.
    public let groupID: String
    /// The time of the first purchase.
    public let originalPurchaseDate: Timestamp
    /// The product of the current or last period.
    public internal(set) var productID: String
    /// The start of the current run of periods without a gap.
    public internal(set) var startDate: Timestamp
    /// The end of the current or last period.
    public internal(set) var expiresDate: Timestamp
    /// The state of the subscription.
    public internal(set) var standing: Standing = .active
    /// Whether automatic renewal is on.
    public internal(set) var willAutoRenew = true
    /// The product of the next period.
    public internal(set) var renewalProductID: String
    /// The payment schedule of the next period or commitment; nil for the usual one.
    public internal(set) var billingPlan: BillingPlanType?
    /// The commitment of the current month; nil without one.
    public internal(set) var commitment: Commitment?
    /// The end of the grace period; nil outside of one.
    public internal(set) var gracePeriodEnd: Timestamp?
    /// The end of billing retry; nil unless a renewal has failed.
    public internal(set) var billingRetryEnd: Timestamp?
    /// The reason why the subscription has ended or will end.
    public internal(set) var expirationIntent: ExpirationIntent?
    /// Whether renewals of this subscription fail.
    public internal(set) var hasBillingIssue = false
    /// The price that the customer has accepted, where it differs from the product's.
    public internal(set) var agreedPrice: Milliunits?
    /// The announced price increase.
    public internal(set) var priceIncrease: PriceIncrease?
    /// The app's account that the purchase was for.
    public internal(set) var appAccountToken: UUIDText?
    /// Whether the owner has stopped sharing the subscription with the family.
    public internal(set) var isSharingStopped = false
    /// The signing time of this version; later versions have later times.
    public internal(set) var signedDate: Timestamp

    /// The identifier of the first transaction, which identifies the subscription.
    public var id: String { "\(originalNumber)" }
    /// The identifier of the latest transaction.
    public var latestTransactionID: String { "\(latestNumber)" }
    /// Whether a family member pays for the subscription.
    public var isFamilyShared: Bool { sharedFrom != nil }
    /// Whether the customer is entitled to the product.
    public var isEntitled: Bool { standing == .active || standing == .gracePeriod }
    /// Whether the subscription is neither expired nor revoked.
    public var isRunning: Bool { standing != .expired && standing != .revoked }

    /// The App Store's status value.
    public var status: SubscriptionStatus {
        switch standing {
        case .active: .active
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }

    /// The time of the next automatic change; nil for ended and for family-shared subscriptions.
    var due: Timestamp? {
        guard sharedFrom == nil else { return nil }
        return switch standing {
        case .active: expiresDate
        case .gracePeriod: gracePeriodEnd
        case .billingRetry: billingRetryEnd
        case .expired, .revoked: nil
        }
    }

    /// The reason why the subscription ends if automatic renewal stays off.
    var intentWithoutRenewal: ExpirationIntent {
        expirationIntent == .priceIncreaseDeclined ? .priceIncreaseDeclined : .customerCancelled
    }

    /// Turns the subscription into a new version with a later signing time.
    mutating func change(at now: Timestamp) {
        signedDate = max(now, signedDate.adding(milliseconds: 1))
    }

    /// Whether the next renewal only pays for another month of the commitment, and so changes nothing else.
    var owesMonths: Bool { commitment?.hasMonthsLeft ?? false }

    /// The product of the next renewal.
    var nextProductID: String { owesMonths ? productID : renewalProductID }

    /// Ends the subscription.
    mutating func end(_ standing: Standing, because intent: ExpirationIntent?) {
        self.standing = standing
        willAutoRenew = false
        gracePeriodEnd = nil
        billingRetryEnd = nil
        expirationIntent = intent
        priceIncrease = nil
        upcomingOffers = []
        commitment = nil
    }
}
