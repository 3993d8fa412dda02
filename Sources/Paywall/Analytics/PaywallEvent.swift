public import PurchaseCore

/// An event of a paywall for analytics, with the offer and the plan where it has them.
///
/// The names and the reasons are those of the source documents. No event has the id of a user or of a transaction.
public struct PaywallEvent: Sendable, Hashable {
    /// The name.
    public let name: AnalyticsEvent.Name
    /// The metadata by name: `offer`, `layout`, `revision`, `plan`, `feature`, `reason`, `code`, `result`, `experiment`
    /// and `group`, where known. A paywall for a feature shows none of the offers, so its events have `feature` in
    /// place of `offer`.
    public let properties: [String: AnalyticsEvent.PropertyValue]

    /// Creates an event of the app's own.
    public init(name: AnalyticsEvent.Name, properties: [String: AnalyticsEvent.PropertyValue] = [:]) {
        self.name = name
        self.properties = properties
    }

    private init(
        _ name: AnalyticsEvent.Name, _ offerID: OfferID?, _ featureID: FeatureID?,
        _ properties: [String: String?] = [:]
    ) {
        let source = ["offer": offerID?.rawValue, "feature": featureID?.rawValue]
        let all = source.merging(properties) { $1 }
        self.init(name: name, properties: all.compactMapValues { $0.map { .text($0) } })
    }
}

extension AnalyticsEvent.Name {
    /// A paywall was opened.
    public static let paywallView = Self(rawValue: "paywallView")
    /// The customer has said "not now".
    public static let paywallNotNow = Self(rawValue: "paywallNotNow")
    /// The customer has closed the paywall without an answer.
    public static let paywallDismissed = Self(rawValue: "paywallDismissed")
    /// No paywall was shown.
    public static let paywallSkipped = Self(rawValue: "paywallSkipped")
    /// The customer has chosen a plan.
    public static let paywallPlanSelected = Self(rawValue: "paywallPlanSelected")
    /// The customer has pressed the button that buys.
    public static let paywallCTAClick = Self(rawValue: "paywallCTAClick")
    /// The store has sold the plan, and it is unlocked.
    public static let purchaseSuccess = Self(rawValue: "purchaseSuccess")
    /// The purchase has failed, or has unlocked nothing.
    public static let purchaseFail = Self(rawValue: "purchaseFail")
    /// The customer has cancelled the purchase.
    public static let purchaseCancelled = Self(rawValue: "purchaseCancelled")
    /// The purchase awaits something, such as an approval.
    public static let purchasePending = Self(rawValue: "purchasePending")
    /// A restore has ended without an error, also if there was nothing to restore.
    public static let restoreSuccess = Self(rawValue: "restoreSuccess")
    /// A restore has failed.
    public static let restoreFail = Self(rawValue: "restoreFail")
    /// An experiment was asked for the offer of the customer.
    public static let experimentExposure = Self(rawValue: "experimentExposure")
}

extension PaywallEvent {
    /// The reason of a ``purchaseFail(offerID:planID:featureID:reason:code:)``, with the name of the source documents.
    public enum FailReason: String, Sendable, Hashable, CaseIterable {
        /// The store has sold something, and the entitlement is not in force.
        case entitlementInactive = "entitlement_inactive"
        /// The store or the network has failed, or the purchase was not started.
        case storeKitOrNetwork = "storekit_or_network"
    }

    /// A paywall was opened, for a feature or by a decision; the revision is the one of the configuration.
    public static func paywallView(
        offer: Offer, featureID: FeatureID? = nil, reason: OfferReason? = nil, revision: Int? = nil
    ) -> Self {
        let offerID = featureID == nil ? offer.id : nil
        return Self(
            .paywallView, offerID, featureID,
            ["layout": offer.layoutVariant, "reason": reason?.name, "revision": revision.map { "\($0)" }])
    }

    /// The customer has said "not now", on a paywall or on a screen before it.
    public static func paywallNotNow(offerID: OfferID? = nil, featureID: FeatureID? = nil) -> Self {
        Self(.paywallNotNow, offerID, featureID)
    }

    /// The customer has closed the paywall without an answer.
    public static func paywallDismissed(offerID: OfferID?, featureID: FeatureID? = nil) -> Self {
        Self(.paywallDismissed, offerID, featureID)
    }

    /// No paywall was shown.
    public static func paywallSkipped(_ reason: PaywallSkipReason, featureID: FeatureID? = nil) -> Self {
        Self(.paywallSkipped, nil, featureID, ["reason": reason.name])
    }

    /// The customer has chosen a plan.
    public static func paywallPlanSelected(offerID: OfferID?, planID: String, featureID: FeatureID? = nil) -> Self {
        Self(.paywallPlanSelected, offerID, featureID, ["plan": planID])
    }

    /// The customer has pressed the button that buys.
    public static func paywallCTAClick(offerID: OfferID?, planID: String, featureID: FeatureID? = nil) -> Self {
        Self(.paywallCTAClick, offerID, featureID, ["plan": planID])
    }

    /// The store has sold the plan, and it is unlocked; without an offer also for a purchase of an earlier launch.
    public static func purchaseSuccess(offerID: OfferID?, planID: String, featureID: FeatureID? = nil) -> Self {
        Self(.purchaseSuccess, offerID, featureID, ["plan": planID])
    }

    /// The purchase has failed, or has unlocked nothing; the code says more than the documents' reason.
    public static func purchaseFail(
        offerID: OfferID?, planID: String, featureID: FeatureID? = nil, reason: FailReason, code: String? = nil
    ) -> Self {
        Self(.purchaseFail, offerID, featureID, ["plan": planID, "reason": reason.rawValue, "code": code])
    }

    /// The customer has cancelled the purchase.
    public static func purchaseCancelled(offerID: OfferID?, planID: String, featureID: FeatureID? = nil) -> Self {
        Self(.purchaseCancelled, offerID, featureID, ["plan": planID])
    }

    /// The purchase awaits something; the reason is the name of a `PendingReason`.
    public static func purchasePending(
        offerID: OfferID?, planID: String, featureID: FeatureID? = nil, reason: String
    ) -> Self {
        Self(.purchasePending, offerID, featureID, ["plan": planID, "reason": reason])
    }

    /// A restore has ended without an error.
    ///
    /// The result is `restored`, `already-restored`, `nothing-found` or `awaiting-approval`, and `already-owned` for a
    /// plan that the customer wanted to buy and has.
    public static func restoreSuccess(
        offerID: OfferID? = nil, planID: String? = nil, featureID: FeatureID? = nil, result: String
    ) -> Self {
        Self(.restoreSuccess, offerID, featureID, ["plan": planID, "result": result])
    }

    /// A restore has failed; the reason is a stable code, because the text of an error can name the customer.
    public static func restoreFail(offerID: OfferID? = nil, featureID: FeatureID? = nil, reason: String) -> Self {
        Self(.restoreFail, offerID, featureID, ["reason": reason])
    }

    /// An experiment was asked for the offer of the customer.
    public static func experimentExposure(_ exposure: ExperimentExposure) -> Self {
        Self(.experimentExposure, nil, nil, ["experiment": exposure.experimentID, "group": exposure.group.name])
    }
}
