internal import ReceiptTypes

/// Sends recorded purchases to the app's own server until it has acknowledged each of them.
///
/// The records are the outbox. A purchase waits in it, over restarts too, until the server has acknowledged the version
/// that is recorded; a version with other facts, such as a refund, is sent again. A purchase that is not sent grants
/// all the same.
///
/// A purchase that the server refuses is not sent again while the process runs and its facts stay, also if the store
/// signs it again. The refusal is not stored: only an acknowledgement ends the wait of a purchase, so each launch sends
/// it once more, with the latest signature. A server that has learned the product since accepts it then, without a new
/// version of the app.
///
/// ```swift
/// let reconciler = SyncReconciler(records: records, transport: transport)
/// await reconciler.start(connectivity: connectivity)
/// ```
///
/// Keep a reference to it: it stops when it is released. It sends the purchases of the records' user only. When the
/// user signs out, stop it before anything else.
public actor SyncReconciler {
    private let records: PurchaseRecords
    private let transport: any SyncTransport
    private let schedule: BackoffSchedule
    private let deadlineMilliseconds: Int64
    private let environment: PurchaseEnvironment

    /// The failed attempts of this process, by purchase.
    private var attempts: [Purchase.ID: Attempts] = [:]
    /// Whether a purchase was recorded while a pass was running.
    private var hasNews = false
    private let passes = SharedRuns<SyncReport>()
    private var listeners: [Task<Void, Never>] = []
    private var pause: Task<Void, Never>?
    /// The uptime in milliseconds until which the server has asked not to be asked again; nil if it has not.
    private var waitEnd: Int64?
    /// The passes in a row that have failed.
    private var failures = 0

    /// The failures in a row of different purchases after which a pass leaves the others for the next one.
    private static let failureLimit = 3
    /// The pauses between the passes while the server fails: five seconds, doubled each time, at most fifteen minutes.
    public static let defaultSchedule = BackoffSchedule(
        firstMilliseconds: 5_000, longestMilliseconds: 900_000, jitterPercent: 25)

    /// Creates a reconciler; it sends nothing until it is started or ``syncPendingPurchases()`` is called.
    ///
    /// - Parameters:
    ///   - records: The recorded purchases of one user.
    ///   - transport: The connection to the server.
    ///   - schedule: The pauses after passes that have failed; the number of attempts and the total time do not apply.
    ///   - deadlineMilliseconds: The milliseconds that one purchase may take.
    ///   - environment: The log of refused purchases and failed passes, the timer, the clock for the time of the
    ///     acknowledgement, and randomness for the length of a pause.
    public init(
        records: PurchaseRecords,
        transport: any SyncTransport,
        schedule: BackoffSchedule = SyncReconciler.defaultSchedule,
        deadlineMilliseconds: Int64 = 30_000,
        environment: PurchaseEnvironment = .system
    ) {
        self.records = records
        self.transport = transport
        self.schedule = schedule
        self.deadlineMilliseconds = deadlineMilliseconds
        self.environment = environment
    }

    deinit {
        for listener in listeners { listener.cancel() }
        pause?.cancel()
    }

    // MARK: Starting and stopping

    /// Sends what is pending, and from here on each purchase that is recorded; a second call does nothing.
    ///
    /// While the server fails, the rest is sent again after growing pauses, and at once when the connection is back.
    ///
    /// - Parameter connectivity: Whether the device has a connection: a value for each change. Each `true` sends what
    ///   is pending. Nil if the app has no such source; the pauses alone then decide. A new start needs a new stream.
    public func start(connectivity: AsyncStream<Bool>? = nil) {
        guard listeners.isEmpty else { return }
        listeners.append(
            Task { [weak self, records, environment, schedule] in
                await self?.sendUnlessStopped()
                var failures = 0
                while !Task.isCancelled {
                    do {
                        for try await purchases in records.purchaseUpdates() {
                            failures = 0
                            await self?.sendNew(purchases)
                        }
                        return
                    } catch {
                        // The records cannot be read now.
                        failures += 1
                        let pause = environment.timer.start(
                            milliseconds: schedule.pauseMilliseconds(afterFailures: failures, random: 0))
                        await withTaskCancellationHandler {
                            await pause.value
                        } onCancel: {
                            pause.cancel()
                        }
                    }
                }
            })
        guard let connectivity else { return }
        listeners.append(
            Task { [weak self] in
                for await isConnected in connectivity where isConnected { await self?.sendUnlessStopped() }
            })
    }

    /// Stops sending, and returns once nothing is recorded any more. It can be started again.
    ///
    /// A call of the transport is cancelled and not awaited. A server that acknowledges it all the same receives the
    /// purchase again.
    public func stop() async {
        for listener in listeners { listener.cancel() }
        listeners = []
        pause?.cancel()
        pause = nil
        hasNews = false
        await passes.cancel()
    }

    /// Starts a pass for a listener, which can have waited for ``stop()``.
    private func sendUnlessStopped() async {
        guard !Task.isCancelled else { return }
        await syncPendingPurchases()
    }

    /// Starts a pass if there is something to send and nothing to wait for.
    private func sendNew(_ purchases: [Purchase]) async {
        guard pause == nil, purchases.contains(where: { $0.isVerified && !$0.isSynced && !isRefused($0) }) else {
            return
        }
        if passes.last == nil { await sendUnlessStopped() } else { hasNews = true }
    }

    /// Plans the next pass after one that has failed, not before a time that the server has asked for.
    private func sendLater(after milliseconds: Int64?) {
        let asked = min(max(0, milliseconds ?? 0), Self.longestRetryAfter)
        // An uptime is far below the limit of 64 bits.
        if asked > 0 { waitEnd = environment.timer.uptimeMilliseconds() + asked }
        guard !listeners.isEmpty, pause == nil else { return }
        failures += 1
        startPause(max(asked, schedule.pauseMilliseconds(afterFailures: failures, random: environment.random())))
    }

    private func startPause(_ milliseconds: Int64) {
        guard !listeners.isEmpty, pause == nil else { return }
        let pause = environment.timer.start(milliseconds: milliseconds)
        self.pause = pause
        // Detached and weak: the wait neither belongs to a caller nor keeps the reconciler alive.
        Task.detached { [weak self] in
            await pause.value
            await self?.endPause(pause)
        }
    }

    /// A day, in milliseconds: no answer of a server stops a device for longer.
    private static let longestRetryAfter: Int64 = 86_400_000

    private func endPause(_ ended: Task<Void, Never>) async {
        // A pause that was ended by a later pass or by ``stop()`` starts nothing.
        guard pause == ended else { return }
        (pause, waitEnd) = (nil, nil)
        _ = await syncPendingPurchases()
    }

    /// The milliseconds for which the server has asked to wait; nil if it may be asked.
    private var remainingWait: Int64? {
        guard let waitEnd else { return nil }
        let remaining = waitEnd - environment.timer.uptimeMilliseconds()
        return remaining > 0 ? remaining : nil
    }

    // MARK: Sending

    /// Sends the purchases that the server has not acknowledged, the oldest first.
    ///
    /// All callers that arrive while it runs share the next run, so a burst of calls runs it twice. Call it when the
    /// app comes to the foreground, and when the connection is back if ``start(connectivity:)`` was given no source for
    /// that. While the server has asked to wait, it is not asked, and the report has the error `unavailable` with the
    /// time that is left.
    @discardableResult
    public func syncPendingPurchases() async -> SyncReport {
        await startPass().value
    }

    private func startPass() -> Task<SyncReport, Never> { passes.run { await self.passUnlessWaiting() } }

    private func passUnlessWaiting() async -> SyncReport {
        guard !Task.isCancelled else { return SyncReport() }
        guard let wait = remainingWait else { return await pass() }
        startPause(wait)
        do throws(SyncError) {
            let pending = try await pendingPurchases().count
            guard pending > 0 else { return SyncReport() }
            let error = SyncError(.unavailable, "the server has asked to wait", retryAfterMilliseconds: wait)
            return SyncReport(pending: pending, error: error)
        } catch {
            return SyncReport(error: error)
        }
    }

    private func pass() async -> SyncReport {
        pause?.cancel()
        (pause, waitEnd) = (nil, nil)
        hasNews = false
        let report = await sendPending()
        if !Task.isCancelled { planNext(after: report) }
        return report
    }

    private func planNext(after report: SyncReport) {
        if let error = report.error {
            environment.log.log(PurchaseLogEvent(.syncFailed, detail: "\(error)"))
            sendLater(after: error.retryAfterMilliseconds)
        } else {
            failures = 0
            if hasNews, !listeners.isEmpty { _ = startPass() }
        }
    }

    private func sendPending() async -> SyncReport {
        var report = SyncReport()
        var failuresInARow = 0
        do throws(SyncError) {
            let pending = try await pendingPurchases()
            report.pending = pending.count
            for purchase in pending {
                guard !Task.isCancelled else { return report }
                do throws(SyncError) {
                    try await send(purchase, &report)
                    failuresInARow = 0
                } catch {
                    report.error = report.error ?? error
                    failuresInARow += 1
                    // The server is asked again later, and not about each purchase.
                    guard error.isOfOnePurchase, failuresInARow < Self.failureLimit else { throw error }
                }
            }
        } catch {
            report.error = report.error ?? error
        }
        return report
    }

    /// Returns the purchases to send: those with the fewest failures first, so that none of them holds the others up.
    private func pendingPurchases() async throws(SyncError) -> [Purchase] {
        let pending = try await stored { [records] () throws(DatabaseError) in
            try await records.getUnsyncedPurchases()
        }
        let ids = Set(pending.map(\.id))
        attempts = attempts.filter { ids.contains($0.key) }
        let failures = pending.map { attempts[$0.id]?.failures ?? 0 }
        return pending.indices.sorted { (failures[$0], $0) < (failures[$1], $1) }.map { pending[$0] }
    }

    /// Sends a purchase, and records that the server has acknowledged it.
    private func send(_ listed: Purchase, _ report: inout SyncReport) async throws(SyncError) {
        let content = try await stored { [records] () throws(DatabaseError) in
            try await records.signedContent(of: listed.id)
        }
        // Read after the content: a version that was recorded since the list was read is sent as it is.
        let current = try await stored { [records] () throws(DatabaseError) in
            try await records.getPurchase(listed.id)
        }
        guard let content, let purchase = current, purchase.isVerified, !purchase.isSynced else {
            // It was deleted or acknowledged since, or its row was changed, which the database reports.
            report.pending -= 1
            return
        }
        let wasRefused = isRefused(purchase)
        if !wasRefused {
            guard let error = await answer(to: PurchaseSubmission(purchase, content)) else {
                return try await acknowledge(purchase, content, &report)
            }
            // The server has not been asked, or its answer was not awaited.
            guard !Task.isCancelled else { return }
            let failures = (attempts[purchase.id]?.failures ?? 0) + 1
            attempts[purchase.id] = Attempts(
                purchase: purchase, failures: failures, isRefused: error.code == .rejected)
            guard error.code == .rejected else { throw error }
            environment.log.log(
                PurchaseLogEvent(
                    .syncRejected, productID: purchase.productID, transactionID: purchase.id.transactionID,
                    detail: error.message))
        }
        report.rejected += 1
        report.pending -= 1
    }

    private func acknowledge(
        _ purchase: Purchase, _ content: SignedContent, _ report: inout SyncReport
    ) async throws(SyncError) {
        attempts[purchase.id] = nil
        let isRecorded = try await stored { [records, environment] () throws(DatabaseError) in
            try await records.acknowledge(purchase.id, content, at: environment.clock())
        }
        guard isRecorded else {
            // Another version was recorded since; it is sent in the next pass.
            hasNews = true
            return
        }
        report.acknowledged += 1
        report.pending -= 1
    }

    /// Returns whether the server has refused a purchase as it is; it is then sent again after the next launch.
    private func isRefused(_ purchase: Purchase) -> Bool {
        attempts[purchase.id].map { $0.isRefused && $0.purchase == purchase } ?? false
    }

    /// Returns the value of a call to the records, and its failure as one of the synchronization.
    private func stored<Value: Sendable>(
        _ call: @escaping @Sendable () async throws(DatabaseError) -> Value
    ) async throws(SyncError) -> Value {
        do throws(DatabaseError) {
            return try await environment.timer.databaseAnswer(to: call)
        } catch {
            throw SyncError(.recordsUnavailable, "the records cannot be read or written", underlying: error)
        }
    }

    /// Returns the reason that the server has not acknowledged a submission; nil if it has.
    private func answer(to submission: PurchaseSubmission) async -> SyncError? {
        // A transport can itself stop the reconciler, such as when the server says that the session has ended.
        let answer = await environment.timer.answer(within: deadlineMilliseconds, isAwaited: false) {
            [transport] () -> Result<Void, SyncError> in
            do throws(SyncError) {
                return .success(try await transport.send(submission))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success: return nil
        case .failure(let error): return error
        case nil: return SyncError(.timedOut, "the server has not answered within \(deadlineMilliseconds) ms")
        }
    }
}

extension SyncReconciler {
    /// What this process has tried for a purchase.
    private struct Attempts {
        /// The state of the purchase in the last attempt.
        let purchase: Purchase
        let failures: Int
        /// Whether the server has refused it, so that another attempt is useless.
        let isRefused: Bool
    }
}

/// What a run of ``SyncReconciler/syncPendingPurchases()`` has done.
public struct SyncReport: Sendable, Hashable {
    /// The number of purchases that the server has acknowledged in this run.
    public internal(set) var acknowledged: Int
    /// The number of purchases that the server refuses; they are sent again after the next launch, or when they change.
    public internal(set) var rejected: Int
    /// The number of purchases that are still to be sent.
    public internal(set) var pending: Int
    /// The first failure; nil if the server has answered for each purchase.
    public internal(set) var error: SyncError?

    /// Creates a report; without arguments, of a run that had nothing to do.
    public init(acknowledged: Int = 0, rejected: Int = 0, pending: Int = 0, error: SyncError? = nil) {
        self.acknowledged = acknowledged
        self.rejected = rejected
        self.pending = pending
        self.error = error
    }
}

extension PurchaseLogEvent.Kind {
    /// Purchases could not be sent to the app's own server; they are sent again later.
    public static let syncFailed = Self(rawValue: "sync-failed")
    /// The app's own server refuses a purchase; the purchase counts all the same.
    public static let syncRejected = Self(rawValue: "sync-rejected")
}
