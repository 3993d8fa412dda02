public import ReceiptTypes

/// An object that can refresh the entitlements.
public protocol EntitlementRefreshing: Sendable {
    /// Refreshes the entitlements; it never throws.
    @MainActor func refresh() async

    /// The map from products to entitlements that the refresh uses; nil if it uses none.
    ///
    /// A coordinator that was created without a catalog takes this one.
    nonisolated var catalog: TemplatePriceCatalog? { get }
}

extension EntitlementRefreshing {
    /// No catalog.
    public nonisolated var catalog: TemplatePriceCatalog? { nil }
}

/// Whether the entitlements are loaded, and whether they are current.
public enum EntitlementFreshness: Sendable, Hashable {
    /// Nothing was loaded yet; an entitlement that is not granted may still have been bought.
    case notLoaded
    /// The store was asked and has not answered yet; the entitlements come from the ledger, within the limits of
    /// ``ClockMarks`` and the offline grace. An entitlement that is not granted may still have been bought.
    case asking
    /// The store has answered.
    case current
    /// The store could not be reached; the entitlements come from the ledger.
    case remembered
    /// The store could not be reached, has not answered before, and the ledger has nothing of the customer, as on a
    /// new device without a connection; an entitlement that is not granted may still have been bought.
    case unanswered

    /// Whether an entitlement that is not granted may still have been bought.
    public var isUndecided: Bool { self == .notLoaded || self == .asking || self == .unanswered }

    /// Whether neither the store has answered nor its deadline passed since the launch or the change of the user.
    public var isOpen: Bool { self == .notLoaded || self == .asking }
}

/// The customer's entitlements, for the rest of the app to read and to observe.
///
/// Keep a reference: the listener ends with the entitlement store.
///
/// ```swift
/// let entitlementStore = EntitlementStore(service: service, catalog: catalog, environment: environment)
/// entitlementStore.start()
/// for await entitlements in entitlementStore.updates() { show(entitlements) }
/// ```
@MainActor
public final class EntitlementStore: EntitlementRefreshing {
    /// The entitlements; empty until they are loaded.
    public private(set) var entitlements: Entitlements = .empty
    /// Whether the entitlements are loaded, and whether they are current.
    public private(set) var freshness: EntitlementFreshness = .notLoaded
    /// The number of changes of the app's user so far; a refresh that began before the latest one is discarded.
    public private(set) var userChanges = 0

    /// The map from products to entitlements.
    public nonisolated var catalog: TemplatePriceCatalog? { projection.catalog }

    private let service: any PurchaseServicing
    private let projection: EntitlementProjection
    private let environment: PurchaseEnvironment
    private let deadlines: PurchaseDeadlines
    private var listener: Task<Void, Never>?
    private var refreshTimer: RefreshTimer?
    private let refreshes = SharedRuns<Void>()
    private let entitlementObservers = Broadcast<Entitlements>()
    private let freshnessObservers = Broadcast<EntitlementFreshness>()
    private let changeHandlers = ChangeHandlers()
    /// The changes of the user that have not ended.
    private var runningChanges = 0

    /// The number of the last refresh, and of the last one that the store has answered.
    private var lastRefresh = 0
    private var lastAnsweredRefresh = 0
    /// The products that the last refresh has denied as unconfirmed.
    private var unconfirmed: Set<String> = []
    /// The refreshes in a row that have failed or that the store has not answered.
    private var failures = 0

    /// The longest time in milliseconds after which a refresh that has failed or that has confirmed nothing is
    /// repeated.
    static let retryInterval: Int64 = 300_000
    /// The pauses before a refresh that has failed is repeated: five seconds, doubled with each failure.
    static let retrySchedule = BackoffSchedule(
        firstMilliseconds: 5_000, longestMilliseconds: retryInterval, jitterPercent: 0)

    /// Creates an entitlement store; nothing is loaded until it is started or refreshed.
    ///
    /// - Parameters:
    ///   - service: The service that returns the evidence.
    ///   - catalog: The map from products to entitlements.
    ///   - offlineGraceMilliseconds: The time for which a subscription set to renew stays granted after its end if the
    ///     store is unreachable.
    ///   - deadlines: The deadlines of the service.
    ///   - environment: The log of failed refreshes, the timer of the next one, and the clock.
    public nonisolated init(
        service: any PurchaseServicing,
        catalog: TemplatePriceCatalog,
        offlineGraceMilliseconds: Int64 = EntitlementProjection.defaultOfflineGraceMilliseconds,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        environment: PurchaseEnvironment = .system
    ) {
        self.service = service
        self.deadlines = deadlines
        projection = EntitlementProjection(
            catalog: catalog, offlineGraceMilliseconds: offlineGraceMilliseconds)
        self.environment = environment
    }

    deinit {
        listener?.cancel()
    }

