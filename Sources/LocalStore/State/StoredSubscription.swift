public import ReceiptTypes

/// What a customer has in one subscription group, or shares there.
public struct StoredSubscription: Codable, Sendable, Hashable, Identifiable {
    /// Where a subscription stands.
    public enum Standing: String, Codable, Sendable, Hashable, CaseIterable {
        /// In a period that is paid.
        case active
        /// The period is over and not paid, and the customer may go on for a time.
        case gracePeriod
        /// The period is over, and the store tries to bill.
        case billingRetry
        /// Over.
        case expired
        /// Paid back, or taken from the family.
        case revoked
    }

    /// A higher price that is announced for the next renewal.
    public struct PriceIncrease: Codable, Sendable, Hashable {
        /// The new price.
        public let price: Milliunits
        /// Whether the customer has agreed or needs not be asked.
        public internal(set) var isAccepted: Bool
    }

    /// An offer that begins or goes on with the next renewal.
    struct UpcomingOffer: Codable, Sendable, Hashable {
        let offer: AppliedOffer
        var remainingTransactions: Int
    }

    let originalNumber: Int64
    /// The subscription of the family member who pays; nil for one's own.
    let sharedFrom: Int64?
    var latestNumber: Int64
    /// Since when periods are counted by the calendar, and how many there were.
    var anchor: Timestamp
    var anchoredPeriods: Int
    var upcomingOffers: [UpcomingOffer] = []

    /// Whose it is.
    public let account: String
    /// The group.
    public let groupID: String
    /// When it was first bought.
    public let originalPurchaseDate: Timestamp
    /// The product of the current or last period.
    public internal(set) var productID: String
    /// Since when it runs without a gap.
    public internal(set) var startDate: Timestamp
    /// When the current or last period ends.
    public internal(set) var expiresDate: Timestamp
    /// Where it stands.
    public internal(set) var standing: Standing = .active
    /// Whether it renews by itself.
    public internal(set) var willAutoRenew = true
    /// The product that it renews to.
    public internal(set) var renewalProductID: String
    /// When the grace period ends, while it lasts.
    public internal(set) var gracePeriodEnd: Timestamp?
    /// When the store gives up to bill.
    public internal(set) var billingRetryEnd: Timestamp?
    /// Why it is over.
    public internal(set) var expirationIntent: ExpirationIntent?
    /// Whether its renewals fail.
    public internal(set) var hasBillingIssue = false
    /// The price that the customer has agreed to, where it is not the product's.
    public internal(set) var agreedPrice: Milliunits?
    /// A higher price that is announced.
    public internal(set) var priceIncrease: PriceIncrease?
    /// The account of the app that it was bought for.
    public internal(set) var appAccountToken: UUIDText?
    /// Whether its owner lets nobody share it any more.
    public internal(set) var isSharingStopped = false
    /// When this version was signed; each later version has a later date.
    public internal(set) var signedDate: Timestamp

    /// The id of its first transaction, which is its own.
    public var id: String { "\(originalNumber)" }
    /// The id of its latest transaction.
    public var latestTransactionID: String { "\(latestNumber)" }
    /// Whether a family member pays for it.
    public var isFamilyShared: Bool { sharedFrom != nil }
    /// Whether the customer may use it.
    public var isEntitled: Bool { standing == .active || standing == .gracePeriod }
    /// Whether it is neither over nor taken back.
    public var isRunning: Bool { standing != .expired && standing != .revoked }

    /// The status by the App Store's numbers.
    public var status: SubscriptionStatus {
        switch standing {
        case .active: .active
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }

    /// When something happens to it by itself.
    var due: Timestamp? {
        guard sharedFrom == nil else { return nil }
        return switch standing {
        case .active: expiresDate
        case .gracePeriod: gracePeriodEnd
        case .billingRetry: billingRetryEnd
        case .expired, .revoked: nil
        }
    }

    /// Makes this a new version, which is signed anew.
    mutating func change(at now: Timestamp) {
        signedDate = max(now, signedDate.adding(milliseconds: 1))
    }

    /// Ends it.
    mutating func end(_ standing: Standing, because intent: ExpirationIntent?) {
        self.standing = standing
        willAutoRenew = false
        gracePeriodEnd = nil
        billingRetryEnd = nil
        expirationIntent = intent
        priceIncrease = nil
        upcomingOffers = []
    }
}
