internal import ReceiptTypes

/// Decides which features a customer may use, from the catalog and the entitlements.
///
/// The answers follow the entitlements: of one-time purchases and of subscriptions, of every product that unlocks the
/// feature, and of the present user only. Consumables unlock nothing. An answer also changes without a refresh when the
/// last purchase behind it ends.
///
/// ```swift
/// let gating = FeatureGatingService(entitlements: entitlementStore)
/// if gating.canAccessSync("export") { export() } else { showPaywall(gating.getRequiredPurchaseForFeature("export")) }
/// ```
public final class FeatureGatingService: Sendable {
    /// The features of the catalog.
    public let features: FeatureCatalog

    private let provider: any EntitlementProviding
    private let table = Locked(AccessTable())
    private let reported = Locked<Set<FeatureID>>([])
    private let environment: PurchaseEnvironment
    private let announcements = Broadcast<Void>()
    @MainActor private var observation: EntitlementObservation?
    @MainActor private var endTimer: RefreshTimer?

    /// The number of unknown features that are reported; after that they are only denied.
    static let reportLimit = 1_000

    /// Creates a service that follows entitlements; it loads nothing.
    ///
    /// - Parameters:
    ///   - entitlements: The entitlements of the customer, such as a started ``EntitlementStore``.
    ///   - catalog: The catalog with the features; nil for the one that the entitlements are computed with.
    ///   - environment: The log, which receives an event for each unknown feature, once per id; the timer, the uptime
    ///     and the clock. Setting the clock back extends access only within the limits of ``ClockMarks``.
    @MainActor
    public init(
        entitlements: any EntitlementProviding,
        catalog: TemplatePriceCatalog? = nil,
        environment: PurchaseEnvironment = .system
    ) {
        features = (catalog ?? entitlements.catalog)?.features ?? .empty
        provider = entitlements
        self.environment = environment
        observation = entitlements.observeChanges { [weak self] in self?.publish() }
        publish()
    }

    // MARK: Access

    /// Returns whether the customer may use a feature. If that is not known yet, it refreshes the entitlements first.
    public func canAccess(_ feature: FeatureID) async -> Bool {
        if access(to: feature) == .unknown {
            await provider.refresh()
            // Entitlements that do not call their observers within the refresh have changed all the same.
            await publish()
        }
        return canAccessSync(feature)
    }

    /// Returns whether the customer may use a feature as far as is known now: false while nothing is loaded.
    ///
    /// It can be called from any thread. It does not suspend, read files or allocate memory.
    public func canAccessSync(_ feature: FeatureID) -> Bool { access(to: feature) == .granted }

    /// Returns whether the customer may use a feature, or that this is not known yet; from any thread, like
    /// ``canAccessSync(_:)``.
    public func access(to feature: FeatureID) -> FeatureAccess {
        switch table.withLock({ $0.entries[feature] }) {
        case .decided(let access): return access
        case .unlocked(until: let end):
            let (now, uptime) = (environment.clock(), environment.uptime())
            return table.withLock { $0.hasEnded(end, clock: now, uptime: uptime) } ? .unknown : .granted
        case nil:
            report(feature)
            return .denied
        }
    }

    /// Returns a stream of the access to a feature and every change of it; a slow consumer receives only the latest.
    @MainActor
    public func accessUpdates(of feature: FeatureID) -> AsyncStream<FeatureAccess> {
        let changes = announcements.stream(from: ())
        let (stream, continuation) = AsyncStream<FeatureAccess>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task { [weak self] in
            var last: FeatureAccess?
            for await _ in changes {
                guard let access = self?.access(to: feature) else { break }
                if access != last { continuation.yield(access) }
                last = access
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    // MARK: Features

    /// Returns the definition of a feature.
    ///
    /// - Throws: An error with the code ``FeatureCatalogError/Code/notFound``.
    public func getFeatureDefinition(_ feature: FeatureID) throws(FeatureCatalogError) -> FeatureDefinition {
        try features.definition(of: feature)
    }

    /// Returns the features of a level, in the order of the catalog.
    public func getFeaturesByLevel(_ level: FeatureLevel) -> [FeatureDefinition] {
        features.definitions.filter { $0.level == level }
    }

    /// Returns the id of the product to offer for a denied feature; nil if the feature is not denied or not known.
    ///
    /// It is the first product of the definition. The others unlock the feature too.
    public func getRequiredPurchaseForFeature(_ feature: FeatureID) -> String? {
        requiredProductIDs(of: feature).first
    }

    /// Returns the product to offer for a denied feature: the first of the definition that the store sells.
    ///
    /// - Parameters:
    ///   - feature: The id of the feature.
    ///   - products: Loads the products.
    /// - Returns: Nil if the feature is not denied or not known, or if the store sells none of its products.
    /// - Throws: ``StoreError`` if the products cannot be loaded.
    public func getRequiredPurchaseForFeature(
        _ feature: FeatureID, from products: ProductCatalogService
    ) async throws(StoreError) -> Product? {
        let ids = requiredProductIDs(of: feature)
        return ids.isEmpty ? nil : try await products.products(for: ids).first
    }

    private func requiredProductIDs(of feature: FeatureID) -> [String] {
        guard access(to: feature) == .denied, let definition = try? features.definition(of: feature) else { return [] }
        return definition.productIDs
    }

    /// Returns the remaining days of the customer's free trial, including the current one; nil if none is in force.
    ///
    /// A ``TrialManager`` computes them, so a clock set back adds no days beyond the limits of ``ClockMarks``.
    public func getRemainingTrialDays(from service: any PurchaseServicing) async throws(LedgerError) -> Int? {
        TrialManager(evidence: try await service.evidence(), clock: environment.clock()).getRemainingTrialDays()
    }

    // MARK: Changes

    /// Makes the current entitlements the source of all answers.
    @MainActor
    private func publish() {
        let (entitlements, freshness) = (provider.entitlements, provider.freshness)
        // Computed before the lock is held, because readers wait for the lock.
        let entries = AccessTable.entries(of: features, entitlements, freshness)
        table.withLock { $0.update(entries, asOf: entitlements.asOf, freshness) }
        announce()
    }

    /// Tells the streams that an answer may have changed, and plans to do so when the next purchase ends.
    @MainActor
    private func announce() {
        announcements.send(())
        let (now, uptime) = (environment.clock(), environment.uptime())
        endTimer = table.withLock { $0.nextEnd(clock: now, uptime: uptime) }.map { end in
            RefreshTimer(after: end, orIn: nil, environment) { [weak self] in await self?.announce() }
        }
    }

    /// Logs a feature that the catalog does not have, once.
    private func report(_ feature: FeatureID) {
        let isNew = reported.withLock { $0.count < Self.reportLimit && $0.insert(feature).inserted }
        guard isNew else { return }
        environment.log.log(
            PurchaseLogEvent(.unknownFeature, detail: "the catalog has no feature \(feature); it is denied"))
    }
}

extension PurchaseLogEvent.Kind {
    /// The app has asked for a feature that the catalog does not have; logged once per id.
    public static let unknownFeature = Self(rawValue: "unknown-feature")
}
