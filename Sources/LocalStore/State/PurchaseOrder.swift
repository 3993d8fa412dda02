internal import PurchaseCore
public import ReceiptTypes

/// The options of a purchase: quantity, app account and offer.
public struct PurchaseOrder: Codable, Sendable, Hashable {
    /// The number of items.
    public var quantity: Int
    /// The app's account that the purchase is for. An App Store purchase has only one that is a UUID.
    public var appAccountToken: UUIDText?
    /// The requested offer; an introductory offer applies without a request.
    public var offer: RequestedOffer?
    /// The payment schedule of a subscription; nil for the usual one, which bills each period at its start.
    public var billingPlan: BillingPlanType?
    /// The part of the order that only Google Play has; nil for an order in the App Store.
    public var play: PlayOrder?

    /// Creates an order; the defaults order one item at the regular price in the App Store.
    public init(
        quantity: Int = 1, appAccountToken: UUIDText? = nil, offer: RequestedOffer? = nil,
        billingPlan: BillingPlanType? = nil, play: PlayOrder? = nil
    ) {
        self.quantity = quantity
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.billingPlan = billingPlan
        self.play = play
    }

    /// The order without an account that the App Store does not take: it signs only a UUID. Google Play signs any text.
    var asTheStoreTakesIt: PurchaseOrder {
        guard play == nil, appAccountToken?.isUUID == false else { return self }
        var order = self
        order.appAccountToken = nil
        return order
    }

    /// The quantities that the App Store allows in one purchase.
    static let quantities = 1...10
}

/// An offer that a customer or an app requests with a purchase.
public enum RequestedOffer: Codable, Sendable, Hashable {
    /// A promotional offer, by its identifier.
    case promotional(id: String)
    /// An offer code, by the reference name of its offer.
    case code(name: String)
    /// A win-back offer, by its identifier.
    case winBack(id: String)
}

/// A purchase that waits for approval, or for the customer to resolve an issue.
public struct PendingOrder: Codable, Sendable, Hashable, Identifiable {
    /// The event that a purchase waits for.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// Approval by a family organizer (Ask to Buy).
        case approval
        /// The customer's resolution of an issue (an interrupted purchase).
        case interruption
    }

    let number: Int64
    /// The event that the purchase waits for.
    public let kind: Kind
    /// The customer's account.
    public let account: String
    /// The product identifier.
    public let productID: String
    /// The options of the purchase.
    public let order: PurchaseOrder
    /// The time of the purchase.
    public let date: Timestamp

    /// The time from which the purchase can no longer be approved; nil if it waits for as long as it takes.
    ///
    /// The App Store removes a request that the family organizer has not answered for 24 hours.
    public var approvalDeadline: Timestamp? {
        guard kind == .approval, order.play == nil else { return nil }
        return date.adding(milliseconds: PurchaseService.approvalTimeoutMilliseconds)
    }

    /// The identifier, which ``SimulatorEngine/approve(_:)`` and the other commands take.
    public var id: String { "\(number)" }
}
