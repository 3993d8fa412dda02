/// Why a purchase has failed.
public struct PurchaseFlowError: Error, Sendable {
    /// A stable reason; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// Purchases are switched off.
        public static let purchasesDisabled = Self(rawValue: "purchases-disabled")
        /// The store has failed.
        public static let storeKitError = Self(rawValue: "store-kit-error")
        /// Another product is being bought.
        public static let purchaseInProgress = Self(rawValue: "purchase-in-progress")
        /// The product does not give what is to be bought.
        public static let wrongProduct = Self(rawValue: "wrong-product")
        /// The store has sold something else than was asked for.
        public static let differentProduct = Self(rawValue: "different-product")
        /// The purchase was paid back.
        public static let revoked = Self(rawValue: "revoked")
        /// The purchase is another account's, or contradicts one that is recorded.
        public static let conflict = Self(rawValue: "conflict")
        /// What is bought could not be written down, so nothing was.
        public static let journalUnavailable = Self(rawValue: "journal-unavailable")
        /// The customer has paid and it could not be written down yet; the store delivers it again.
        public static let notRecorded = Self(rawValue: "not-recorded")
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

    /// Purchases are switched off.
    public static let purchasesDisabled = Self(.purchasesDisabled, "purchases are switched off")
    /// Something that nothing is known about.
    public static let unknown = Self(.unknown, "the purchase has failed for no known reason")

    /// The store has failed; its message is carried through.
    public static func storeKitError(_ error: any Error) -> Self {
        Self(.storeKitError, (error as? StoreError)?.message ?? "\(error)", underlying: error)
    }

    /// Another product is being bought.
    static func purchaseInProgress(_ productID: String) -> Self {
        Self(.purchaseInProgress, "\(productID) is being bought")
    }
}

extension PurchaseFlowError: Equatable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension PurchaseFlowError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension PurchaseFlowError: Hashable {
    /// Feeds the code into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
