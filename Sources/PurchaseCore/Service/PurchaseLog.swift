/// The port to a log.
public protocol PurchaseLog: Sendable {
    /// Logs an event. It must not block.
    func log(_ event: PurchaseLogEvent)
}

/// A log that discards every event.
public struct SilentLog: PurchaseLog {
    /// Creates the log.
    public init() {}

    /// Discards the event.
    public func log(_ event: PurchaseLogEvent) {}
}

/// A log that prints every event to standard output, for trying things out.
public struct ConsoleLog: PurchaseLog {
    /// Creates the log.
    public init() {}

    /// Prints the event in one line.
    public func log(_ event: PurchaseLogEvent) {
        let subject = [event.productID, event.transactionID.map { "transaction \($0)" }].compactMap { $0 }
        print("\(event.kind): \((subject + [event.detail]).joined(separator: ", "))")
    }
}

/// A log event. It never contains a JWS or an account, so a log can be shared with support.
public struct PurchaseLogEvent: Sendable, Hashable {
    /// The kind of an event; later versions can add kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Creates a kind of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// A transaction or renewal info is not verified; it unlocks nothing.
        public static let unverified = Self(rawValue: "unverified")
        /// A store delivered a purchase whose payment is not complete; it unlocks nothing.
        public static let pending = Self(rawValue: "pending")
        /// A transaction belongs to another account or contradicts a recorded one; logged once for each user in a run.
        public static let conflict = Self(rawValue: "conflict")
        /// A transaction is recorded, or resumed after a crash; logged once for each state of its facts.
        public static let recorded = Self(rawValue: "recorded")
        /// A purchase that could not be handed over at first is handed over.
        public static let handedOver = Self(rawValue: "handed-over")
        /// The fulfiller has failed or has not answered; the service tries again later.
        public static let notFulfilled = Self(rawValue: "not-fulfilled")
        /// A transaction could not be finished in the store; the service tries again later.
        public static let notFinished = Self(rawValue: "not-finished")
        /// The journal could not be read or written.
        public static let journalFailed = Self(rawValue: "journal-failed")
        /// The store could not be reached or has returned an error.
        public static let storeFailed = Self(rawValue: "store-failed")
        /// The store neither lists a recorded purchase nor has it in its history.
        public static let notListed = Self(rawValue: "not-listed")
        /// The entitlements could not be refreshed and stay unchanged.
        public static let refreshFailed = Self(rawValue: "refresh-failed")
        /// The account of the app's user is not a UUID, so the App Store does not sign it into purchases.
        ///
        /// Purchases then belong to the account only in the journal, and not after a restore on another device.
        public static let unusableAccount = Self(rawValue: "unusable-account")
        /// The service was created without a journal, so its records are lost when the process ends.
        public static let notDurable = Self(rawValue: "not-durable")
    }

    /// The kind of the event.
    public let kind: Kind
    /// The id of the product, if it is known.
    public let productID: String?
    /// The id of the transaction, if it is known.
    public let transactionID: String?
    /// A description for people.
    public let detail: String

    /// Creates an event.
    public init(_ kind: Kind, productID: String? = nil, transactionID: String? = nil, detail: String) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.detail = detail
    }
}
