/// Why a local store could not do what it was told.
public struct LocalStoreError: Error, Sendable {
    /// A stable reason; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case, such as `unknown-product`.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// No customer bears the name.
        public static let unknownAccount = Self(rawValue: "unknown-account")
        /// The configuration has no such product.
        public static let unknownProduct = Self(rawValue: "unknown-product")
        /// There is no such transaction.
        public static let unknownTransaction = Self(rawValue: "unknown-transaction")
        /// There is no such subscription.
        public static let unknownSubscription = Self(rawValue: "unknown-subscription")
        /// No such purchase waits.
        public static let unknownPurchase = Self(rawValue: "unknown-purchase")
        /// The product has no such offer.
        public static let unknownOffer = Self(rawValue: "unknown-offer")
        /// The customer may not have the offer.
        public static let ineligibleForOffer = Self(rawValue: "ineligible-for-offer")
        /// The number of items cannot be bought.
        public static let invalidQuantity = Self(rawValue: "invalid-quantity")
        /// What was asked for does not fit the present state.
        public static let invalidAction = Self(rawValue: "invalid-action")
        /// A clock goes forward only.
        public static let clockBackward = Self(rawValue: "clock-backward")
        /// More would happen at once than a store does in one command.
        public static let tooManyEvents = Self(rawValue: "too-many-events")
        /// The state file cannot be read.
        public static let unreadableState = Self(rawValue: "unreadable-state")
        /// The state file holds no state, or one that was changed.
        public static let damagedState = Self(rawValue: "damaged-state")
        /// The state file was written by a newer version.
        public static let newerState = Self(rawValue: "newer-state")
        /// The state file cannot be written.
        public static let unwritableState = Self(rawValue: "unwritable-state")
        /// The keys cannot be read or made.
        public static let unusableKeys = Self(rawValue: "unusable-keys")
        /// Something could not be signed.
        public static let notSigned = Self(rawValue: "not-signed")
        /// A fault plan has ended the process here.
        public static let crashed = Self(rawValue: "crashed")
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
}

extension LocalStoreError: Equatable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension LocalStoreError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