    /// Starts listening and loads the entitlements; a second call does nothing.
    ///
    /// What the ledger has is published first, as ``EntitlementFreshness/asking``, and then what the store answers,
    /// even after the deadline. From here on the entitlements are also refreshed when a ground ends, when an absence
    /// can be confirmed, and, as long as the store does not answer or a refresh fails, after five seconds, ten, twenty
    /// and so on, at most five minutes.
    ///
    /// - Returns: The first refresh, for a caller that waits for it; an empty task for a second call.
    @discardableResult
    public func start() -> Task<Void, Never> {
        guard listener == nil else { return Task {} }
        listener = service.listenForTransactions { [weak self] _ in await self?.refresh() }
        return Task { await self.refresh() }
    }

    /// Stops listening. The loaded entitlements stay, and the entitlement store can be started again.
    public func stop() {
        listener?.cancel()
        listener = nil
        refreshTimer = nil
    }

    /// Refreshes the entitlements, and returns when the refresh has ended, within
    /// ``PurchaseDeadlines/queryMilliseconds``.
    ///
    /// If the store has not answered by then, what the ledger has is published, and the store's answer when it arrives.
    ///
    /// A started entitlement store refreshes by itself when a purchase, renewal or refund arrives and when a ground
    /// ends. Nothing tells it that the app has come to the foreground or that the network is back: call this method
    /// then, and ``PurchaseServicing/resumeUnfinishedPurchases()`` for purchases that were begun.
    ///
    /// All callers that arrive during a refresh share the next one, so a burst of calls runs two refreshes. If a
    /// refresh fails, the entitlements stay unchanged.
    public func refresh() async {
        let isFirst = refreshes.last == nil
        let refresh = refreshes.run { await self.load() }
        // The service bounds a refresh; one that has to wait for another one is bounded here.
        if isFirst { return await refresh.value }
        _ = await environment.timer.value(of: refresh, within: deadlines.queryMilliseconds)
    }

    /// Waits for the refreshes that have begun.
    package func waitForRefreshes() async { await refreshes.last?.value }

    /// Changes the app's user: empties the entitlements, runs the change, and loads those of the new user.
    ///
    /// Observers receive the empty entitlements first. A refresh that begins before the change has ended shows nothing
    /// of the former user.
    public func changeUser(_ change: () async -> Void) async {
        userChanges += 1
        runningChanges += 1
        freshness = .notLoaded
        entitlements = .empty
        refreshTimer = nil
        changeHandlers.call()
        entitlementObservers.send(.empty)
        freshnessObservers.send(.notLoaded)
        await change()
        runningChanges -= 1
        await refresh()
    }

    /// Restores the customer's purchases, refreshes, and returns what is in force then.
    ///
    /// The store may ask for a password, so call it only after a tap on a restore button. It returns within
    /// ``PurchaseDeadlines/synchronizationMilliseconds``; what the store brings after that is published when it
    /// arrives.
    ///
    /// - Throws: ``StoreError`` if the store fails, or any error of another ``PurchaseServicing``. The entitlements are
    ///   then unchanged.
    public func restore() async throws -> RestoreResult {
        let deadline = environment.timer.start(milliseconds: deadlines.synchronizationMilliseconds)
        defer { deadline.cancel() }
        let history = try await service.requestAllPurchaseHistory()
        await SystemTimer.answer(before: deadline, isCancellable: false) { await self.refresh() }
        return RestoreResult(history: history, entitlements: entitlements)
    }

    /// Restores the purchases of an app receipt, and refreshes.
    ///
    /// It asks the store for nothing, so an app can call it at each launch; see
    /// ``PurchaseService/restore(appReceipt:)``.
    ///
    /// - Parameter bytes: The receipt file at `appStoreReceiptURL`, or its base64.
    /// - Throws: ``LedgerError`` if the receipt could not be recorded, or any error of another ``PurchaseServicing``.
    ///   The entitlements are then unchanged.
    public func restore(appReceipt bytes: [UInt8]) async throws -> VerificationResult<RestoredAppReceipt> {
        let result = try await service.restore(appReceipt: bytes)
        await refresh()
        return result
    }

    /// Restores the app transaction of the store, and refreshes; see ``PurchaseService/restoreAppTransaction()``.
    ///
    /// - Throws: ``StoreError``, ``LedgerError``, or any error of another ``PurchaseServicing``. The entitlements are
    ///   then unchanged.
    public func restoreAppTransaction() async throws -> VerificationResult<RestoredAppReceipt>? {
        let result = try await service.restoreAppTransaction()
        await refresh()
        return result
    }

    private func load() async {
        lastRefresh += 1
        // While a change runs, the service can still have the former user.
        let refresh = Refresh(number: lastRefresh, userChanges: runningChanges > 0 ? nil : userChanges)
        do throws(LedgerError) {
            // The answer of a store that was answering a moment ago is awaited.
            if freshness != .current, let remembered = try await service.rememberedEvidence() {
                publishRemembered(remembered, refresh)
            }
            let evidence = try await service.evidence { [weak self] late in await self?.publishLate(late, refresh) }
            guard refresh.userChanges == userChanges else { return }
            publish(evidence, freshness: Self.freshness(of: evidence, after: freshness), refresh)
        } catch {
            environment.log.log(PurchaseLogEvent(.refreshFailed, error: error))
            failures += 1
            setTimer(after: [entitlements.nextEnd])
        }
    }

