public import PurchaseCore
public import ReceiptTypes

/// A subscription of the customer as a card: what has become of it, and the plans that it can change to.
public struct SubscriptionCard: Sendable, Hashable, Identifiable {
    /// A plan of the subscription's group.
    public struct Plan: Sendable, Hashable, Identifiable {
        /// The id of the product.
        public let id: String
        /// The store's name of the product.
        public let name: String
        /// The store's own text of the price, with the period.
        public let price: String
        /// What a purchase of the plan does.
        public let change: PlanEffect
        /// The same in words, for a button if the plan ``isChoice``.
        public let label: String
        /// Whether the customer can choose the plan. Choosing it buys its product.
        public var isChoice: Bool {
            switch change {
            case .none, .planned: false
            case .keeps, .atOnce, .atRenewal: true
            }
        }
    }

    /// The id of the transaction of the latest period.
    public let id: String
    /// The id of the product of the present plan.
    public let productID: String
    /// The store's name of the present plan; its id if the store has not told it.
    public let name: String
    /// What has become of the subscription.
    public let standing: PurchaseStanding
    /// The same in words: when it renews, ends or changes, or that its payment has failed.
    public let state: String
    /// Whether the customer can manage the subscription in the store. Only the family member that pays for it can.
    public let isManageable: Bool
    /// The plans of the group, the present one first; none if the customer cannot change the plan.
    public let plans: [Plan]

    /// Whether the payment of the subscription has failed, so that the customer has to do something.
    public var hasPaymentFailed: Bool {
        if case .paymentFailed = standing { true } else { false }
    }

    /// Returns the subscriptions that are in force, and those whose payment the store tries to collect.
    ///
    /// - Parameters:
    ///   - entitlements: What the customer has.
    ///   - products: The products that the store sells.
    ///   - texts: Writes the texts.
    public static func cards(
        of entitlements: Entitlements, products: [Product], texts: PaywallTexts
    ) -> [SubscriptionCard] {
        let known = Dictionary(
            products.map { (ExactString($0.id), KnownProduct(product: $0, isSold: true)) },
            uniquingKeysWith: { first, _ in first })
        let builder = PurchaseHistoryBuilder(entitlements, known, texts)
        return entitlements.purchases.filter { purchase in
            purchase.type == .autoRenewableSubscription && (purchase.isGranted || purchase.billingIssue != nil)
        }.map { purchase in
            let (standing, words) = builder.state(of: purchase)
            return SubscriptionCard(purchase, standing, words, products, texts)
        }
    }

    private init(
        _ purchase: PurchaseDetails, _ standing: PurchaseStanding, _ words: String, _ products: [Product],
        _ texts: PaywallTexts
    ) {
        let present = products.first { $0.id.isIdentical(to: purchase.productID) }
        id = purchase.transactionID
        productID = purchase.productID
        name = present.map(\.shownName) ?? purchase.productID
        self.standing = standing
        state = words
        isManageable = purchase.ownership != .familyShared
        guard isManageable, let present, let terms = present.subscription else {
            plans = []
            return
        }
        let others = products.filter { product in
            product.subscription?.groupID.isIdentical(to: terms.groupID) ?? false
                && !product.id.isIdentical(to: present.id)
        }
        plans = ([present] + others).map { product in
            let effect = PlanEffect(of: product, on: purchase, present)
            return Plan(
                id: product.id, name: product.shownName, price: texts.price(of: product), change: effect,
                label: texts.label(of: effect))
        }
    }
}

/// What a purchase of a plan does to the customer's subscription of the same group.
public enum PlanEffect: Sendable, Hashable {
    /// Nothing: it is the present plan.
    case none
    /// It cancels a planned change to another plan.
    case keeps
    /// The plan changes at once. The store does so for a higher level, and for the same level and period.
    case atOnce
    /// The plan changes with the next renewal; the date is nil if the store does not tell it.
    case atRenewal(on: Timestamp?)
    /// Nothing: the change is planned already.
    case planned(on: Timestamp?)

    /// Returns the effect on the subscription that the customer has; nil if there is none in the product's group.
    ///
    /// - Parameters:
    ///   - product: The plan, as the store has returned it.
    ///   - entitlements: What the customer has.
    ///   - products: The products that the store sells.
    public init?(of product: Product, on entitlements: Entitlements, products: [Product]) {
        guard let group = product.subscription?.groupID else { return nil }
        for purchase in entitlements.purchases where purchase.isGranted && purchase.ownership != .familyShared {
            let present = products.first { $0.id.isIdentical(to: purchase.productID) }
            guard let present, present.subscription?.groupID.isIdentical(to: group) ?? false else { continue }
            self.init(of: product, on: purchase, present)
            return
        }
        return nil
    }

    fileprivate init(of product: Product, on purchase: PurchaseDetails, _ present: Product) {
        let planned = purchase.planChange
        if product.id.isIdentical(to: present.id) {
            self = planned == nil ? .none : .keeps
        } else if let planned, planned.nextProductID.isIdentical(to: product.id) {
            self = .planned(on: planned.date)
        } else if purchase.isGranted, let old = present.subscription, let new = product.subscription,
            new.level > old.level || new.level == old.level && new.period != old.period
        {
            // In a grace period the last period is over, and the next one begins with the payment.
            self = .atRenewal(on: purchase.billingIssue == nil ? purchase.renewsOn ?? purchase.periodEnds : nil)
        } else {
            self = .atOnce
        }
    }
}

extension Product {
    /// The store's name; the id if there is none.
    fileprivate var shownName: String { displayName.isEmpty ? id : displayName }
}

extension PaywallTexts {
    /// Returns what a customer reads before a change of plan; nil for a plan whose purchase changes nothing.
    public func notice(of effect: PlanEffect) -> String? {
        switch effect {
        case .none, .planned: nil
        case .keeps: text(SubscriptionMessage.remains)
        case .atOnce: text(SubscriptionMessage.changesAtOnce)
        case .atRenewal(let date?): text(FlowMessage.changesOn, ["date": day(of: date)])
        case .atRenewal(nil): text(FlowMessage.changesAtRenewal)
        }
    }

    fileprivate func label(of effect: PlanEffect) -> String {
        func dated(_ message: SubscriptionMessage, _ date: Timestamp?, or other: SubscriptionMessage) -> String {
            date.map { text(message, ["date": day(of: $0)]) } ?? text(other)
        }
        return switch effect {
        case .none: text(SubscriptionMessage.present)
        case .keeps: text(SubscriptionMessage.keep)
        case .atOnce: text(SubscriptionMessage.changeNow)
        case .atRenewal(let date): dated(.changeOn, date, or: .changeAtRenewal)
        case .planned(let date): dated(.begins, date, or: .beginsAtRenewal)
        }
    }
}
