internal import ReceiptTypes

/// Delivers the waiting events of an ``AnalyticsQueue`` to the app's analytics, each at least once.
///
/// An event leaves the queue after the sink has taken it, so a process that ends in between delivers it again, with the
/// same id. A sink that fails is tried again after growing pauses, and no purchase waits for it.
///
/// ```swift
/// let analytics = AnalyticsDispatcher(queue: DatabaseAnalytics(database, user: .signedIn(account)), sink: provider)
/// await analytics.start()
/// ```
public actor AnalyticsDispatcher {
    /// How a delivery has ended.
    public struct Delivery: Sendable, Hashable {
        /// The number of events that the sink has taken.
        public let delivered: Int
        /// What has failed; nil if no event waits any more.
        public let failure: String?
    }

    private let queue: any AnalyticsQueue
    private let sink: any AnalyticsSink
    private let batch: Int
    private let interval: Int64
    private let deadline: Int64
    private let environment: PurchaseEnvironment
    private var running: Task<Delivery, Never>?
    private var loop: Task<Void, Never>?

    /// The pauses after a failure: five seconds, doubled each time, at most ten minutes.
    static let schedule = BackoffSchedule(
        firstMilliseconds: 5_000, longestMilliseconds: 600_000, jitterPercent: 50)

    /// Creates a dispatcher; it does nothing until one of its methods is called.
    ///
    /// - Parameters:
    ///   - queue: The waiting events.
    ///   - sink: The app's analytics.
    ///   - batch: The largest number of events of one call of the sink.
    ///   - interval: The milliseconds between two deliveries of a started dispatcher.
    ///   - deadline: The milliseconds for one call of the sink.
    ///   - environment: The log of failures, and the timer of the interval, the deadline and the pauses.
    public init(
        queue: any AnalyticsQueue, sink: any AnalyticsSink, batch: Int = 50, interval: Int64 = 60_000,
        deadline: Int64 = 30_000, environment: PurchaseEnvironment = .system
    ) {
        self.queue = queue
        self.sink = sink
        self.batch = max(1, batch)
        self.interval = max(1, interval)
        self.deadline = deadline
        self.environment = environment
    }

    deinit {
        loop?.cancel()
    }

    /// Delivers what waits, now and at each interval; a second call does nothing.
    public func start() {
        guard loop == nil else { return }
        loop = Task { [weak self, environment, interval] in
            var failures = 0
            while !Task.isCancelled {
                guard let delivery = await self?.deliverUnlessStopped() else { return }
                failures = delivery.failure == nil ? 0 : failures + 1
                let pause =
                    failures == 0
                    ? interval
                    : Self.schedule.pauseMilliseconds(afterFailures: failures, random: .random(in: 0 ... .max))
                let wait = environment.timer.start(milliseconds: pause)
                await withTaskCancellationHandler {
                    await wait.value
                } onCancel: {
                    wait.cancel()
                }
            }
        }
    }

    /// Ends all deliveries, and returns once none is running. The dispatcher can be started again.
    ///
    /// A call of the sink is cancelled and not awaited; its events are delivered again.
    public func stop() async {
        loop?.cancel()
        loop = nil
        running?.cancel()
        _ = await running?.value
    }

    /// Delivers for the loop, which can have waited for ``stop()``; nil if it was stopped.
    func deliverUnlessStopped() async -> Delivery? { Task.isCancelled ? nil : await deliver() }

    /// Delivers what waits, in batches, until nothing is left or something fails; concurrent calls share one delivery.
    @discardableResult
    public func deliver() async -> Delivery {
        if let running { return await running.value }
        let task = Task {
            let delivery = await self.deliverBatches()
            self.running = nil
            return delivery
        }
        running = task
        return await task.value
    }

    private func deliverBatches() async -> Delivery {
        var delivered = 0
        do throws(DatabaseError) {
            while !Task.isCancelled {
                let events = try await environment.timer.databaseAnswer { [queue, batch] () throws(DatabaseError) in
                    try await queue.waitingEvents(limit: batch)
                }
                if events.isEmpty { return Delivery(delivered: delivered, failure: nil) }
                if let failure = await send(events) {
                    if Task.isCancelled { break }
                    environment.log.log(PurchaseLogEvent(.analyticsFailed, detail: failure))
                    return Delivery(delivered: delivered, failure: failure)
                }
                try await environment.timer.databaseAnswer { [queue] () throws(DatabaseError) in
                    try await queue.removeEvents(events.map(\.id))
                }
                delivered += events.count
            }
            return Delivery(delivered: delivered, failure: "the dispatcher was stopped")
        } catch {
            environment.log.log(PurchaseLogEvent(.analyticsFailed, error: error))
            return Delivery(delivered: delivered, failure: error.description)
        }
    }

    /// Returns what has failed; nil if the sink has taken the events.
    private func send(_ events: [AnalyticsEvent]) async -> String? {
        let answer = await environment.timer.answer(within: deadline, isAwaited: false) {
            [sink] () -> Result<Void, any Error> in
            do {
                return .success(try await sink.deliver(events))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success?: return nil
        case .failure(let error)?: return "\(error)"
        case nil: return "the sink did not answer within \(deadline) ms"
        }
    }
}

extension PurchaseLogEvent.Kind {
    /// Events could not be delivered to the app's analytics; they wait and are delivered later.
    public static let analyticsFailed = Self(rawValue: "analytics-failed")
}
