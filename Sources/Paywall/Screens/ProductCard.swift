public import PurchaseCore
internal import ReceiptTypes

/// A product as a card of a paywall: name, price, kind, features, and the button that buys it.
public struct ProductCard: Sendable, Hashable, Identifiable {
    /// A feature that the product unlocks.
    public struct Feature: Sendable, Hashable, Identifiable {
        /// The id of the feature.
        public let id: FeatureID
        /// The name in the customer's language, if the texts have the definition's name as a key; otherwise that name.
        public let name: String
        /// The description, found like the name; empty if there is none.
        public let description: String
    }

    /// The button that starts the purchase.
    public struct Button: Sendable, Hashable {
        /// What the button shows.
        public let state: PurchaseButtonState
        /// The label in the customer's language.
        public let label: String
        /// Whether the button can be pressed.
        public var isEnabled: Bool { state == .available }
    }

    /// The id of the product.
    public let id: String
    /// The store's name of the product.
    public let name: String
    /// The store's description of the product.
    public let description: String
    /// The store's own text of the price, with the period of a subscription.
    public let price: String
    /// The kind of the product in words, such as `One-time purchase`.
    public let kind: String
    /// The features that the product unlocks, in the order of the catalog.
    public let features: [Feature]
    /// What the customer must be able to read before buying.
    public let terms: PlanTerms
    /// The button that starts the purchase.
    public let button: Button

    /// Creates a card.
    ///
    /// - Parameters:
    ///   - product: The product, as the store has returned it.
    ///   - catalog: The catalog with the features.
    ///   - trial: The answer of a `TrialManager` for the product.
    ///   - comparison: The period of a derived price, to compare plans.
    ///   - state: What the button shows.
    ///   - legal: The links.
    ///   - texts: Writes the texts.
    public init(
        _ product: Product, catalog: TemplatePriceCatalog, trial: TrialEligibility = .unknown,
        comparison: BillingPeriod? = nil, state: PurchaseButtonState, legal: LegalLinks, texts: PaywallTexts
    ) {
        id = product.id
        name = product.displayName.isEmpty ? product.id : product.displayName
        description = product.description
        terms = PlanTerms(
            product, trial: trial, comparison: comparison, duration: catalog.nonRenewingPeriod(of: product.id),
            legal: legal, texts: texts)
        price = terms.price
        kind = texts.kind(of: product.type)
        let unlocked = Set(catalog.features.features(unlockedBy: product.id))
        let unlocksAll = catalog.unlocksPro(product.id)
        features = catalog.features.definitions.filter { feature in
            unlocked.contains(feature.id) || unlocksAll && feature.level == .premium
        }.map { feature in
            Feature(
                id: feature.id, name: texts.translation(of: feature.name),
                description: feature.description.isEmpty ? "" : texts.translation(of: feature.description))
        }
        button = Button(state: state, label: texts.label(of: state, product, trial))
    }
}

/// What the button that buys a product shows.
public enum PurchaseButtonState: String, Sendable, Hashable, CaseIterable {
    /// The product can be bought.
    case available
    /// The product is being bought.
    case buying
    /// Another purchase or a restore runs, so the button waits for its end.
    case busy
    /// The purchase awaits an approval, or a step of the customer's payment.
    case awaitingApproval = "awaiting-approval"
    /// The customer has the product, so it is not sold again.
    case owned
    /// The app sells nothing at the moment, or the store does not sell the product.
    case unavailable

    /// Creates the state of a product's button.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - entitlements: What the customer owns.
    ///   - pending: The ids of the products with a pending purchase, from `PurchaseServicing.pendingPurchases()`.
    ///   - activity: What the purchase flow is doing.
    ///   - isSold: Whether the app sells, and the store has the product.
    public init(
        of product: Product, entitlements: Entitlements, pending: some Sequence<String> = EmptyCollection<String>(),
        activity: OneTimeActivity = OneTimeActivity(), isSold: Bool = true
    ) {
        // To choose the present plan again cancels a change to another one, so the store is asked.
        let isOwned =
            product.type != .consumable && product.type != .nonRenewingSubscription
            && entitlements.purchases.contains {
                $0.isGranted && $0.productID.isIdentical(to: product.id) && $0.planChange == nil
            }
        if isOwned {
            self = .owned
        } else if pending.contains(where: { $0.isIdentical(to: product.id) }) {
            self = .awaitingApproval
        } else if !isSold {
            self = .unavailable
        } else {
            let isBuying = activity.purchase?.productID.isIdentical(to: product.id) ?? false
            self = isBuying ? .buying : activity.isLoading ? .busy : .available
        }
    }
}

extension PaywallTexts {
    /// Returns the kind of a product in words.
    func kind(of type: ProductType) -> String {
        let message: CardMessage =
            switch type {
            case .nonConsumable: .oneTime
            case .consumable: .consumable
            case .autoRenewableSubscription: .subscription
            case .nonRenewingSubscription: .limited
            default: .other
            }
        return text(message)
    }

    fileprivate func label(
        of state: PurchaseButtonState, _ product: Product, _ trial: TrialEligibility
    ) -> String {
        switch state {
        case .available, .busy:
            if case .eligible(let offer) = trial, offer.paymentMode == .freeTrial, product.subscription != nil {
                return text(CardMessage.startTrial, ["length": length(offer.period, times: offer.periodCount)])
            }
            let message: CardMessage = product.subscription == nil ? .buy : .subscribe
            return text(message, ["price": price(of: product)])
        case .buying: return text(CardMessage.buying)
        case .awaitingApproval: return text(CardMessage.awaitingApproval)
        case .owned: return text(CardMessage.owned)
        case .unavailable: return text(CardMessage.unavailable)
        }
    }
}
