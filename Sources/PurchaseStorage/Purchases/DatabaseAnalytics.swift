public import PurchaseCore
public import ReceiptTypes

/// The analytics events of one user that wait for their delivery, in a ``PurchaseDatabase``.
///
/// The changes of the user's recorded purchases become events when they are asked for, in the transaction that notes
/// how far they were read, so each becomes one event, also with several processes. Its id is a keyed digest: a read
/// that is repeated after a recovery gives the same ids. Events are encrypted in the file, and are deleted with their
/// user.
public struct DatabaseAnalytics: AnalyticsQueue {
    /// The database of the events.
    public let database: PurchaseDatabase
    /// The user whose events these are; nil for those that belong to no account.
    public let user: UUIDText?
    private let limit: Int
    private let longestAge: Int64
    private let clock: @Sendable () -> Timestamp

    /// The largest number of changes that become events in one transaction.
    private static let batchLimit = 500

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - user: The user's id, which the rows contain only as a keyed digest; nil for events that belong to no
    ///     account.
    ///   - limit: The largest number of events that wait, at least one; the oldest ones are deleted.
    ///   - longestAge: The milliseconds after which an event is deleted undelivered: by default 30 days.
    ///   - clock: The device's clock.
    public init(
        _ database: PurchaseDatabase, user: UUIDText?, limit: Int = 10_000, longestAge: Int64 = 30 * 86_400_000,
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        self.database = database
        self.user = user?.lowercased
        self.limit = max(1, limit)
        self.longestAge = max(0, longestAge)
        self.clock = clock
    }

    /// Stores events of the app; one whose id waits already is not stored again.
    public func append(_ events: [AnalyticsEvent]) async throws(DatabaseError) {
        try await write { (database, digest, now, oldest) throws(DatabaseError) in
            for event in events { try database.appendAnalytics(event, of: digest, at: now) }
            try database.deleteAnalytics(of: digest, keeping: limit, since: oldest)
        }
    }

    /// Returns the oldest events that wait, those of recorded purchases included.
    public func waitingEvents(limit count: Int) async throws(DatabaseError) -> [AnalyticsEvent] {
        try await write { (database, digest, now, oldest) throws(DatabaseError) in
            try database.readPurchaseEvents(for: digest, limit: Self.batchLimit, at: now)
            try database.deleteAnalytics(of: digest, keeping: limit, since: oldest)
            return try database.waitingAnalytics(of: digest, limit: count)
        }
    }

    /// Removes events that were delivered.
    public func removeEvents(_ ids: [AnalyticsEvent.ID]) async throws(DatabaseError) {
        try await write { (database, digest, _, _) throws(DatabaseError) in
            try database.deleteAnalytics(ids, of: digest)
        }
    }

    /// Removes all events, and passes over those of purchases recorded so far.
    public func removeAllEvents() async throws(DatabaseError) {
        try await write { (database, digest, _, _) throws(DatabaseError) in
            try database.eraseAnalytics(of: digest)
            try database.storeAnalyticsCursor(
                try RowNumbers.next(of: PurchaseEvent.table.name, in: database.connection) - 1, of: digest)
        }
    }

    /// Runs a transaction with the digest of the user, the current time, and the time before which events are deleted.
    private func write<Value: Sendable>(
        _ body: @Sendable (isolated PurchaseDatabase, [UInt8], Timestamp, Timestamp) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        // Read before the transaction, because the clock is the app's.
        let now = clock()
        let (oldest, overflow) = now.millisecondsSince1970.subtractingReportingOverflow(longestAge)
        return try await database.write { [user] (database) throws(DatabaseError) in
            try body(
                database, database.scope(of: user).digest, now,
                Timestamp(milliseconds: overflow ? .min : oldest) ?? .minimum)
        }
    }
}

extension PurchaseDatabase {
    /// Turns the next changes of a user's purchases into analytics events; part of a transaction.
    fileprivate func readPurchaseEvents(
        for userDigest: [UInt8], limit: Int, at now: Timestamp
    ) throws(DatabaseError) {
        let cursor = try analyticsCursor(of: userDigest)
        var ids: [SQLiteValue] = []
        let events = try PurchaseEvent.table.rows(
            "WHERE user_digest = ? AND id > ? ORDER BY id LIMIT ?",
            [.blob(userDigest), .integer(cursor), .integer(Int64(limit))], in: connection, key,
            onDamage: { id in
                report(PurchaseEvent.table.name, id)
                ids.append(id)
            }, make: { PurchaseEvent($0, $1, user: nil) })
        for event in events {
            ids.append(.integer(event.id))
            let id = try key.reference(of: SealedFields(of: "analytics of a purchase event", [.integer(event.id)]))
            try appendAnalytics(AnalyticsEvent(event, id: id), of: userDigest, at: now)
        }
        // A row that was changed is passed over.
        let last = ids.reduce(cursor) { last, id in if case .integer(let id) = id { max(last, id) } else { last } }
        if last != cursor { try storeAnalyticsCursor(last, of: userDigest) }
    }
}
