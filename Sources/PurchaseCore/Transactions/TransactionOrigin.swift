public import ReceiptTypes

/// The store that sold a product, with the facts that only this store has.
public enum TransactionOrigin: Sendable, Hashable {
    /// The App Store.
    case appStore
    /// Google Play.
    // Indirect because a projection copies many transactions, and most have no such facts.
    indirect case googlePlay(PlayFacts)
}

/// The facts of a verified Google Play purchase that transactions of the App Store do not have.
///
/// The purchase token is the ``Transaction/id``, because it is the only id that every purchase has and keeps: an order
/// id is absent in test purchases and changes when a subscription renews.
public struct PlayFacts: Sendable, Hashable {
    /// The order id; nil in test purchases.
    public let orderID: String?
    /// The state of the purchase, completed or cancelled. A pending purchase never becomes a transaction.
    public let state: PlayPurchaseState
    /// Whether the app has acknowledged or consumed the purchase.
    public let isAcknowledged: Bool
    /// Whether a subscription renews automatically; nil for other products.
    public let isAutoRenewing: Bool?
    /// The obfuscated id of the app's account, as the app passed it; ``Transaction/appAccountToken`` in comparable
    /// form.
    public let obfuscatedAccountID: String?
    /// The obfuscated id of the profile within the app's account.
    public let obfuscatedProfileID: String?
    /// The time between two renewals of a subscription, according to the app.
    public let period: BillingPeriod?
    /// The ids of the other products of the purchase, such as the add-ons of a subscription; usually none.
    public let otherProductIDs: [String]

    /// The time, in milliseconds, within which Google Play expects an acknowledgement: three days.
    public static let acknowledgementTimeMilliseconds: Int64 = 3 * 86_400_000
}

extension Transaction {
    /// The facts of a Google Play purchase; nil for a transaction of the App Store.
    public var play: PlayFacts? {
        if case .googlePlay(let facts) = origin { facts } else { nil }
    }

    /// The ids of the products that were bought together with ``productID``, which only Google Play has.
    public var otherProductIDs: [String] { play?.otherProductIDs ?? [] }

    /// Returns whether a product is among those of the purchase.
    public func includes(_ productID: String) -> Bool {
        self.productID.isIdentical(to: productID) || otherProductIDs.contains { $0.isIdentical(to: productID) }
    }

    /// The instant at which Google Play refunds the purchase unless it is finished before; nil if it never does.
    ///
    /// Finishing a Play purchase acknowledges or consumes it. The App Store has no such deadline.
    public var acknowledgementDeadline: Timestamp? {
        guard let play, !play.isAcknowledged, !isRevoked else { return nil }
        return purchaseDate.adding(milliseconds: PlayFacts.acknowledgementTimeMilliseconds)
    }
}
