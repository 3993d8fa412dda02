public import ReceiptTypes

/// An error of a store.
public typealias StoreError = PartError<StoreErrorCode>

/// The stable reason of a store error.
public struct StoreErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `network`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The store cannot be reached.
    public static let network = Self(rawValue: "network")
    /// The store has not answered within the deadline.
    public static let timedOut = Self(rawValue: "timed-out")
    /// The store does not sell the product, or not in this storefront.
    public static let productUnavailable = Self(rawValue: "product-unavailable")
    /// The customer is not allowed to buy, on this device or at all.
    public static let purchaseNotAllowed = Self(rawValue: "purchase-not-allowed")
    /// The product cannot be bought in this quantity.
    public static let invalidQuantity = Self(rawValue: "invalid-quantity")
    /// The customer is not eligible for the offer.
    public static let ineligibleForOffer = Self(rawValue: "ineligible-for-offer")
    /// The customer owns the product, and has to use it up before buying it again.
    ///
    /// Google Play does not sell a consumable again before the app has consumed the last purchase of it.
    public static let alreadyOwned = Self(rawValue: "already-owned")
    /// The customer has cancelled a dialogue.
    public static let userCancelled = Self(rawValue: "user-cancelled")
    /// The store has an internal problem.
    public static let system = Self(rawValue: "system")
    /// This system has no store.
    public static let unsupported = Self(rawValue: "unsupported")
    /// An error without a more specific code.
    public static let unknown = Self(rawValue: "unknown")
}

extension StoreError {
    /// Whether the same call can succeed later.
    public var isRetryable: Bool { code == .network || code == .system || code == .timedOut }
}
