public import ReceiptTypes

/// An object that can refresh the entitlements.
public protocol EntitlementRefreshing: Sendable {
    /// Refreshes the entitlements; it never throws.
    @MainActor func refresh() async
}

/// Whether the entitlements are loaded, and whether they are current.
public enum EntitlementFreshness: Sendable, Hashable {
    /// Nothing was loaded yet; an entitlement that is not granted may still have been bought.
    case notLoaded
    /// The store has answered.
    case current
    /// The store could not be reached; the entitlements come from the journal.
    case remembered
}

/// The customer's entitlements, for the rest of the app to read and to observe.
///
/// Keep a reference: the listener ends with the entitlement store.
///
/// ```swift
/// let entitlementStore = EntitlementStore(service: service, catalog: catalog, clock: clock)
/// entitlementStore.start()
/// for await entitlements in entitlementStore.updates() { show(entitlements) }
/// ```
@MainActor
public final class EntitlementStore: EntitlementRefreshing {
    /// The entitlements; empty until they are loaded.
    public private(set) var entitlements: Entitlements = .empty
    /// Whether the entitlements are loaded, and whether they are current.
    public private(set) var freshness: EntitlementFreshness = .notLoaded

    private let service: any PurchaseServicing
    private let projection: EntitlementProjection
    private let clock: @Sendable () -> Timestamp
    private let log: any PurchaseLog
    private var listener: Task<Void, Never>?
    private var runningRefresh: Task<Void, Never>?
    private var nextRefresh: Task<Void, Never>?
    private var observers: [Int: AsyncStream<Entitlements>.Continuation] = [:]
    private var lastObserver = 0

    /// Creates an entitlement store; nothing is loaded until it is started or refreshed.
    public nonisolated init(
        service: any PurchaseServicing,
        catalog: TemplatePriceCatalog,
        offlineGrace: Int64 = EntitlementProjection.defaultOfflineGrace,
        log: any PurchaseLog = SilentLog(),
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.service = service
        projection = EntitlementProjection(catalog: catalog, offlineGrace: offlineGrace)
        self.log = log
        self.clock = clock
    }

    deinit {
        listener?.cancel()
    }

    /// Starts listening and loads the entitlements; a second call does nothing.
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
    }

    /// Refreshes the entitlements, and returns when the refresh has ended.
    ///
    /// All callers that arrive during a refresh share the next one, so a burst of calls runs two refreshes. If a refresh
    /// fails, the entitlements stay unchanged.
    public func refresh() async {
        if let nextRefresh { return await nextRefresh.value }
        guard let runningRefresh else { return await startRefresh().value }
        let next = Task {
            await runningRefresh.value
            self.nextRefresh = nil
            await self.startRefresh().value
        }
        nextRefresh = next
        await next.value
    }

    private func startRefresh() -> Task<Void, Never> {
        let task = Task {
            await self.load()
            self.runningRefresh = nil
        }
        runningRefresh = task
        return task
    }

    private func load() async {
        do throws(JournalError) {
            let evidence = try await service.evidence()
            freshness = evidence.isStoreReachable ? .current : .remembered
            let loaded = projection.entitlements(
                from: evidence.transactions,
                renewalInfos: evidence.renewalInfos,
                at: evidence.clock.time(byClock: clock()),
                isStoreReachable: evidence.isStoreReachable
            )
            guard loaded != entitlements else { return }
            entitlements = loaded
            for observer in observers.values { observer.yield(loaded) }
        } catch {
            log.log(PurchaseLogEvent(.refreshFailed, detail: error.description))
        }
    }

    /// Returns a stream of the current entitlements and every change of them; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<Entitlements> {
        lastObserver += 1
        let number = lastObserver
        let (stream, continuation) = AsyncStream.makeStream(of: Entitlements.self, bufferingPolicy: .bufferingNewest(1))
        observers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.observers[number] = nil }
        }
        continuation.yield(entitlements)
        return stream
    }
}
