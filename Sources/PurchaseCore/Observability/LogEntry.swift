public import ReceiptTypes

/// An event of a ``SupportLog``: what has happened and when, without secrets.
public struct LogEntry: Sendable, Hashable {
    /// How much an entry matters.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Nothing is wrong.
        case notice
        /// Something is unusual, and no call has failed.
        case warning
        /// A call has failed, or something was rejected.
        case error

        /// Returns whether the first matters less than the second.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .notice: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// The time of the event by the device's clock.
    public let date: Timestamp
    /// How much the entry matters.
    public let severity: Severity
    /// The kind of the event.
    public let kind: PurchaseLogEvent.Kind
    /// The id of the product, if it is known.
    public let productID: String?
    /// The reference of the transaction, if it is known; see ``LogRedaction/reference(ofTransaction:)``.
    public let transaction: String?
    /// The redacted description for people.
    public let detail: String
    /// The redacted facts for programs.
    public let fields: [String: String]
    /// The account that was signed in; a storage deletes the entry with it. It is not part of ``json``, and nil in an
    /// entry that a storage returns.
    public let account: UUIDText?

    /// Creates the entry of an event, without its secrets.
    public init(_ event: PurchaseLogEvent, at date: Timestamp, account: UUIDText? = nil) {
        self.init(
            date: date, severity: event.kind.severity, kind: event.kind,
            productID: event.productID.map(LogRedaction.identifier),
            transaction: event.transactionID.map(LogRedaction.reference),
            detail: LogRedaction.text(event.detail), fields: event.fields.mapValues(LogRedaction.text),
            account: account)
    }

    /// Creates an entry from stored values.
    public init(
        date: Timestamp, severity: Severity, kind: PurchaseLogEvent.Kind, productID: String?, transaction: String?,
        detail: String, fields: [String: String], account: UUIDText? = nil
    ) {
        self.date = date
        self.severity = severity
        self.kind = kind
        self.productID = productID
        self.transaction = transaction
        self.detail = detail
        self.fields = fields
        self.account = account
    }

    /// The entry as a JSON object, with the fields in the order of their names.
    public var json: JSONObject {
        var json: JSONObject = [
            "date": .string(date.description), "severity": .string(severity.rawValue), "kind": .string(kind.rawValue),
        ]
        json["product"] = productID.map { .string($0) }
        json["transaction"] = transaction.map { .string($0) }
        json["detail"] = .string(detail)
        if !fields.isEmpty {
            var object = JSONObject()
            for (name, value) in fields.sorted(by: { $0.key.precedes($1.key) }) { object[name] = .string(value) }
            json["fields"] = .object(object)
        }
        return json
    }
}

extension PurchaseLogEvent.Kind {
    /// How much an event of the kind matters; a kind that is not of this package is an error.
    public var severity: LogEntry.Severity { Self.severities[self] ?? .error }

    private static let severities: [Self: LogEntry.Severity] = [
        .recorded: .notice, .handedOver: .notice, .pending: .notice, .errorRateNormal: .notice,
        .conflict: .warning, .notListed: .warning, .unconfirmed: .warning, .unusableAccount: .warning,
        .notDurable: .warning,
        .unknownFeature: .warning, .slowStage: .warning, .entriesLost: .warning, .remoteConfigFailed: .warning,
        .riskRefreshFailed: .warning, .paywallViewsFailed: .warning, .openPurchasesFailed: .warning,
        .paywallPlanWithheld: .warning,
    ]
}

// The events of a paywall, whose module is above this one. They stand here for the table of severities.
extension PurchaseLogEvent.Kind {
    /// A configuration of the paywall could not be loaded or stored, or is not used because of an error in it.
    public static let remoteConfigFailed = Self(rawValue: "remote-config-failed")
    /// The risk of the customer could not be refreshed.
    public static let riskRefreshFailed = Self(rawValue: "risk-refresh-failed")
    /// The counted views of paywalls could not be read or written.
    public static let paywallViewsFailed = Self(rawValue: "paywall-views-failed")
    /// The open purchases of the paywalls could not be read or written.
    public static let openPurchasesFailed = Self(rawValue: "open-purchases-failed")
    /// A plan of an offer is not shown, because it unlocks nothing or the store does not sell it.
    public static let paywallPlanWithheld = Self(rawValue: "paywall-plan-withheld")
}
