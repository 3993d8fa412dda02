public import ReceiptTypes

/// What Google Play has last told about a subscription and does not sign: that it is purchased, and how it goes on.
///
/// A change of the plan is a purchase with a token of its own, which replaces the listed purchase. A change with the
/// next renewal leaves the product of the new purchase as it is until then. The signed data has neither of the two.
public struct PlayListing: Sendable, Hashable {
    /// A change of the product with the next renewal, which the store has accepted.
    public struct PlannedChange: Sendable, Hashable {
        /// The product after the change.
        public let productID: String
        /// An instant at which the change has certainly taken effect, or is not planned any more.
        public let latestDate: Timestamp

        /// Creates a planned change.
        public init(productID: String, latestDate: Timestamp) {
            self.productID = productID
            self.latestDate = latestDate
        }
    }

    /// The purchase token.
    public let transactionID: String
    /// The time at which the store listed the purchase, by the clock of all decisions.
    public let date: Timestamp
    /// Whether the subscription was then set to renew.
    public let willAutoRenew: Bool
    /// The product that the purchase was listed with, which a planned change replaces; nil if it is not known.
    public let productID: String?
    /// The change of the product with the next renewal; nil if none is planned.
    public let plannedChange: PlannedChange?
    /// Whether the store has listed another subscription of the group instead since.
    public internal(set) var isReplaced: Bool

    /// Creates a listing.
    public init(
        transactionID: String, date: Timestamp, willAutoRenew: Bool, productID: String? = nil,
        plannedChange: PlannedChange? = nil, isReplaced: Bool = false
    ) {
        self.transactionID = transactionID
        self.date = date
        self.willAutoRenew = willAutoRenew
        self.productID = productID
        self.plannedChange = plannedChange
        self.isReplaced = isReplaced
    }

    /// Creates a listing of a transaction at an instant.
    init(_ transaction: Transaction, at now: Timestamp, plannedChange: PlannedChange?) {
        self.init(
            transactionID: transaction.id, date: now, willAutoRenew: transaction.play?.isAutoRenewing ?? false,
            productID: transaction.productID, plannedChange: plannedChange)
    }

    /// Returns whether a listing less than an hour after another one has the same meaning.
    ///
    /// So a refresh in which nothing has changed writes nothing.
    func saysNothingNew(after earlier: PlayListing, of transaction: Transaction) -> Bool {
        guard earlier.date <= date, date < earlier.date.adding(milliseconds: ClockMarks.stepMilliseconds),
            earlier.willAutoRenew == willAutoRenew, earlier.productID == productID,
            earlier.plannedChange == plannedChange, earlier.isReplaced == isReplaced
        else { return false }
        return transaction.completed(by: earlier, at: date) == transaction.completed(by: self, at: date)
    }

    /// Returns the product that follows a product according to the planned change; nil if the change is over.
    func plannedProductID(after productID: String, at now: Timestamp) -> String? {
        guard let plannedChange, now <= plannedChange.latestDate, !plannedChange.productID.isIdentical(to: productID)
        else { return nil }
        return plannedChange.productID
    }
}

extension [PlayListing] {
    /// Returns the listing of a purchase token.
    subscript(of transactionID: String) -> PlayListing? {
        first { $0.transactionID.isIdentical(to: transactionID) }
    }

    /// Replaces the listing of the same purchase token.
    mutating func replace(with listing: PlayListing) {
        removeAll { $0.transactionID.isIdentical(to: listing.transactionID) }
        append(listing)
    }
}

extension [Transaction] {
    /// Returns the transactions completed by the listings, without versions with a product that the purchase had before
    /// a planned change took effect.
    func completed(by listings: [PlayListing], at now: Timestamp) -> [Transaction] {
        let listed = listings.byTransaction
        return withoutFormerProducts(listings) { $0 }.map { $0.completed(by: listed[ExactString($0.id)], at: now) }
    }

    /// Returns the Play subscriptions that a later purchase of the same group replaces.
    ///
    /// A customer has at most one subscription of a group, so one that the store does not list has ended if it lists
    /// another. Two that are both listed are both in force.
    func replacedPlaySubscriptions(listed isListed: (Transaction) -> Bool) -> [Transaction] {
        let subscriptions = filter { $0.isPlaySubscription && $0.subscriptionGroupID != nil && !$0.isRevoked }
        let current = subscriptions.filter(isListed)
        guard !current.isEmpty else { return [] }
        return subscriptions.filter { earlier in
            guard !earlier.isUpgraded, !isListed(earlier), let group = earlier.subscriptionGroupID else { return false }
            return current.contains {
                ($0.subscriptionGroupID?.isIdentical(to: group) ?? false) && $0.purchaseDate >= earlier.purchaseDate
                    && !$0.id.isIdentical(to: earlier.id) && earlier.standing(at: $0.purchaseDate).isInForce
            }
        }
    }
}

extension Array {
    /// Returns the elements without versions of a Play subscription that have a product from before a planned change
    /// took effect; refunds stay.
    func withoutFormerProducts(_ listings: [PlayListing], _ transaction: (Element) -> Transaction) -> [Element] {
        let listed = listings.byTransaction
        func hasListedProduct(_ transaction: Transaction) -> Bool {
            listed[ExactString(transaction.id)]?.productID.map { $0.isIdentical(to: transaction.productID) } ?? false
        }
        // The listed product counts only if a version with it is here.
        let current = Set(
            map(transaction).filter { $0.isPlaySubscription && hasListedProduct($0) }.map { ExactString($0.id) })
        return filter { element in
            let version = transaction(element)
            return !version.isPlaySubscription || version.isRevoked || hasListedProduct(version)
                || !current.contains(ExactString(version.id))
        }
    }
}

extension [PlayListing] {
    fileprivate var byTransaction: [ExactString: PlayListing] {
        Dictionary(map { (ExactString($0.transactionID), $0) }, uniquingKeysWith: { $1 })
    }
}
