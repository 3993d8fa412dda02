import PurchaseCore
import ReceiptTypes

// The source of an app over StoreKit. It is compiled here, over the stand-in, and by `StoreKitTests` against the stub
// of StoreKit, so it contains no condition.

/// An app that leaves everything to the defaults.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
@MainActor
func smallApp(_ catalog: TemplatePriceCatalog) -> (ProSubscriptionCoordinator, EntitlementStore) {
    let service = StoreKitPurchaseService()
    let entitlements = EntitlementStore(service: service, catalog: catalog)
    entitlements.start()
    return (ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: entitlements), entitlements)
}

/// An app that sets everything.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
func completeApp(
    _ ledger: any PurchaseLedger, _ fulfiller: any PurchaseFulfilling, _ verifier: any TransactionVerifying,
    _ account: UUIDText, _ clock: @escaping @Sendable () -> Timestamp
) async throws -> [StoreKitPurchaseService] {
    let store = PlatformStore(StoreKitStore(), trustsLedger: false)
    let services = [
        StoreKitPurchaseService(
            ledger: ledger, verifier: verifier, fulfiller: fulfiller, user: .signedIn(account),
            deadlines: PurchaseDeadlines(queryMilliseconds: 5_000),
            environment: PurchaseEnvironment(log: ConsoleLog(), timer: SystemTimer(), clock: clock)),
        PurchaseService(store: store, ledger: ledger, verifier: store.verifier),
    ]
    for service in services {
        _ = service.listenForTransactions { _ in }
        _ = await service.purchase(productID: "pro.yearly")
        _ = try await service.requestAllPurchaseHistory()
        await service.resumeUnfinishedPurchases()
    }
    return services
}
