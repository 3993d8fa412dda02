public import PurchaseCore

/// What a paywall works with: the code that buys, the entitlements, the products, the texts, and where it reports.
///
/// ```swift
/// let services = PaywallServices(
///     entitlement: entitlementStore, purchase: OneTimePurchaseManager(flow), analytics: analytics,
///     products: repository, flags: { flags }, texts: PaywallTexts(languages: preferredLanguages), log: log)
/// ```
public struct PaywallServices: Sendable {
    /// The entitlements of the customer, refreshed after a sale and after a restore.
    public let entitlement: any EntitlementProviding
    /// Buys and restores.
    public let purchase: any PurchaseManager
    /// Receives the events.
    public let analytics: any PaywallAnalytics
    /// Loads the products of the plans; nil if the plans keep the prices that they have.
    public let products: PurchaseRepository?
    /// The map from products to entitlements, with the features; nil if there is none, so that every plan unlocks
    /// everything.
    public let catalog: TemplatePriceCatalog?
    /// Returns whether the customer gets a product's introductory offer.
    public let introductoryOffer: @Sendable (Product) async -> TrialEligibility
    /// Returns the app's switches; called for each purchase.
    public internal(set) var flags: @Sendable @MainActor () -> FeatureFlags
    /// Writes the messages in the customer's language.
    public let texts: PaywallTexts
    /// Receives an event for each plan that cannot be sold.
    public let log: any PurchaseLog
    /// Returns the log for support with some facts added; nil if the app exports none.
    public let exportLog: SupportLogExport?
    /// Measures deadlines, and the time that the customer spends on a paywall.
    public let timer: any PurchaseTimer

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - entitlement: The entitlements of the customer, such as a started `EntitlementStore`.
    ///   - purchase: Buys and restores.
    ///   - analytics: Receives the events; by default none does.
    ///   - products: Loads the products of the plans.
    ///   - catalog: The map from products to entitlements; nil for the one of `entitlement`.
    ///   - introductoryOffer: Returns whether the customer gets a product's introductory offer, from
    ///     `PurchaseService.introductoryOffer(of:)`. By default that is unknown, and the paywall promises no trial.
    ///   - flags: The app's switches. By default, purchases are switched on.
    ///   - texts: Writes the messages, by default in English.
    ///   - log: Receives an event for each plan that cannot be sold.
    ///   - exportLog: Returns the log for support with some facts added, for example from `LogStorage.exportedLog`.
    ///   - timer: Measures the deadlines.
    public init(
        entitlement: any EntitlementProviding,
        purchase: any PurchaseManager,
        analytics: any PaywallAnalytics = SilentPaywallAnalytics(),
        products: PurchaseRepository? = nil,
        catalog: TemplatePriceCatalog? = nil,
        introductoryOffer: @escaping @Sendable (Product) async -> TrialEligibility = { _ in .unknown },
        flags: @escaping @Sendable @MainActor () -> FeatureFlags = { .allEnabled },
        texts: PaywallTexts = PaywallTexts(languages: ["en"]),
        log: any PurchaseLog = SilentLog(),
        exportLog: SupportLogExport? = nil,
        timer: any PurchaseTimer = SystemTimer()
    ) {
        self.entitlement = entitlement
        self.purchase = purchase
        self.analytics = analytics
        self.products = products
        self.catalog = catalog ?? entitlement.catalog
        self.introductoryOffer = introductoryOffer
        self.flags = flags
        self.texts = texts
        self.log = log
        self.exportLog = exportLog
        self.timer = timer
    }

    /// The milliseconds for a refresh of the entitlements, and for a question about the pending purchases.
    private static let refreshDeadline: Int64 = 30_000

    /// Refreshes the entitlements, within a deadline.
    func refreshEntitlements() async {
        _ = await timer.answer(within: Self.refreshDeadline, isCancellable: false) { [entitlement] in
            await entitlement.refresh()
        }
    }

    /// Returns the ids of the products whose purchase awaits an approval; nil if that is not known.
    func pendingProductIDs() async -> [String]? {
        let answer = await timer.answer(within: Self.refreshDeadline, isCancellable: false) { [purchase] in
            await purchase.pendingPurchases()
        }
        return answer.flatMap { $0 }?.map(\.productID)
    }

    /// Forgets the pending purchase of a product; returns the failure, nil if it is forgotten.
    func forgetPendingPurchase(of productID: String) async -> PurchaseError? {
        let answer = await timer.answer(within: Self.refreshDeadline, isCancellable: false) {
            [purchase] () -> Result<Void, PurchaseError> in
            do throws(PurchaseError) {
                return .success(try await purchase.forgetPendingPurchase(productID: productID))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success: return nil
        case .failure(let error): return error
        case nil:
            return PurchaseError(
                LedgerError(.notWritten, "the pending purchase was not forgotten within the deadline"),
                productID: productID)
        }
    }

    /// Returns whether the customer gets the introductory offers of products, by the id of the product.
    ///
    /// What is not answered within the deadline is unknown, and missing here.
    func trials(of products: [Product]) async -> [String: TrialEligibility] {
        var trials: [String: TrialEligibility] = [:]
        for product in products where product.subscription?.introductoryOffer != nil {
            trials[product.id] = await timer.answer(within: Self.refreshDeadline, isCancellable: false) {
                [introductoryOffer] in await introductoryOffer(product)
            }
        }
        return trials
    }

    /// Returns what a product unlocks.
    func entitlements(soldBy productID: String) -> Set<Entitlement> { catalog?.entitlements(for: productID) ?? [.pro] }
}
