internal import PurchaseCore

/// A plan of an offer that a paywall does not show, because a purchase of it would give the customer nothing.
public struct WithheldPlan: Sendable, Hashable, Identifiable {
    /// The reason that a plan is not shown.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The catalog has no entitlement for the product, or the store sells it as a consumable.
        case unlocksNothing = "unlocks-nothing"
        /// The store does not sell the product.
        case notSold = "not-sold"
    }

    /// The product id of the plan.
    public let id: String
    /// The reason.
    public let reason: Reason
}

extension PaywallServices {
    /// Returns the plans of an offer that unlock nothing.
    func plansUnlockingNothing(of offer: Offer) -> [WithheldPlan] {
        offer.plans.filter { entitlements(soldBy: $0.id).isEmpty }.map {
            WithheldPlan(id: $0.id, reason: .unlocksNothing)
        }
    }

    /// Logs plans, so that a mistake in an offer or in the catalog is noticed.
    func report(_ plans: [WithheldPlan]) {
        for plan in plans {
            let detail =
                switch plan.reason {
                case .unlocksNothing: "the plan is not shown, because its product unlocks nothing"
                case .notSold: "the plan is not shown, because the store does not sell its product"
                }
            log.log(PurchaseLogEvent(.paywallPlanWithheld, productID: plan.id, detail: detail))
        }
    }
}

extension Offer {
    /// Returns the same offer without some of its plans.
    func without(_ plans: [WithheldPlan]) -> Offer {
        withPlans(self.plans.filter { plan in !plans.contains { plan.hasID($0.id) } })
    }
}
