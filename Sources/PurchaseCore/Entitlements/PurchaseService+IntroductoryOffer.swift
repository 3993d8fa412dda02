internal import ReceiptTypes

extension PurchaseService {
    /// Returns whether the customer is eligible for a product's introductory offer, according to the store.
    ///
    /// Only the store knows which offers an account of the store has used, on every device. If it does not tell, or
    /// cannot be reached, the answer is that of a ``TrialManager`` over the evidence.
    public func introductoryOffer(of product: Product) async throws(LedgerError) -> TrialEligibility {
        guard let terms = product.subscription, let offer = terms.introductoryOffer else {
            return .ineligible(.noOffer)
        }
        var answer: Bool?
        do throws(StoreError) {
            answer = try await store.isEligibleForIntroductoryOffer(groupID: terms.groupID)
        } catch {
            logEvent(.storeFailed, product.id, error: error)
        }
        let evidence = try await evidence()
        let recorded = TrialManager(evidence: evidence, clock: environment.clock()).introductoryOffer(of: product)
        switch answer {
        case nil: return recorded
        case true?:
            // A store can call a subscriber eligible, and charges the full price all the same.
            let isSubscribed = evidence.transactions.contains { transaction in
                transaction.subscriptionGroupID?.isIdentical(to: terms.groupID) ?? false
                    && transaction.ownership != .familyShared
                    && evidence.listedTransactionIDs.contains { $0.isIdentical(to: transaction.id) }
            }
            return isSubscribed ? .ineligible(.subscribed) : .eligible(offer)
        case false?:
            if case .ineligible = recorded { return recorded }
            return .ineligible(.alreadyUsed)
        }
    }
}
