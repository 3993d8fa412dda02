/// Why a store could not do what it was asked for.
public struct StoreError: Error, Sendable {
    /// A stable reason; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case, such as `network`.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// The store cannot be reached.
        public static let network = Self(rawValue: "network")
        /// The store does not sell the product, or not here.
        public static let productUnavailable = Self(rawValue: "product-unavailable")
        /// The customer may not buy, on this device or at all.
        public static let purchaseNotAllowed = Self(rawValue: "purchase-not-allowed")
        /// The number of items cannot be bought.
        public static let invalidQuantity = Self(rawValue: "invalid-quantity")
        /// The customer may not have the offer.
        public static let ineligibleForOffer = Self(rawValue: "ineligible-for-offer")
        /// The customer has left a dialogue that was no purchase.
        public static let userCancelled = Self(rawValue: "user-cancelled")
        /// The store has a problem of its own.
        public static let system = Self(rawValue: "system")
        /// There is no store on this system.
        public static let unsupported = Self(rawValue: "unsupported")
        /// Something else.
        public static let unknown = Self(rawValue: "unknown")
    }

    /// The reason.
    public let code: Code
    /// What happened, for a log or a person.
    public let message: String
    /// What lies beneath.
    public let underlying: (any Error)?

    /// Describes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Whether the same call can succeed later.
    public var isRetryable: Bool { code == .network || code == .system }
}

extension StoreError: Equatable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension StoreError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
