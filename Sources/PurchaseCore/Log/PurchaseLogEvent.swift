/// A note about a purchase. It never holds a signed text or an account, so that a log can be handed on.
public struct PurchaseLogEvent: Sendable, Hashable {
    /// What a note is about; new kinds may come.
    public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// A transaction is not verified; it gives nothing and is kept.
        public static let unverified = Self(rawValue: "unverified")
        /// A transaction contradicts what is recorded.
        public static let conflict = Self(rawValue: "conflict")
        /// A transaction is recorded.
        public static let recorded = Self(rawValue: "recorded")
        /// What was bought could not be handed over, and will be tried again.
        public static let notFulfilled = Self(rawValue: "not-fulfilled")
        /// The store could not be told that a transaction is done, and will be told again.
        public static let notFinished = Self(rawValue: "not-finished")
        /// The journal could not be read or written.
        public static let journalFailed = Self(rawValue: "journal-failed")
        /// The store could not be reached or has refused.
        public static let storeFailed = Self(rawValue: "store-failed")
        /// Entitlements could not be brought up to date; those there are stay.
        public static let refreshFailed = Self(rawValue: "refresh-failed")
    }

    /// What it is about.
    public let kind: Kind
    /// The product, as far as it is known.
    public let productID: String?
    /// The transaction, as far as it is known.
    public let transactionID: String?
    /// What happened, in words.
    public let detail: String

    /// Writes a note.
    public init(_ kind: Kind, productID: String? = nil, transactionID: String? = nil, detail: String) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.detail = detail
    }
}
