public import ReceiptTypes

/// Something that the app's support or operations should look at, without secrets.
public struct PurchaseAlert: Sendable, Hashable, Identifiable {
    /// The stable id of the case: an alert that is raised again has the same one.
    public let id: String
    /// What has happened: a failed verification, or an error rate that is an anomaly.
    public let entry: LogEntry

    /// Creates an alert.
    public init(id: String, entry: LogEntry) {
        self.id = id
        self.entry = entry
    }
}

/// The port to the app's support or operations, such as a pager or a ticket system.
public protocol PurchaseAlerting: Sendable {
    /// Raises an alert; returning means that it has arrived.
    ///
    /// After an error, the alert is raised again when the same thing happens again.
    func raise(_ alert: PurchaseAlert) async throws
}

/// The port to the memory of the cases that were reported, so that each is reported once, also after a restart.
public protocol AlertCases: Sendable {
    /// Returns the id of a subject's case; nil if the case was reported.
    ///
    /// - Parameter subject: What the case is about, such as the id of a transaction. It is not kept in clear.
    func unreportedCase(of subject: String) async throws(DatabaseError) -> String?

    /// Notes that a case was reported.
    func markReported(_ id: String, at date: Timestamp) async throws(DatabaseError)
}

/// The cases of one run of the process, at most 10,000 of them; then it begins anew.
public actor InMemoryAlertCases: AlertCases {
    private var ids: [ExactString: String] = [:]
    private var reported: Set<String> = []
    private static let limit = 10_000

    /// Creates a memory without cases.
    public init() {}

    /// Returns the id of a subject's case, which is random; nil if the case was reported.
    public func unreportedCase(of subject: String) -> String? {
        if ids.count >= Self.limit { (ids, reported) = ([:], []) }
        let id = ids[ExactString(subject)] ?? String(UInt64.random(in: 0 ... .max), radix: 16)
        ids[ExactString(subject)] = id
        return reported.contains(id) ? nil : id
    }

    /// Notes that a case was reported.
    public func markReported(_ id: String, at date: Timestamp) { reported.insert(id) }
}
