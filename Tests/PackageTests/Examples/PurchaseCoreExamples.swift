import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

// The code of PurchaseCore's documentation, in the order of its pages.

/// `PurchaseCore.md`
private func overview(
    _ store: any Store, _ ledger: any PurchaseLedger, _ environment: PurchaseEnvironment,
    _ show: (Any) -> Void
) async {
    let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.production])
    let verifier = ReceiptVerifier(policy: policy)
    let catalog = TemplatePriceCatalog(
        version: 1, proProductIDs: ["com.example.pro.yearly"], templateProductToID: [:])
    let flags = FeatureFlags(purchasesEnabled: true)  // the app's own switch; without flags, a coordinator sells
    let service = PurchaseService(store: store, ledger: ledger, verifier: verifier, environment: environment)
    let entitlementStore = EntitlementStore(service: service, catalog: catalog, environment: environment)
    await entitlementStore.start().value

    let coordinator = ProSubscriptionCoordinator(
        purchaseService: service, entitlementRefresher: entitlementStore, catalog: catalog, flags: { flags })
    switch await coordinator.buyPro(productID: "com.example.pro.yearly") {
    case .success: show("Thank you!")  // sold and unlocked: entitlementStore.entitlements.isPro
    case .alreadyOwned: break  // unlocked, and nothing was sold
    case .cancelled: break
    case .pending(let reason): show(reason)  // do not offer to buy again; PendingReason has the exception
    case .failed(let error): show(error.recoverySuggestion ?? "The purchase has failed.")  // error.message is for logs
    }
    await appBecameActiveOrOnline()

    func appBecameActiveOrOnline() async {
        await service.resumeUnfinishedPurchases()  // purchases that were begun and not finished
        await entitlementStore.refresh()  // renewals, refunds, and the end of offline grace
    }
}

/// `PurchaseService`
private func purchaseService(
    _ store: any Store, _ ledger: any PurchaseLedger, _ policy: VerificationPolicy,
    _ environment: PurchaseEnvironment
) async {
    let service = PurchaseService(
        store: store, ledger: ledger, verifier: ReceiptVerifier(policy: policy), environment: environment)
    let result = await service.purchase(productID: "com.example.pro.yearly")
    _ = result
}

/// `PurchaseEnvironment`
private func environment(_ store: any Store, _ verifier: any TransactionVerifying, _ catalog: TemplatePriceCatalog) {
    let environment = PurchaseEnvironment(log: ConsoleLog())
    let service = PurchaseService(store: store, verifier: verifier, environment: environment)
    let entitlements = EntitlementStore(service: service, catalog: catalog, environment: environment)
    _ = entitlements
}

/// `PurchaseService.md`
@MainActor
private func serviceAtLaunch(
    _ service: PurchaseService, _ entitlementStore: EntitlementStore, _ show: (Any) -> Void
) async throws {
    let listener = service.listenForTransactions { result in
        guard case .unverified(let failure) = result else { return }
        print(failure.code)
    }
    listener.cancel()
    let restore = try await entitlementStore.restore()
    show(restore.isAnythingInForce ? "Your purchases are restored." : "There is nothing to restore.")
}

/// A server that counts the coins of each account.
protocol CoinServer: Sendable {
    func credit(_ coins: Int, to account: UUIDText?, for key: String) async throws
}

/// `PurchaseFulfilling`
struct CoinFulfiller: PurchaseFulfilling {
    let server: any CoinServer

    func fulfil(_ order: FulfilmentOrder) async throws {
        guard order.transaction.productID == "com.example.coins100" else { return }
        // The server credits the difference to what it has credited for the key before: an order can be repeated.
        try await server.credit(100 * order.quantity, to: order.account, for: order.key.description)
    }
}

/// `EntitlementStore`
@MainActor
private func entitlementStore(
    _ service: PurchaseService, _ catalog: TemplatePriceCatalog, _ environment: PurchaseEnvironment,
    _ show: (Any) -> Void
) async {
    let entitlementStore = EntitlementStore(service: service, catalog: catalog, environment: environment)
    entitlementStore.start()
    for await entitlements in entitlementStore.updates() { show(entitlements) }
}

/// `PlatformStore`, `PurchaseService.init(ledger:verifier:fulfiller:user:deadlines:environment:)`
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
private func platformVerdicts(_ ledger: any PurchaseLedger) -> [PurchaseService] {
    let store = PlatformStore(StoreKitStore())
    let service = PurchaseService(store: store, ledger: ledger, verifier: store.verifier)
    return [service, withDefaults()]

    func withDefaults() -> PurchaseService {
        let service = PurchaseService(ledger: ledger)
        return service
    }
}

