public import ReceiptTypes

/// What the customer may use, for the rest of the app to look at and to watch.
///
/// ```swift
/// let store = EntitlementStore(service: service, catalog: catalog, clock: clock)
/// store.start()
/// for await entitlements in store.updates() { show(entitlements) }
/// ```
@MainActor
public final class EntitlementStore: EntitlementRefreshing {
    /// What the customer may use; nothing until it is loaded.
    public private(set) var entitlements: Entitlements = .empty
    /// How far that can be relied on.
    public private(set) var freshness: EntitlementFreshness = .notLoaded

    private let service: any PurchaseServicing
    private let projection: EntitlementProjection
    private let clock: @Sendable () -> Timestamp
    private let log: any PurchaseLog
    private var listener: Task<Void, Never>?
    private var running: Task<Void, Never>?
    private var trailing: Task<Void, Never>?
    private var watchers: [Int: AsyncStream<Entitlements>.Continuation] = [:]
    private var lastWatcher = 0

    /// Makes a store over a service; nothing is loaded until it is started or refreshed.
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

    /// Starts to listen and loads the entitlements; a second start does nothing.
    ///
    /// - Returns: The first refresh, for whoever wants to wait for it.
    @discardableResult
    public func start() -> Task<Void, Never> {
        guard listener == nil else { return Task {} }
        listener = service.listenForTransactions { [weak self] _ in await self?.refresh() }
        return Task { await self.refresh() }
    }

    /// Stops to listen. What is loaded stays, and it can be started again.
    public func stop() {
        listener?.cancel()
        listener = nil
    }

    /// Brings the entitlements up to date, and returns when they are.
    ///
    /// Whoever asks while one refresh runs waits for the next, and all of them for the same one: a burst costs two. Where
    /// it fails, what is there stays.
    public func refresh() async {
        if let trailing { return await trailing.value }
        guard let running else { return await begin().value }
        let next = Task {
            await running.value
            self.trailing = nil
            await self.begin().value
        }
        trailing = next
        await next.value
    }

    private func begin() -> Task<Void, Never> {
        let task = Task {
            await self.load()
            self.running = nil
        }
        running = task
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
            for watcher in watchers.values { watcher.yield(loaded) }
        } catch {
            log.note(PurchaseLogEvent(.refreshFailed, detail: error.description))
        }
    }

    /// The entitlements as they are and then whenever they change. A slow reader misses those that are outdated already.
    public func updates() -> AsyncStream<Entitlements> {
        lastWatcher += 1
        let number = lastWatcher
        let (stream, continuation) = AsyncStream.makeStream(of: Entitlements.self, bufferingPolicy: .bufferingNewest(1))
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.watchers[number] = nil }
        }
        continuation.yield(entitlements)
        return stream
    }
}
