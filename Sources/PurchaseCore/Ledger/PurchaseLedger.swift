/// The port to durable storage: the rows of every delivery of a store and of what became of it, across launches.
///
/// A ledger stores rows and knows no rule. What a row becomes is decided by the functions in `Rules`, which run inside
/// of a transaction; so every ledger decides alike.
///
/// To write one, see <doc:WritingAStoreAndALedger>.
public protocol PurchaseLedger: Sendable {
    /// Runs `body` over the stored rows and commits its changes, all or none.
    ///
    /// When it returns, the changes are durable; when it throws, nothing has changed. Nothing is written if `body`
    /// changes nothing. No other transaction over the same storage, in this process or in another one, runs between the
    /// first row that `body` reads and the commit. A ledger may run `body` again after a conflict, and keeps only the
    /// changes of the last run.
    ///
    /// - Parameters:
    ///   - step: The step of a purchase that the transaction makes, for logs and for the message of a deadline.
    ///   - body: Reads and changes rows. It does nothing else, and it does not keep them.
    /// - Throws: The error of `body`, or that of the storage.
    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Runs `body` over one state of the stored rows, without keeping other transactions waiting; what it changes in a
    /// copy of the rows is lost.
    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Returns a sequence with an element after one or more changes of the purchases, also those that another process
    /// has made.
    func changes() -> AsyncStream<Void>
}

extension PurchaseLedger {
    /// Returns a sequence without an element, for a ledger that cannot tell.
    public func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
}

/// What a transaction over a ledger does; later versions can add steps.
public struct LedgerStep: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name in kebab case.
    public let rawValue: String

    /// Creates a step of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name.
    public var description: String { rawValue }

    /// Stores a delivery before it is processed.
    public static let observe = Self(rawValue: "observe")
    /// Notes that a delivery is verified.
    public static let verify = Self(rawValue: "verify")
    /// Moves a rejected delivery into quarantine.
    public static let quarantine = Self(rawValue: "quarantine")
    /// Records a verified delivery for its owner.
    public static let record = Self(rawValue: "record")
    /// Claims a purchase for handing it over.
    public static let claim = Self(rawValue: "claim")
    /// Moves the times of a claim.
    public static let renewClaim = Self(rawValue: "renew-claim")
    /// Ends a claim whose order has failed.
    public static let releaseClaim = Self(rawValue: "release-claim")
    /// Notes what was handed over.
    public static let grant = Self(rawValue: "grant")
    /// Notes that the store has finished a transaction.
    public static let finish = Self(rawValue: "finish")
    /// Deletes deliveries that no decision needs.
    public static let compact = Self(rawValue: "compact")
    /// Stores a renewal info.
    public static let recordRenewal = Self(rawValue: "record-renewal")
    /// Changes the memory.
    public static let remember = Self(rawValue: "remember")
    /// Reads deliveries.
    public static let readDeliveries = Self(rawValue: "read-deliveries")
    /// Reads the recorded deliveries of one purchase.
    public static let readPurchase = Self(rawValue: "read-purchase")
    /// Reads what was handed over of one purchase.
    public static let readFulfilment = Self(rawValue: "read-fulfilment")
    /// Changes what the app itself adds to a purchase, such as the acknowledgement of its server.
    public static let changePurchase = Self(rawValue: "change-purchase")
    /// Brings the purchases up to date with what the verifier says now.
    public static let reviewPurchases = Self(rawValue: "review-purchases")
    /// Reads purchases or their events.
    public static let readPurchases = Self(rawValue: "read-purchases")
    /// Reads the renewal infos.
    public static let readRenewals = Self(rawValue: "read-renewals")
    /// Reads the memory.
    public static let readMemory = Self(rawValue: "read-memory")
}