/// `PurchaseService.signIn(_:)`
private func signIn(_ entitlementStore: EntitlementStore, _ service: PurchaseService, _ account: UUIDText) async {
    await entitlementStore.changeUser { await service.signIn(account) }
}

/// `FixedEntitlements`
@MainActor
private func preview() -> any EntitlementProviding {
    let entitlements = FixedEntitlements(Entitlements(granting: [.pro]))
    return entitlements
}

/// `ObservableEntitlements`
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor
private func observation(_ entitlementStore: EntitlementStore) -> Task<Void, Never> {
    let model = ObservableEntitlements(entitlementStore)
    let following = Task { await model.follow() }  // in SwiftUI: .task { await model.follow() }
    return following
}

/// `TemplatePurchaseCoordinator`, `ProSubscriptionCoordinator`
private func coordinators(
    _ coordinator: TemplatePurchaseCoordinator, _ proCoordinator: ProSubscriptionCoordinator,
    _ template: (id: TemplateID, productID: String)
) async {
    let outcome = await coordinator.buyTemplate(templateID: template.id, productID: template.productID)
    _ = outcome
    await pro(proCoordinator)

    func pro(_ coordinator: ProSubscriptionCoordinator) async {
        let outcome = await coordinator.buyPro(productID: "com.example.pro.yearly")
        _ = outcome
    }
}

/// `PurchaseRepository`
private func productMetadata(
    _ service: PurchaseService, _ productCache: any ProductCache, _ bundledOfferings: any OfferingsSource
) async {
    let repository = PurchaseRepository(service: service, cache: productCache, offerings: bundledOfferings)
    let metadata = await repository.loadProductMetadata(["com.example.export"])
    show(metadata.products, isOutOfDate: metadata.error != nil)

    func show(_ products: [Product], isOutOfDate: Bool) {}
}

/// `OneTimePurchaseFlow`, `SellingOneTimeProducts.md`
@MainActor
private func oneTimePurchases(
    _ service: PurchaseService, _ records: PurchaseRecords, _ entitlementStore: EntitlementStore,
    _ dialogue: any PurchaseConfirming, _ repository: PurchaseRepository, _ flags: FeatureFlags,
    _ preferredLanguages: [String], _ show: (Any) -> Void
) async {
    let flow = OneTimePurchaseFlow(
        service: service, records: records, entitlements: entitlementStore, confirmation: dialogue,
        repository: repository, flags: { flags })
    flow.start()
    let result = await flow.purchaseProduct("com.example.export")
    switch result.outcome {
    case .success, .alreadyOwned: show("Export is unlocked.")
    case .cancelled: break
    case .pending(let reason): show(reason)  // do not offer to buy again
    case .failed: show(result.error?.userMessage(languages: preferredLanguages).text ?? "")
    }
}

/// `SellingOneTimeProducts.md`
@MainActor
private func oneTimeSetUp(
    _ service: PurchaseService, _ records: PurchaseRecords, _ entitlementStore: EntitlementStore,
    _ dialogue: any PurchaseConfirming, _ productCache: any ProductCache, _ bundledOfferings: any OfferingsSource,
    _ flags: FeatureFlags
) {
    let repository = PurchaseRepository(service: service, cache: productCache, offerings: bundledOfferings)
    let flow = OneTimePurchaseFlow(
        service: service, records: records, entitlements: entitlementStore, confirmation: dialogue,
        repository: repository, flags: { flags })
    flow.start()
}

/// `PurchaseVerification.md`
private func verifiedPurchases(
    _ store: any Store, _ ledger: any PurchaseLedger, _ environment: PurchaseEnvironment
) -> PurchaseService {
    let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.production])
    let verifier = ReceiptVerifier(policy: policy)
    let service = PurchaseService(store: store, ledger: ledger, verifier: verifier, environment: environment)
    return service
}