    /// A refresh that has begun.
    private struct Refresh: Sendable {
        let number: Int
        /// The number of changes of the user; nil if it began during a change, so that nothing of it is shown.
        let userChanges: Int?
    }

    /// Publishes what the ledger has while the store is asked. An empty ledger says nothing.
    private func publishRemembered(_ evidence: PurchaseEvidence, _ refresh: Refresh) {
        guard refresh.userChanges == userChanges, freshness != .current else { return }
        guard !evidence.transactions.isEmpty || !evidence.appPurchases.isEmpty else { return }
        let loaded = projection.entitlements(from: evidence, clock: environment.clock())
        show(loaded, freshness.isUndecided ? .asking : freshness)
    }

    /// Publishes an answer of the store that has come after the deadline, unless a later refresh has one.
    private func publishLate(_ evidence: PurchaseEvidence, _ refresh: Refresh) {
        guard refresh.userChanges == userChanges, lastAnsweredRefresh < refresh.number else { return }
        publish(evidence, freshness: .current, refresh)
    }

    private func publish(_ evidence: PurchaseEvidence, freshness: EntitlementFreshness, _ refresh: Refresh) {
        let loaded = projection.entitlements(from: evidence, clock: environment.clock())
        logUnconfirmed(loaded)
        show(loaded, freshness)
        if freshness == .current { lastAnsweredRefresh = max(lastAnsweredRefresh, refresh.number) }
        failures = freshness == .current ? 0 : failures + 1
        let absences = evidence.absences.lazy.filter { !$0.isConfirmed }.map(\.confirmableFrom)
        setTimer(after: [loaded.nextEnd, absences.min()])
    }

    private func show(_ loaded: Entitlements, _ fresh: EntitlementFreshness) {
        let hasChanged = loaded != entitlements
        let wasFresh = freshness
        entitlements = loaded
        freshness = fresh
        changeHandlers.call()
        if hasChanged { entitlementObservers.send(loaded) }
        if fresh != wasFresh { freshnessObservers.send(fresh) }
    }

    /// Logs each purchase that the refresh before has not denied as unconfirmed.
    private func logUnconfirmed(_ loaded: Entitlements) {
        let before = unconfirmed
        unconfirmed = Set(loaded.denials.filter { $0.value == .unconfirmed }.keys)
        for productID in unconfirmed.subtracting(before).sorted(by: { $0.precedes($1) }) {
            environment.log.log(
                PurchaseLogEvent(
                    .unconfirmed, productID: productID,
                    detail:
                        "the store has not answered through many restarts; the purchase unlocks nothing until it does"
                ))
        }
    }

    /// Returns the freshness of entitlements from evidence; without any, an answer of the store in this run counts.
    private static func freshness(
        of evidence: PurchaseEvidence, after earlier: EntitlementFreshness
    ) -> EntitlementFreshness {
        if evidence.isStoreReachable { return .current }
        let isEmpty = evidence.transactions.isEmpty && evidence.appPurchases.isEmpty
        return isEmpty && earlier.isUndecided ? .unanswered : .remembered
    }

    /// Plans the next refresh after the earliest of some instants, replacing the one that was planned.
    ///
    /// While refreshes fail, or the store does not answer, the next one is earlier: customers may own more than is
    /// loaded. An instant that is over is tried again after ``retryInterval``.
    private func setTimer(after instants: [Timestamp?]) {
        guard listener != nil else { return }
        let now = environment.clock()
        let due = instants.compactMap { $0 }.map { $0 < now ? now.adding(milliseconds: Self.retryInterval) : $0 }.min()
        let pause = failures == 0 ? nil : Self.retrySchedule.pauseMilliseconds(afterFailures: failures, random: 0)
        guard due != nil || pause != nil else {
            refreshTimer = nil
            return
        }
        refreshTimer = RefreshTimer(after: due, orIn: pause, environment) { [weak self] in
            await self?.refresh()
        }
    }

    /// Returns a stream of the current entitlements and every change of them; a slow consumer receives only the latest.
    ///
    /// A refresh that changes only ``Entitlements/asOf`` is not a change.
    public func updates() -> AsyncStream<Entitlements> { entitlementObservers.stream(from: entitlements) }

    /// Returns a stream of the freshness and every change of it; a slow consumer receives only the latest.
    public func freshnessUpdates() -> AsyncStream<EntitlementFreshness> { freshnessObservers.stream(from: freshness) }

    /// Calls a handler within each refresh that has loaded entitlements, and within each change of the user.
    public func observeChanges(_ handler: @escaping @MainActor () -> Void) -> EntitlementObservation {
        changeHandlers.add(handler)
    }
}
