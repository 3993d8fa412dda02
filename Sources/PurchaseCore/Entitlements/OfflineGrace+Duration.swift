public import ReceiptTypes

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension EntitlementProjection {
    /// The time for which a subscription set to renew stays granted after its end if the store is unreachable.
    public var offlineGrace: Duration { .milliseconds(offlineGraceMilliseconds) }

    /// Three days.
    public static var defaultOfflineGrace: Duration { .milliseconds(defaultOfflineGraceMilliseconds) }

    /// Creates a projection.
    ///
    /// - Parameters:
    ///   - catalog: The map from products to entitlements.
    ///   - offlineGrace: For how long a subscription set to renew stays granted after its end if the store is
    ///     unreachable.
    public init(catalog: TemplatePriceCatalog, offlineGrace: Duration) {
        self.init(catalog: catalog, offlineGraceMilliseconds: offlineGrace.milliseconds)
    }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension EntitlementStore {
    /// Creates an entitlement store; nothing is loaded until it is started or refreshed.
    ///
    /// - Parameters:
    ///   - service: The service that knows what the customer owns.
    ///   - catalog: The map from products to entitlements.
    ///   - offlineGrace: For how long a subscription set to renew stays granted after its end if the store is
    ///     unreachable.
    ///   - log: Receives an event for every refresh that fails.
    ///   - timer: Measures the time until the next refresh.
    ///   - clock: The device's clock.
    public nonisolated convenience init(
        service: any PurchaseServicing,
        catalog: TemplatePriceCatalog,
        offlineGrace: Duration,
        log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        self.init(
            service: service, catalog: catalog, offlineGraceMilliseconds: offlineGrace.milliseconds, log: log,
            timer: timer,
            clock: clock)
    }
}