/// `GatingFeatures.md`, `FeatureCatalog`, `FeatureGatingService`
@MainActor
private func gatingFeatures(
    _ service: PurchaseService, _ products: ProductCatalogService, _ showPaywall: (Product?) -> Void,
    _ showExport: () -> Void, _ showProgress: () -> Void, _ showNoConnection: () -> Void
) async throws {
    let features = try FeatureCatalog([
        FeatureDefinition(id: "notes", name: "Notes", level: .free),
        FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["com.example.export"]),
    ])
    let catalog = TemplatePriceCatalog(version: 2, proProductIDs: ["com.example.pro.yearly"], features: features)
    let entitlementStore = EntitlementStore(service: service, catalog: catalog)
    let gating = FeatureGatingService(entitlements: entitlementStore)
    entitlementStore.start()

    let sold = try await service.products(for: features.definitions.flatMap(\.productIDs))
    for finding in FeatureCatalog.findings(in: features.definitions, soldProducts: sold) { print(finding) }

    for await access in gating.accessUpdates(of: "export") {
        switch access {
        case .granted: showExport()
        case .denied: showPaywall(try? await gating.getRequiredPurchaseForFeature("export", from: products))
        case .unknown: showProgress()
        }
    }

    for await freshness in entitlementStore.freshnessUpdates() where freshness == .unanswered {
        showNoConnection()
    }
}

/// `FeatureGatingService`
@MainActor
private func synchronousGate(
    _ entitlementStore: EntitlementStore, _ export: () -> Void, _ showPaywall: (String?) -> Void
) {
    let gating = FeatureGatingService(entitlements: entitlementStore)
    if gating.canAccessSync("export") { export() } else { showPaywall(gating.getRequiredPurchaseForFeature("export")) }
}

/// `HandlingErrors.md`
private func failedPurchase(
    _ coordinator: ProSubscriptionCoordinator, _ productID: String, _ preferredLanguages: [String],
    _ screen: MessageScreen
) async {
    func show(_ text: String, _ advice: String, offersRetry: Bool) { screen.show(text, advice, offersRetry) }
    switch await coordinator.buyPro(productID: productID) {
    case .failed(let failure):
        let error = PurchaseError(failure, platform: .ios, productID: productID)
        let message = error.userMessage(languages: preferredLanguages)
        show(message.text, message.advice, offersRetry: error.isRetryable)
    default: break
    }
}

/// A screen with a text, an advice and a button.
struct MessageScreen {
    let show: (String, String, Bool) -> Void
}

/// `HandlingErrors.md`, `NetworkRetry`, `RecoveryLock`
private func retryAndRecovery(
    _ other: PurchaseService, _ ids: [String], _ rebuildLedger: @escaping @Sendable () async throws -> Void,
    _ rebuiltLedger: @escaping @Sendable () async throws -> String, _ store: any Store,
    _ ledger: any PurchaseLedger, _ verifier: any TransactionVerifying
) async throws {
    do {
        let service = other
        let products = try await NetworkRetry().run { try await service.products(for: ids) }
        _ = products
    }

    let recoveryLock = RecoveryLock()
    let service = PurchaseService(
        store: store, ledger: ledger, verifier: verifier, pacing: PurchasePacing(recovery: recoveryLock))
    try await recoveryLock.run { try await rebuildLedger() }
    _ = service

    let report = try await recoveryLock.run { try await rebuiltLedger() }
    _ = report
}

/// `PurchasePacing`
private func pacedService(
    _ store: any Store, _ ledger: any PurchaseLedger, _ verifier: any TransactionVerifying,
    _ recoveryLock: RecoveryLock
) -> PurchaseService {
    let service = PurchaseService(
        store: store, ledger: ledger, verifier: verifier, pacing: PurchasePacing(recovery: recoveryLock))
    return service
}

/// `PurchaseError`
private func convertedError(_ error: any Error, _ screen: (UserMessage, Bool) -> Void) {
    func show(_ message: UserMessage, offersRetry: Bool) { screen(message, offersRetry) }
    let error = PurchaseError(error, platform: .ios, productID: "com.example.pro.yearly")
    show(error.userMessage(languages: ["ja-JP"]), offersRetry: error.isRetryable)
}

/// `MessageCatalog`
private func ownTexts(_ show: (String?) -> Void) {
    let texts = MessageCatalog.standard.merging(
        MessageCatalog(["error.network": ["de": "Der Store ist nicht erreichbar."]]))
    show(texts.text("error.network", languages: ["de-AT", "en"]))
}

/// `PurchaseLifecycle.md` of PurchaseCore, win-back offers.
private func winBackOffer(
    _ coordinator: ProSubscriptionCoordinator, _ entitlements: Entitlements, _ product: Product
) async {
    if let offer = entitlements.winBackOffers(of: product).first, let id = offer.id {
        let outcome = await coordinator.buyPro(productID: product.id, options: PurchaseOptions(offer: .winBack(id: id)))
        print(outcome)
    }
}
