internal import ReceiptTypes

/// Decides which offer a customer sees: a pure function, so the same input always has the same answer.
///
/// The steps, of which the first one that applies decides:
///
/// 1. A configuration without offers shows none.
/// 2. A customer that has reached the limit of views sees none.
/// 3. A customer in the holdout group of the experiment sees none.
/// 4. The first rule whose conditions all hold chooses the offer.
/// 5. The experiment chooses the offer, for a customer with a stable id.
/// 6. The default offer is shown.
public enum OfferDecisionEngine {
    /// Returns the offer for a customer, and the reasons.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - risk: The risk of the customer.
    ///   - paywallViews7d: The number of paywalls that the customer has seen within seven days.
    ///   - timeOnPaywallSec: The seconds that the customer has spent on paywalls since the launch of the app.
    ///   - personalPromiseKey: The key of the promise that the customer has given; nil if none was given.
    ///   - userID: The stable id of the customer; without one, the customer takes part in no experiment.
    public static func decide(
        config: RemoteConfig,
        risk: RiskSnapshot,
        paywallViews7d: Int,
        timeOnPaywallSec: Int,
        personalPromiseKey: String?,
        userID: String? = nil
    ) -> OfferDecision {
        guard let fallback = config.defaultOfferID.flatMap(config.offer) ?? config.offers.first else {
            return OfferDecision(offer: nil, reasons: [.noOffer])
        }
        if let limit = config.viewLimit7d, paywallViews7d >= limit {
            return OfferDecision(offer: nil, reasons: [.viewLimit(views: paywallViews7d)])
        }
        let exposure = config.experiment.flatMap { experiment in
            // An empty id would put all of its customers into one group.
            userID.flatMap { $0.isEmpty ? nil : experiment.group(of: $0) }.map { group in
                ExperimentExposure(experimentID: experiment.id, group: group)
            }
        }
        if let exposure, exposure.group == .holdout {
            return OfferDecision(offer: nil, reasons: [.heldOut(exposure.experimentID)], exposure: exposure)
        }
        let customer = Customer(
            risk: risk.level, views: paywallViews7d, seconds: timeOnPaywallSec, promise: personalPromiseKey)
        for rule in config.rules {
            // A rule for an offer that the configuration lacks cannot apply.
            guard let offer = config.offer(rule.offerID), let conditions = customer.conditionsMet(of: rule) else {
                continue
            }
            return OfferDecision(
                offer: offer.withPersonalPromise(personalPromiseKey), reasons: [.rule(rule.name)] + conditions,
                exposure: exposure)
        }
        if let exposure, case .arm(let arm) = exposure.group, let offer = config.offer(arm) {
            return OfferDecision(
                offer: offer.withPersonalPromise(personalPromiseKey), reasons: [.experiment(exposure.experimentID)],
                exposure: exposure)
        }
        return OfferDecision(
            offer: fallback.withPersonalPromise(personalPromiseKey), reasons: [.defaultOffer], exposure: exposure)
    }

    /// What the rules ask about.
    private struct Customer {
        let risk: RiskLevel?
        let views: Int
        let seconds: Int
        let promise: String?

        /// Returns the conditions of a rule with the values that have met them; nil if one is not met.
        func conditionsMet(of rule: OfferRule) -> [OfferReason]? {
            var reasons: [OfferReason] = []
            if rule.minimumViews7d != nil || rule.maximumViews7d != nil {
                guard views >= rule.minimumViews7d ?? .min, views <= rule.maximumViews7d ?? .max else { return nil }
                reasons.append(.paywallViews(views))
            }
            if let minimum = rule.minimumTimeOnPaywallSec {
                guard seconds >= minimum else { return nil }
                reasons.append(.timeOnPaywall(seconds))
            }
            if let levels = rule.riskLevels {
                guard let risk, levels.contains(risk) else { return nil }
                reasons.append(.riskLevel(risk))
            }
            if let keys = rule.personalPromiseKeys {
                guard let promise, keys.contains(where: { $0.isIdentical(to: promise) }) else { return nil }
                reasons.append(.personalPromise(promise))
            }
            return reasons
        }
    }
}
