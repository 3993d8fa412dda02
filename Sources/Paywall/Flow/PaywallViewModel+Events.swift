internal import PurchaseCore
internal import ReceiptTypes

extension PaywallViewModel {
    /// The offer for analytics and for the purchase; nil for a feature, whose paywall shows none of the offers.
    var offerID: OfferID? { featureID == nil ? state.offer.id : nil }

    func track(_ event: PaywallEvent) { services.analytics.track(event) }

    func track(_ reason: PaywallEvent.FailReason, code: String?, _ plan: Plan) {
        track(.purchaseFail(offerID: offerID, planID: plan.id, featureID: featureID, reason: reason, code: code))
    }

    /// Reports how a purchase has ended, also on a paywall that the customer has left.
    ///
    /// A sale is not among it: it is reported as soon as what it unlocks is there.
    func report(_ outcome: PurchaseOutcome, of plan: Plan) {
        switch outcome {
        case .success: break
        case .alreadyOwned:
            // Nothing was sold, so it counts neither as a purchase nor as a failed one.
            track(.restoreSuccess(offerID: offerID, planID: plan.id, featureID: featureID, result: "already-owned"))
        case .cancelled: track(.purchaseCancelled(offerID: offerID, planID: plan.id, featureID: featureID))
        case .pending(.unverified(let failure)) where !failure.isRetryable:
            track(.entitlementInactive, code: failure.code.rawValue, plan)
        case .pending(let reason):
            track(.purchasePending(offerID: offerID, planID: plan.id, featureID: featureID, reason: reason.name))
        case .failed(let reason):
            let error = PurchaseError(reason, productID: plan.id)
            if error.flowCode == .verificationFailed {
                let code = error.verificationFailure?.code.rawValue ?? error.code.rawValue
                track(.entitlementInactive, code: code, plan)
            } else {
                // The customer has paid for something else.
                let isOtherProduct = reason.code == .differentProduct
                track(isOtherProduct ? .entitlementInactive : .storeKitOrNetwork, code: reason.code.rawValue, plan)
            }
        }
    }

    func track(restore outcome: OneTimeRestoreResult.Outcome) {
        if case .failed(let error) = outcome, !error.isAwaitingApproval {
            return track(.restoreFail(offerID: offerID, featureID: featureID, reason: error.code.rawValue))
        }
        let result =
            switch outcome {
            case .restored: "restored"
            case .alreadyRestored: "already-restored"
            case .nothingFound: "nothing-found"
            case .failed: "awaiting-approval"
            }
        track(.restoreSuccess(offerID: offerID, featureID: featureID, result: result))
    }
}
