public import PurchaseCore
public import ReceiptTypes

/// The port to the analytics of a paywall.
@MainActor
public protocol PaywallAnalytics: Sendable {
    /// Takes an event. The paywall does not wait, so it must be fast.
    func track(_ event: PaywallEvent)

    /// Takes an event that the paywall takes again with the same id if the process is killed before it was stored.
    ///
    /// By default, the same as ``track(_:)``.
    func track(_ event: PaywallEvent, id: AnalyticsEvent.ID)

    /// Waits for the events that were taken, and returns whether they are stored, so that a killed process loses none.
    ///
    /// By default true at once.
    func flush() async -> Bool
}

extension PaywallAnalytics {
    /// Takes the event without its id.
    public func track(_ event: PaywallEvent, id: AnalyticsEvent.ID) { track(event) }

    /// Returns true.
    public func flush() async -> Bool { true }
}

/// Analytics that discards every event.
public struct SilentPaywallAnalytics: PaywallAnalytics {
    /// Creates the analytics.
    public nonisolated init() {}

    /// Discards the event.
    public func track(_ event: PaywallEvent) {}
}

/// Writes the events of a paywall to the event store, from which an `AnalyticsDispatcher` delivers them.
///
/// The events keep their order. While the event store fails, up to 1,000 of them wait in memory; then the oldest are
/// lost, which is logged.
@MainActor
public final class StoredPaywallAnalytics: PaywallAnalytics {
    /// The largest number of events that wait in memory.
    public static let waitingLimit = 1_000

    private let queue: any AnalyticsQueue
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    private let clock: @Sendable () -> Timestamp
    private let makeID: @Sendable () -> String
    private var waiting: [AnalyticsEvent] = []
    /// Stores what waits; returns false if the event store has failed.
    private var writer: Task<Bool, Never>?
    private var retry: Task<Void, Never>?

    private static let deadline: Int64 = 30_000
    private static let pauseBeforeRetry: Int64 = 60_000

    /// Creates the analytics.
    ///
    /// - Parameters:
    ///   - queue: The event store, such as `DatabaseAnalytics`.
    ///   - log: Receives an event for each failure.
    ///   - timer: Measures the deadline of the event store.
    ///   - clock: The device's clock.
    ///   - makeID: Returns a new id for each event, by default a random one of 128 bits.
    public init(
        queue: any AnalyticsQueue, log: any PurchaseLog = SilentLog(), timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime,
        makeID: @escaping @Sendable () -> String = StoredPaywallAnalytics.randomID
    ) {
        self.queue = queue
        self.log = log
        self.timer = timer
        self.clock = clock
        self.makeID = makeID
    }

    /// Returns 128 random bits as 32 hexadecimal digits.
    @Sendable
    public nonisolated static func randomID() -> String {
        (0..<4).map { _ in
            let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// Stores the event, by a task of the analytics' own.
    public func track(_ event: PaywallEvent) { track(event, id: makeID()) }

    /// Stores the event, by a task of the analytics' own; one whose id waits already is not stored again.
    public func track(_ event: PaywallEvent, id: AnalyticsEvent.ID) {
        waiting.append(AnalyticsEvent(id: id, name: event.name, occurredAt: clock(), properties: event.properties))
        dropBeyondLimit()
        startWriter()
    }

    private func dropBeyondLimit() {
        let excess = waiting.count - Self.waitingLimit
        guard excess > 0 else { return }
        waiting.removeFirst(excess)
        log.log(PurchaseLogEvent(.analyticsFailed, detail: "events of the paywall are lost, \(excess): too many wait"))
    }

    /// Returns when every event is stored, or when the event store has failed; it is tried again a minute later, and
    /// with the next event or call.
    ///
    /// - Returns: Whether every event is stored.
    @discardableResult
    public func flush() async -> Bool {
        startWriter()
        return await writer?.value ?? true
    }

    private func startWriter() {
        guard writer == nil, !waiting.isEmpty else { return }
        writer = Task {
            var isStored = true
            while isStored, !self.waiting.isEmpty { isStored = await self.store() }
            self.writer = nil
            return isStored
        }
    }

    /// Tries again by itself, because the most important event of a session, a sale, is often its last one.
    private func tryAgainLater() {
        guard retry == nil else { return }
        let pause = timer.start(milliseconds: Self.pauseBeforeRetry)
        retry = Task { [weak self] in
            await pause.value
            self?.retry = nil
            self?.startWriter()
        }
    }

    /// Stores the waiting events; returns false if that has failed.
    private func store() async -> Bool {
        let events = waiting
        waiting = []
        let result = await timer.result(within: Self.deadline, isCancellable: false) { [queue] in
            try await queue.append(events)
        }
        switch result {
        case .success?: return true
        case .failure(let error)?:
            log.log(
                (error as? DatabaseError).map { PurchaseLogEvent(.analyticsFailed, error: $0) }
                    ?? PurchaseLogEvent(.analyticsFailed, detail: "\(error)"))
        case nil:
            log.log(PurchaseLogEvent(.analyticsFailed, detail: "the event store did not answer"))
        }
        waiting.insert(contentsOf: events, at: 0)
        dropBeyondLimit()
        tryAgainLater()
        return false
    }
}
