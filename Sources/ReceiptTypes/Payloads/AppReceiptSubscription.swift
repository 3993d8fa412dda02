/// A subscription of an app receipt in its latest state.
///
/// The state is that of the time at which the receipt was created: the receipt does not have what happened since then.
public struct AppReceiptSubscription: Sendable, Hashable {
    /// The ID that all transactions of the subscription share, also after an upgrade to another product.
    public let originalTransactionID: String
    /// The transaction with the latest purchase date; its product is the one that the customer subscribes to.
    public let latestPurchase: AppReceiptPurchase
    /// The number of transactions that the receipt has of the subscription.
    public let transactionCount: Int

    /// The state of a subscription, as far as a receipt shows it.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The latest transaction has not expired.
        case active
        /// The latest transaction has expired. The receipt does not show whether the store still retries the payment.
        case expired
        /// The latest transaction was refunded, or ended by an upgrade whose transaction the receipt does not have.
        case revoked
    }

    /// Returns the state at a time; nil if the latest transaction has no expiration date.
    public func state(at time: Timestamp) -> State? {
        if latestPurchase.cancellationDate != nil { return .revoked }
        return latestPurchase.expiresDate.map { time < $0 ? .active : .expired }
    }
}

extension AppReceiptPurchase {
    /// Whether the purchase is a transaction of an auto-renewable subscription.
    ///
    /// Without a product type, a purchase with an expiration date is one: the store writes it only for subscriptions.
    public var isSubscription: Bool {
        guard let type = members["productType"] else { return self.expiresDate != nil }
        return type == AppReceiptProductType.autoRenewableSubscription.json
    }
}

extension AppReceipt {
    /// The different IDs of the transactions, in the order of the receipt.
    ///
    /// The App Store Server API takes any of them to identify the customer.
    public var transactionIDs: [String] {
        var seen: Set<[UInt8]> = []
        return (self.inApp ?? []).compactMap(\.transactionId).filter { seen.insert([UInt8]($0.utf8)).inserted }
    }

    /// The subscriptions, in the order in which the receipt first names them.
    public var subscriptions: [AppReceiptSubscription] {
        Self.subscriptions(in: self.inApp ?? []).map(\.subscription)
    }

    /// Returns the subscriptions of some purchases, each with the index of its latest purchase.
    ///
    /// A purchase without an original transaction is the first one of its subscription. One without any ID belongs to
    /// none.
    static func subscriptions(
        in purchases: [AppReceiptPurchase]
    ) -> [(subscription: AppReceiptSubscription, latest: Int)] {
        var groups: [(id: String, latest: Int, count: Int)] = []
        // The keys are bytes, because equal strings can have different ones.
        var places: [[UInt8]: Int] = [:]
        for (index, purchase) in purchases.enumerated() where purchase.isSubscription {
            guard let id = purchase.originalTransactionId ?? purchase.transactionId else { continue }
            let place = places[[UInt8](id.utf8), default: groups.count]
            guard place < groups.count else {
                places[[UInt8](id.utf8)] = place
                groups.append((id, index, 1))
                continue
            }
            groups[place].count += 1
            if purchase.isLater(than: purchases[groups[place].latest]) { groups[place].latest = index }
        }
        return groups.map { group in
            let latest = purchases[group.latest]
            return (
                .init(originalTransactionID: group.id, latestPurchase: latest, transactionCount: group.count),
                group.latest
            )
        }
    }
}

extension AppReceiptPurchase {
    /// Returns whether the purchase was made after another one; the expiration date decides about equal dates.
    func isLater(than other: AppReceiptPurchase) -> Bool {
        let (date, otherDate) = (self.purchaseDate ?? .minimum, other.purchaseDate ?? .minimum)
        guard date == otherDate else { return date > otherDate }
        return (self.expiresDate ?? .minimum) > (other.expiresDate ?? .minimum)
    }
}
