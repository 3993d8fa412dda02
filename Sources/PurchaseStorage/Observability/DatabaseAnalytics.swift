public import PurchaseCore
internal import ReceiptTypes
import SQLite

/// The analytics events of one user that wait for their delivery, in a ``PurchaseDatabase``.
///
/// The changes of the user's recorded purchases become events when they are asked for, in the transaction that notes
/// how far they were read, so each becomes one event, also with several processes. Its id is a keyed digest: a read
/// that is repeated after a recovery gives the same ids. Events are encrypted in the file, and are deleted with their
/// user.
public struct DatabaseAnalytics: AnalyticsQueue {
    /// The database of the events.
    public let database: PurchaseDatabase
    /// The user whose events these are.
    public let user: AppUser
    private let limit: Int
    private let longestAge: Int64
    private let environment: PurchaseEnvironment

    /// The largest number of changes that become events in one transaction.
    private static let batchLimit = 500

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - user: The user, whose account the rows contain only as a keyed digest.
    ///   - limit: The largest number of events that wait, at least one; the oldest ones are deleted.
    ///   - longestAge: The milliseconds after which an event is deleted undelivered: by default 30 days. They are
    ///     counted to the last event that is at least a day older than the newest one, and not to the clock, which can
    ///     be ahead: what it shows for less than a day deletes nothing. After a clock that was ahead for longer, the
    ///     limit alone bounds the later events until their dates pass what it showed.
    ///   - environment: The clock.
    public init(
        _ database: PurchaseDatabase, user: AppUser, limit: Int = 10_000, longestAge: Int64 = 30 * 86_400_000,
        environment: PurchaseEnvironment = .system
    ) {
        self.database = database
        self.user = user
        self.limit = max(1, limit)
        self.longestAge = max(0, longestAge)
        self.environment = environment
    }

    /// Stores events of the app; one whose id waits already is not stored again.
    public func append(_ events: [AnalyticsEvent]) async throws(DatabaseError) {
        try await write { (database, digest, now) throws(DatabaseError) in
            for event in events { try database.appendAnalytics(event, of: digest, at: now) }
            try database.deleteAnalytics(of: digest, keeping: limit, longestAge)
        }
    }

    /// Returns the oldest events that wait, those of recorded purchases included.
    public func waitingEvents(limit count: Int) async throws(DatabaseError) -> [AnalyticsEvent] {
        try await write { (database, digest, now) throws(DatabaseError) in
            try database.readPurchaseEvents(of: user, for: digest, limit: Self.batchLimit, at: now)
            try database.deleteAnalytics(of: digest, keeping: limit, longestAge)
            return try database.waitingAnalytics(of: digest, limit: count)
        }
    }

    /// Removes events that were delivered.
    public func removeEvents(_ ids: [AnalyticsEvent.ID]) async throws(DatabaseError) {
        try await write { (database, digest, _) throws(DatabaseError) in
            try database.deleteAnalytics(ids, of: digest)
        }
    }

    /// Removes all events, and passes over those of purchases recorded so far.
    public func removeAllEvents() async throws(DatabaseError) {
        try await write { (database, digest, _) throws(DatabaseError) in
            try database.eraseAnalytics(of: digest)
            try database.storeAnalyticsCursor(
                try RowNumbers.next(of: PurchaseEvent.table.name, in: database.connection) - 1, of: digest)
        }
    }

    /// Runs a transaction with the digest of the user and the current time.
    private func write<Value: Sendable>(
        _ body: @Sendable (DatabaseSession, [UInt8], Timestamp) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        // Read before the transaction, because the clock is the app's.
        let now = environment.clock()
        return try await database.write { [user] (database) throws(DatabaseError) in
            try body(database, database.key.digest(ofUser: user.account?.lowercased), now)
        }
    }
}

extension DatabaseSession {
    /// Turns the next changes of a user's purchases into analytics events; part of a transaction.
    fileprivate func readPurchaseEvents(
        of user: AppUser, for userDigest: [UInt8], limit: Int, at now: Timestamp
    ) throws(DatabaseError) {
        let cursor = try analyticsCursor(of: userDigest)
        let events = try purchaseEvents(of: user, after: cursor, limit: limit)
        for event in events {
            let id = try key.reference(of: SealedFields(of: "analytics of a purchase event", [.integer(event.id)]))
            try appendAnalytics(AnalyticsEvent(event, id: id), of: userDigest, at: now)
        }
        // Only a number under a right seal: one that another program has written can lie beyond all later events.
        if let last = events.last { try storeAnalyticsCursor(last.id, of: userDigest) }
    }

    /// Returns the next events of a user whose seals are right, also behind rows that were changed, which are reported.
    private func purchaseEvents(
        of user: AppUser, after cursor: Int64, limit: Int
    ) throws(DatabaseError) -> [PurchaseEvent] {
        let (condition, values) = try isEvent(of: user)
        var last = cursor
        while true {
            var damaged: [Int64] = []
            let events = try events(
                "WHERE \(condition) AND id > ? ORDER BY id LIMIT ?",
                values + [.integer(last), .integer(Int64(limit))]
            ) { id in
                report(PurchaseEvent.table.name, id)
                if case .integer(let number) = id { damaged.append(number) }
            }
            guard events.isEmpty, let passed = damaged.max() else { return events }
            last = passed
        }
    }
}
