public import ReceiptTypes

/// The port to the entries of a ``SupportLog``, such as a table of a database.
///
/// It keeps a limited number of entries for a limited time.
public protocol LogStorage: Sendable {
    /// Stores entries in their order, and deletes the oldest ones beyond the bounds.
    func append(_ entries: [LogEntry]) async throws(DatabaseError)

    /// Returns the kept entries, the oldest first.
    func logEntries() async throws(DatabaseError) -> [LogEntry]

    /// Deletes all entries.
    func removeLogEntries() async throws(DatabaseError)
}

/// A log that keeps warnings and errors for support, without secrets.
///
/// An event becomes a ``LogEntry`` within the call, so nothing else of it is kept. The entries are written by a task of
/// the log's own. While the storage fails, up to 1,000 of them wait in memory, and a later entry says how many were
/// lost.
///
/// ```swift
/// let log = SupportLog(DatabaseLog(database))
/// let monitor = PurchaseMonitor(alerts: pager, environment: PurchaseEnvironment(log: log))
/// let service = PurchaseService(
///     store: store, ledger: ledger, verifier: verifier, environment: PurchaseEnvironment(log: monitor))
/// ```
public final class SupportLog: PurchaseLog {
    private struct State {
        var waiting: [LogEntry] = []
        /// The number of entries that did not fit into memory.
        var lost = 0
        var writer: Task<Bool, Never>?
    }

    private let storage: any LogStorage
    private let minimum: LogEntry.Severity
    private let account: @Sendable () -> UUIDText?
    private let environment: PurchaseEnvironment
    private let state = Locked(State())

    /// The largest number of entries that wait in memory.
    static let waitingLimit = 1_000
    private static let batchLimit = 100

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - storage: Keeps the entries.
    ///   - minimum: The least severity of an event that is kept.
    ///   - account: Returns the account that is signed in, with which its entries are deleted; nil if none is.
    ///   - environment: The log that also receives every event and every timing, for example to print them; and the
    ///     clock.
    public init(
        _ storage: any LogStorage, minimum: LogEntry.Severity = .warning,
        account: @escaping @Sendable () -> UUIDText? = { nil }, environment: PurchaseEnvironment = .system
    ) {
        self.storage = storage
        self.minimum = minimum
        self.account = account
        self.environment = environment
    }

    /// Keeps an event that matters enough.
    public func log(_ event: PurchaseLogEvent) {
        environment.log.log(event)
        guard event.kind.severity >= minimum else { return }
        let entry = LogEntry(event, at: environment.clock(), account: account())
        state.withLock { state in
            state.waiting.append(entry)
            if state.waiting.count > Self.waitingLimit {
                state.waiting.removeFirst()
                state.lost += 1
            }
            startWriter(&state)
        }
    }

    /// Passes a timing on.
    public func log(_ timing: StageTiming) { environment.log.log(timing) }

    /// Returns when everything that was logged before is written, or when the storage has failed.
    ///
    /// Call it before the app is suspended, and before an export.
    ///
    /// - Returns: Whether everything is written; if not, the entries wait for the next event or the next call.
    @discardableResult
    public func flush() async -> Bool {
        let writer = state.withLock { state in
            if !state.waiting.isEmpty { startWriter(&state) }
            return state.writer
        }
        return await writer?.value ?? true
    }

    private func startWriter(_ state: inout State) {
        guard state.writer == nil else { return }
        state.writer = Task { await self.write() }
    }

    /// Returns whether everything is written.
    private func write() async -> Bool {
        while let batch = nextBatch() {
            do throws(DatabaseError) {
                try await storage.append(batch.entries + lossNotice(batch.lost))
            } catch {
                putBack(batch)
                return false
            }
        }
        return true
    }

    /// Takes the oldest entries; nil if none is left, which ends the writer.
    private func nextBatch() -> (entries: [LogEntry], lost: Int)? {
        state.withLock { state in
            let entries = Array(state.waiting.prefix(Self.batchLimit))
            guard !entries.isEmpty else {
                state.writer = nil
                return nil
            }
            state.waiting.removeFirst(entries.count)
            defer { state.lost = 0 }
            return (entries, state.lost)
        }
    }

    /// Puts entries back that could not be written, and ends the writer; the next event starts it again.
    private func putBack(_ batch: (entries: [LogEntry], lost: Int)) {
        state.withLock { state in
            let kept = batch.entries.suffix(max(0, Self.waitingLimit - state.waiting.count))
            state.waiting = kept + state.waiting
            state.lost += batch.lost + batch.entries.count - kept.count
            state.writer = nil
        }
    }

    private func lossNotice(_ count: Int) -> [LogEntry] {
        guard count > 0 else { return [] }
        let event = PurchaseLogEvent(.entriesLost, detail: "entries that could not be written: \(count)")
        return [LogEntry(event, at: environment.clock())]
    }
}

extension LogStorage {
    /// Returns the kept entries as one JSON document in UTF-8, for support.
    ///
    /// - Parameters:
    ///   - facts: Facts of the app, such as its version, under names of its own. They are written as they are.
    ///   - date: The time of the export.
    public func exportedLog(facts: [String: String] = [:], at date: Timestamp) async throws(DatabaseError) -> [UInt8] {
        let entries = try await logEntries()
        var app = JSONObject()
        for (name, value) in facts.sorted(by: { $0.key.precedes($1.key) }) { app[name] = .string(value) }
        let document: JSONObject = [
            "format": .string("purchase-log"), "version": .integer(1), "exported": .string(date.description),
            "app": .object(app), "entries": .array(entries.map { .object($0.json) }),
        ]
        return Array(document.description.utf8) + [0x0a]
    }
}

extension PurchaseLogEvent.Kind {
    /// Entries of a ``SupportLog`` could not be written and did not fit into memory.
    public static let entriesLost = Self(rawValue: "entries-lost")
}
