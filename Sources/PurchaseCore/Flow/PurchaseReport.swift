/// A purchase and how it ended, for those who count.
public struct PurchaseReport: Sendable, Hashable {
    /// The product.
    public let productID: String
    /// What was to be had by it.
    public let entitlement: Entitlement
    /// The flags as they were read for this purchase.
    public let flags: FeatureFlags
    /// How it ended.
    public let outcome: PurchaseOutcome

    /// Describes a purchase.
    public init(productID: String, entitlement: Entitlement, flags: FeatureFlags, outcome: PurchaseOutcome) {
        self.productID = productID
        self.entitlement = entitlement
        self.flags = flags
        self.outcome = outcome
    }
}
