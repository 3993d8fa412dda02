/// Why a product that was bought gives nothing.
public enum DenialReason: String, Sendable, Hashable, CaseIterable {
    /// The period that was paid for is over.
    case expired
    /// The period is over, the store tries to bill, and has granted no grace or no more of it.
    case billingRetry = "billing-retry"
    /// It was paid back, or the family shares it no longer.
    case revoked
    /// Another subscription of the group has taken its place.
    case upgraded
    /// The catalog does not know what the product gives.
    case unknownProduct = "unknown-product"
    /// The store calls the product something that nobody knows.
    case unknownType = "unknown-type"
    /// Neither the store nor the catalog says how long it lasts.
    case unknownEnd = "unknown-end"
}
