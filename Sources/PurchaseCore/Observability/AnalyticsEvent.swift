public import ReceiptTypes

/// An event for the app's analytics: what has happened, without what identifies the customer.
///
/// It has neither the id of a user nor the id of a transaction. Two deliveries of one event have the same ``id``, so a
/// receiver counts each id once.
public struct AnalyticsEvent: Sendable, Hashable, Identifiable {
    /// The name of an event; an app adds its own.
    public struct Name: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case; for the change of a purchase, that of its ``PurchaseEvent/Kind``.
        public let rawValue: String

        /// Creates a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// A value of a property.
    public enum PropertyValue: Sendable, Hashable {
        /// A text.
        case text(String)
        /// An integer.
        case integer(Int64)
        /// A truth value.
        case flag(Bool)
    }

    /// The stable id, which no other event of any device has.
    public let id: String
    /// The name.
    public let name: Name
    /// The time of the event by the device's clock.
    public let occurredAt: Timestamp
    /// The metadata, by name.
    public let properties: [String: PropertyValue]

    /// Creates an event. An app that gives an event of its own an id that is random and long makes a repeated call
    /// harmless.
    public init(id: String, name: Name, occurredAt: Timestamp, properties: [String: PropertyValue] = [:]) {
        self.id = id
        self.name = name
        self.occurredAt = occurredAt
        self.properties = properties
    }

    /// Creates the event for a change of a recorded purchase, with the metadata of the purchase.
    ///
    /// The properties are `product`, `type`, `store`, `environment`, `quantity`, `ownership`, `price` in thousandths of
    /// the `currency`, `verified`, `synced` and `revoked`. What the store does not sign is left out; a deleted purchase
    /// has none.
    public init(_ event: PurchaseEvent, id: String) {
        self.init(
            id: id, name: Name(rawValue: event.kind.rawValue), occurredAt: event.occurredAt,
            properties: event.purchase?.analyticsProperties ?? [:])
    }

    /// The event as a JSON object, with the properties in the order of their names.
    public var json: JSONObject {
        var object = JSONObject()
        for (name, value) in properties.sorted(by: { $0.key.precedes($1.key) }) {
            object[name] =
                switch value {
                case .text(let text): .string(text)
                case .integer(let integer): .integer(integer)
                case .flag(let flag): .boolean(flag)
                }
        }
        return [
            "id": .string(id), "name": .string(name.rawValue), "occurred": .string(occurredAt.description),
            "properties": .object(object),
        ]
    }
}

extension Purchase {
    /// What analytics may know of a purchase.
    fileprivate var analyticsProperties: [String: AnalyticsEvent.PropertyValue] {
        var properties: [String: AnalyticsEvent.PropertyValue] = [
            "product": .text(productID), "type": .text(type.rawValue), "store": .text(id.origin.rawValue),
            "quantity": .integer(Int64(quantity)), "ownership": .text(ownership.rawValue),
            "verified": .flag(isVerified), "synced": .flag(isSynced), "revoked": .flag(isRevoked),
        ]
        properties["environment"] = id.environment.map { .text($0.rawValue) }
        properties["price"] = price.map { .integer($0.rawValue) }
        properties["currency"] = currency.map { .text($0) }
        return properties
    }
}

/// The port to the app's analytics, such as a provider's library or a server.
public protocol AnalyticsSink: Sendable {
    /// Delivers events in their order; returning means that all of them have arrived.
    ///
    /// After an error, and after a process was ended, the same events are delivered again.
    func deliver(_ events: [AnalyticsEvent]) async throws
}

/// The port to the events that wait for their delivery.
///
/// It keeps a limited number of events for a limited time.
public protocol AnalyticsQueue: Sendable {
    /// Stores events; one whose id waits already is not stored again.
    func append(_ events: [AnalyticsEvent]) async throws(DatabaseError)

    /// Returns the oldest events that wait, those of recorded purchases included.
    func waitingEvents(limit: Int) async throws(DatabaseError) -> [AnalyticsEvent]

    /// Removes events that were delivered.
    func removeEvents(_ ids: [AnalyticsEvent.ID]) async throws(DatabaseError)

    /// Removes all events, also those of purchases recorded so far, for a customer that objects to analytics.
    func removeAllEvents() async throws(DatabaseError)
}
