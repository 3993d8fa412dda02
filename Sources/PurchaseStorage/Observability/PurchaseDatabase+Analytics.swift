import PurchaseCore
import ReceiptTypes
import SQLite

// The rows of the analytics events and of the cursors. Each function is part of a transaction of the caller.
extension DatabaseSession {
    static let analyticsEvents = SealedTable("analytics_events", ["id", "user_digest", "event_id", "stored_at"])
    static let analyticsCursors = SealedTable("analytics_cursors", ["user_digest", "last_event_id"])

    /// Stores an event of a user unless one with its id waits already.
    func appendAnalytics(
        _ event: AnalyticsEvent, of userDigest: [UInt8], at now: Timestamp
    ) throws(DatabaseError) {
        let place: [SQLiteValue] = [.blob(userDigest), .text(event.id)]
        let condition = "WHERE user_digest = ? AND event_id = ?"
        guard try analytics(condition, place).isEmpty else { return }
        // A row that was changed is in the way.
        try connection.execute("DELETE FROM analytics_events \(condition)", place)
        try Self.analyticsEvents.insert(
            [
                .integer(try RowNumbers.next(of: Self.analyticsEvents.name, in: connection)), .blob(userDigest),
                .text(event.id),
                .integer(now.millisecondsSince1970),
            ], content: event.content, into: connection, key)
    }

    /// Returns the oldest events of a user; those that were changed are deleted and reported.
    func waitingAnalytics(of userDigest: [UInt8], limit: Int) throws(DatabaseError) -> [AnalyticsEvent] {
        let values: [SQLiteValue] = [.blob(userDigest), .integer(Int64(max(1, limit)))]
        while true {
            var damaged: [SQLiteValue] = []
            let events = try analytics("WHERE user_digest = ? ORDER BY id LIMIT ?", values) { damaged.append($0) }
            for id in damaged { try connection.execute("DELETE FROM analytics_events WHERE id = ?", [id]) }
            // Damaged rows alone would look like the end of the events.
            if !events.isEmpty || damaged.isEmpty { return events }
        }
    }

    private func analytics(
        _ condition: String, _ values: [SQLiteValue], onDamage: (SQLiteValue) -> Void = { _ in }
    ) throws(DatabaseError) -> [AnalyticsEvent] {
        try Self.analyticsEvents.rows(
            condition, values, in: connection, key,
            onDamage: { id in
                report(Self.analyticsEvents.name, id)
                onDamage(id)
            }, make: AnalyticsEvent.init)
    }

    func deleteAnalytics(_ ids: [AnalyticsEvent.ID], of userDigest: [UInt8]) throws(DatabaseError) {
        for id in ids {
            try connection.execute(
                "DELETE FROM analytics_events WHERE user_digest = ? AND event_id = ?", [.blob(userDigest), .text(id)])
        }
    }

    /// Deletes the oldest events of a user beyond a number, and those beyond an age.
    func deleteAnalytics(
        of userDigest: [UInt8], keeping limit: Int, _ longestAge: Int64
    ) throws(DatabaseError) {
        try connection.execute(
            """
            DELETE FROM analytics_events WHERE id IN
            (SELECT id FROM analytics_events WHERE user_digest = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
            """, [.blob(userDigest), .integer(Int64(limit))])
        let events = "(SELECT * FROM analytics_events WHERE user_digest = ?)"
        let user = SQLiteValue.blob(userDigest)
        try connection.execute(
            "DELETE FROM analytics_events WHERE user_digest = ? AND \(Self.isTooOld(events, "stored_at"))",
            [user, user, user, user, user, .integer(longestAge)])
    }

    func eraseAnalytics(of userDigest: [UInt8]) throws(DatabaseError) {
        for table in [Self.analyticsEvents.name, Self.analyticsCursors.name] {
            try connection.execute("DELETE FROM \(table) WHERE user_digest = ?", [.blob(userDigest)])
        }
    }

    // MARK: Cursors

    /// The id of the last event of the purchases that was turned into an analytics event; 0 if none was.
    func analyticsCursor(of userDigest: [UInt8]) throws(DatabaseError) -> Int64 {
        try Self.analyticsCursors.rows(
            "WHERE user_digest = ?", [.blob(userDigest)], in: connection, key,
            onDamage: { report(Self.analyticsCursors.name, $0) }
        ) { (columns, _) in
            var columns = columns
            columns.skip()
            return columns.integer()
        }.first ?? 0
    }

    func storeAnalyticsCursor(_ id: Int64, of userDigest: [UInt8]) throws(DatabaseError) {
        try connection.execute("DELETE FROM analytics_cursors WHERE user_digest = ?", [.blob(userDigest)])
        try Self.analyticsCursors.insert([.blob(userDigest), .integer(id)], into: connection, key)
    }
}

extension AnalyticsEvent {
    private static let contentName = "analytics event"

    private enum Kind: Int64 {
        case text, integer, flag
    }

    /// The encrypted content of the event.
    fileprivate var content: [UInt8] {
        var values: [SQLiteValue] = [.text(name.rawValue), .integer(occurredAt.millisecondsSince1970)]
        for (name, value) in properties {
            values.append(.text(name))
            switch value {
            case .text(let text): values += [.integer(Kind.text.rawValue), .text(text)]
            case .integer(let integer): values += [.integer(Kind.integer.rawValue), .integer(integer)]
            case .flag(let flag): values += [.integer(Kind.flag.rawValue), .integer(flag ? 1 : 0)]
            }
        }
        return SealedFields(of: Self.contentName, values).bytes
    }

    /// Reads a row; nil if a value is not one that this version writes.
    fileprivate init?(_ columns: FieldReader, _ content: RawSpan) {
        var columns = columns
        columns.skip(2)
        guard let id = columns.text(), var values = FieldReader(content, of: Self.contentName),
            let name = values.text(), let occurredAt = values.timestamp()
        else { return nil }
        var properties: [String: PropertyValue] = [:]
        while !values.isEmpty {
            guard let name = values.text(), let kind = values.integer().flatMap(Kind.init) else { return nil }
            let value: PropertyValue? =
                switch kind {
                case .text: values.text().map { .text($0) }
                case .integer: values.integer().map { .integer($0) }
                case .flag: values.integer().map { .flag($0 != 0) }
                }
            guard let value else { return nil }
            properties[name] = value
        }
        self.init(id: id, name: Name(rawValue: name), occurredAt: occurredAt, properties: properties)
    }
}
