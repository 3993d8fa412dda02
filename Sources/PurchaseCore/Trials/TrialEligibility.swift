/// Whether an introductory offer applies to a customer.
public enum TrialEligibility: Sendable, Hashable {
    /// Why it does not.
    public enum Reason: String, Sendable, Hashable {
        /// The product has none.
        case noOffer = "no-offer"
        /// The customer has had one in this group.
        case alreadyUsed = "already-used"
        /// The customer has a subscription of this group and would only change it.
        case subscribed
    }

    /// It applies. Whether it is a free trial, the offer says.
    case eligible(ProductOffer)
    /// It does not.
    case ineligible(Reason)
    /// The store has not been asked, and nothing that is remembered decides it.
    case unknown
}
