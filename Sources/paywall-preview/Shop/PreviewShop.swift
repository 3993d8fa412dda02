internal import LocalStore
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import PurchaseSimulation
internal import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// An app over the simulated store, with the parts that a released app has, and what is on its screens.
///
/// All windows of the browser show the same device, so the state of the screens is here and not in the pages.
@MainActor
final class PreviewShop {
    /// A message that stays on the shop's page after a paywall has closed.
    struct Notice: Equatable {
        let tone: PaywallMessage.Tone
        let text: String
        var advice = ""
    }

    /// What the customer has, and gets at a renewal. A notice says something about it, which a refund, an approval, a
    /// renewal or a failed payment makes wrong.
    private struct Possessions: Equatable {
        let entitlements: Set<Entitlement>
        let balances: [String: Int]
        let planChanges: [PlanChange]
        let failedPayments: [String]

        init(_ entitlements: Entitlements) {
            self.entitlements = Set(entitlements.grounds.keys)
            balances = entitlements.balances
            planChanges = entitlements.planChanges
            failedPayments = entitlements.purchases.filter { $0.billingIssue != nil }.map(\.transactionID)
        }
    }

    let configuration: StoreConfiguration
    let catalog: ShopCatalog
    let texts: ShopTexts
    let languages: FileLanguages
    let simulator: StoreSimulator
    /// The store on the customer's device.
    let customer: StoreSimulator.Customer
    let purchases: PurchaseStack
    let sheet: PaymentSheet
    let history: PurchaseHistoryViewModel
    let restore: RestoreViewModel
    let log: CoreLog

    /// The open paywall; nil if none is open.
    private(set) var paywall: PaywallViewModel?
    /// What the customer was told last; nil as soon as the customer has something else than at that time.
    var notice: Notice? { told.flatMap { $0.possessions == possessions ? $0.notice : nil } }
    /// The transaction of the subscription that the customer manages in the store; nil while its sheet is closed.
    private(set) var managed: String?
    /// The page that the customer looks at; nil before the first one.
    private var screen: String?
    /// The purchase whose details are shown.
    private(set) var detail: PurchaseDetail?

    /// The products as they were loaded last; nil before the first page.
    private(set) var loadedProducts: ProductMetadata?
    /// The answers of the store that were rejected before the last purchase or paywall.
    private var rejectionsBefore = 0
    private var told: (notice: Notice, possessions: Possessions)?
    private let coordinator: PaywallCoordinator
    private let feed: EventFeed
    private var followers: [Task<Void, Never>] = []
    private var paywallFollower: Task<Void, Never>?

    /// - Parameters:
    ///   - configuration: The products.
    ///   - offers: The configuration of the paywall; nil for one made from the products.
    ///   - firstOffers: The configuration that is in force until `offers` is read again.
    ///   - texts: The customer's language.
    ///   - folder: The files of the store and of the app.
    ///   - feed: Receives an event for each change of a screen.
    init(
        _ configuration: StoreConfiguration, offers: OffersFile?, firstOffers: RemoteConfig? = nil, texts: ShopTexts,
        in folder: PreviewFolder, feed: EventFeed
    ) async throws {
        self.configuration = configuration
        self.texts = texts
        languages = FileLanguages(of: configuration)
        self.feed = feed
        let catalog = try ShopCatalog(configuration, texts: texts)
        self.catalog = catalog
        simulator = try StoreSimulator(
            configuration: configuration, signer: SimulatorSigner(folder: folder.keys), file: folder.state,
            initial: SimulatorState(
                seed: 1, now: PurchaseEnvironment.deviceTime(), app: SimulatedApp(bundleID: "com.example.app"),
                settings: configuration.settings))
        // An existing state has the language of its last run.
        try simulator.perform { engine in engine.updateSettings { $0.locale = configuration.settings.locale } }
        customer = simulator.customer(Self.customer)
        let clock = simulator.clock
        let log = CoreLog(feed: feed, clock: clock)
        self.log = log
        sheet = PaymentSheet { feed.send(.shop) }
        // Creating a Google Play key would take as long as the rest of the start, and the shop sells nothing there.
        let verifier = simulator.verifier()
        let environment = simulator.environment(PurchaseEnvironment(log: log))
        var setup = PurchaseSetup(
            catalog: catalog.prices, store: customer,
            verifying: LoggedVerifier(verifier: verifier, log: log), keyCache: verifier.keyCache,
            environment: environment)
        setup.confirmation = sheet
        setup.ledger = { LoggedLedger(base: DatabaseLedger($0), log: log) }
        let purchases = try await PurchaseStack(setup, in: PurchaseFolder(folder.app))
        self.purchases = purchases
        let exportLog: SupportLogExport = { facts in
            await purchases.log.flush()
            let storage = DatabaseLog(await purchases.files.database, environment: environment)
            return try await storage.exportedLog(facts: facts.merging(["app": "paywall-preview"]) { $1 }, at: clock())
        }
        history = PurchaseHistoryViewModel(
            records: purchases.records, entitlements: purchases.entitlements, products: purchases.products,
            texts: texts.paywall, exportLog: exportLog)
        let purchase = OneTimePurchaseManager(purchases.flow)
        restore = RestoreViewModel(purchase: purchase, texts: texts.paywall, exportLog: exportLog)
        coordinator = PaywallCoordinator(
            services: PaywallServices(
                entitlement: purchases.entitlements, purchase: purchase, analytics: LoggedAnalytics(log: log),
                products: purchases.products, catalog: catalog.prices,
                introductoryOffer: { await purchases.introductoryOffer(of: $0, log: log) }, texts: texts.paywall,
                log: purchases.monitor,
                exportLog: exportLog),
            remoteConfig: RemoteConfigStore(
                source: offers,
                views: PaywallViewCounter(
                    file: PaywallDiskFile(path: folder.views), log: purchases.monitor, clock: clock),
                defaults: firstOffers ?? catalog.offers, log: purchases.monitor),
            userID: Self.customer, openPurchases: PaywallDiskFile(path: folder.openPurchases), clock: clock)
        sheet.trial = { [unowned self] in await self.updatedTrial(of: $0) }
    }

    /// The customer's account in the store.
    static let customer = "customer"

    /// The store's own clock.
    var now: Timestamp { simulator.state.now }

    // MARK: Start and stop

    /// Loads what the customer has, and sends an event for each change from then on.
    func start() async {
        await purchases.start()
        log.add(purchases.entitlements.entitlements)
        followers = [
            Task { [history] in await history.follow() },
            Task { [weak self, updates = purchases.entitlements.updates()] in
                for await entitlements in updates.dropFirst() {
                    self?.log.add(entitlements)
                    self?.changed()
                }
            },
            Task { [weak self, updates = history.updates()] in
                for await _ in updates { await self?.historyChanged() }
            },
            follow(restore.updates()), follow(purchases.flow.activityUpdates()),
            follow(purchases.entitlements.freshnessUpdates()),
        ]
    }

    func stop() async {
        sheet.cancel()
        await coordinator.flush()
        paywallFollower?.cancel()
        for follower in followers { follower.cancel() }
        await purchases.stop()
    }

    /// Sends an event for each value of a stream.
    private func follow(_ updates: AsyncStream<some Sendable>) -> Task<Void, Never> {
        Task { [feed] in
            for await _ in updates { feed.send(.shop) }
        }
    }

    private func historyChanged() async {
        if let id = detail?.id {
            detail = await logged("the details of a purchase") { try await history.detail(of: id) }
        }
        changed()
    }

    /// Returns the result of a call; nil if it fails, which the console shows.
    private func logged<Value>(_ subject: String, _ call: () async throws -> Value?) async -> Value? {
        do {
            return try await call()
        } catch {
            log.add(.core, "\(subject): \(error)", isFailure: true)
            return nil
        }
    }

    // MARK: What the pages show

    /// Returns the purchases that wait for an approval.
    func pendingPurchases() async -> [PendingPurchase] {
        await logged("the pending purchases") { try await purchases.service.pendingPurchases() } ?? []
    }

    /// Returns whether the customer gets the introductory offer of a product that the payment sheet is about.
    ///
    /// An open paywall is asked first, because its button and the sheet must not say different things.
    func trial(of product: Product, on question: PaymentSheet.Question) -> TrialEligibility {
        paywall.flatMap { $0.sells(product) ? $0.state.trial(of: product) : nil } ?? question.trial
    }

    private func updatedTrial(of product: Product) async -> TrialEligibility {
        guard let paywall, paywall.sells(product) else {
            return await purchases.introductoryOffer(of: product, log: log)
        }
        await paywall.updateTrials()
        return paywall.state.trial(of: product)
    }

    /// Returns the products for a page.
    ///
    /// Only the first page loads them: another one would use up a failure that the console has ordered for the paywall.
    func products() async -> ProductMetadata {
        if let loadedProducts { loadedProducts } else { await loadProducts() }
    }

    private var possessions: Possessions { Possessions(purchases.entitlements.entitlements) }

    func tell(_ notice: Notice?) { told = notice.map { ($0, possessions) } }

    // MARK: The paywall

    /// Begins a session of the paywall for a locked feature, or with the offer of the configuration.
    func openPaywall(for feature: FeatureID?) async {
        guard paywall == nil else { return }
        tell(nil)
        // After the end of a session, which also reads the file of the offers again; before it, nothing is to be done.
        try? await coordinator.start()
        guard paywall == nil else { return }
        let opened =
            if let feature { try? coordinator.toPaywall(featureID: feature) } else {
                try? coordinator.toPaywall(personalPromiseKey: nil)
            }
        guard let opened else {
            if let reason = coordinator.skipReason { tell(Notice(tone: .notice, text: text(of: reason))) }
            return changed()
        }
        paywall = opened
        rejectionsBefore = log.rejectionCount
        paywallFollower = Task { [weak self, updates = opened.updates()] in
            for await state in updates { self?.paywallChanged(state) }
        }
        await opened.load()
        await loadProducts()
        changed()
    }

    @discardableResult
    private func loadProducts() async -> ProductMetadata {
        let products = await purchases.products.loadProductMetadata(configuration.products.map(\.id))
        loadedProducts = products
        return products
    }

    private func paywallChanged(_ state: PaywallViewState) {
        if let result = state.result {
            paywall = nil
            paywallFollower?.cancel()
            // What the customer has just read on a paywall that is closed is not repeated.
            switch result {
            case .declined, .dismissed, .failed: break
            // The page shows each purchase that waits for an approval, as long as it waits.
            case .awaitingApproval: break
            case .purchased where log.rejectionCount > rejectionsBefore: tell(confirmation)
            default: tell(state.message.map { notice(of: $0) })
            }
        }
        changed()
    }

    /// Does what a button beside a message of the paywall offers.
    func retry(_ action: PaywallMessage.Action) async {
        await paywall?.perform(action)
        // The page has the same warning about the products as the paywall.
        if action == .loadAgain { await loadProducts() }
        changed()
    }

    private func notice(of message: PaywallMessage) -> Notice {
        let words = message.userMessage(texts.paywall)
        return Notice(tone: message.tone, text: words.text, advice: words.advice)
    }

    private func text(of reason: PaywallSkipReason) -> String {
        switch reason {
        case .alreadyUnlocked: texts[.haveEverything]
        case .entitlementsUnknown: texts[.purchasesUnknown]
        case .purchasesDisabled: texts[.purchasesOff]
        case .heldOut, .viewLimit, .noOffer, .nothingToSell: texts[.noOffer]
        }
    }

    // MARK: Other actions of the customer

    /// Buys a product without a paywall.
    func buy(_ productID: String) async {
        guard purchases.flow.activity.purchase == nil else { return }
        tell(nil)
        rejectionsBefore = log.rejectionCount
        let product = loadedProducts?.products.first { $0.id.isIdentical(to: productID) }
        let effect = product.flatMap { self.effect(of: $0) }
        let result = await purchases.flow.purchaseProduct(productID)
        switch result.outcome {
        // Nothing else in the log says so, because there is no paywall whose events would.
        case .cancelled: log.add(.core, "the purchase of \(productID) is cancelled")
        case .pending(let reason): log.add(.core, "the purchase of \(productID) is pending: \(reason.name)")
        case .success, .alreadyOwned, .failed: break
        }
        if effect == .keeps, result.outcome == .alreadyOwned || result.outcome == .success {
            tell(texts.paywall.notice(of: .keeps).map { Notice(tone: .success, text: $0) })
        } else {
            tell(notice(of: result, productID))
        }
        changed()
    }

    /// What the customer is told about a purchase that a later answer of the store has proved.
    private var confirmation: Notice {
        Notice(tone: .success, text: texts[MessageKey.purchaseConfirmed], advice: texts["flow.confirmed.next"])
    }

    /// Returns what the customer is told about a purchase; nil if the page shows it as a purchase that waits.
    private func notice(of result: PurchaseReport, _ productID: String) -> Notice? {
        switch result.outcome {
        case .alreadyOwned: return Notice(tone: .notice, text: texts[.owned])
        case .pending(.changesAtRenewal(_, let date)):
            let text = date.map { texts[MessageKey.changesOnDate, ["date": texts.paywall.day(of: $0)]] }
            return Notice(tone: .notice, text: text ?? texts[MessageKey.changesAtRenewal])
        case .pending(.offerAtRenewal(_, let date)):
            let text = date.map { texts[MessageKey.offerOnDate, ["date": texts.paywall.day(of: $0)]] }
            return Notice(tone: .success, text: text ?? texts[MessageKey.offerAtRenewal])
        case .pending(.renewsAgain(_, let date)):
            let text = date.map { texts[MessageKey.renewsAgainOnDate, ["date": texts.paywall.day(of: $0)]] }
            return Notice(tone: .success, text: text ?? texts[MessageKey.renewsAgain])
        case .success where log.rejectionCount > rejectionsBefore: return confirmation
        case .success:
            let name = configuration.product(productID)?.localization(for: configuration.settings.locale)?.displayName
            return Notice(tone: .success, text: texts[.bought, ["product": name ?? productID]])
        case .cancelled: return Notice(tone: .notice, text: texts[.cancelled])
        case .pending(.awaitingApproval): return nil
        case .pending, .failed:
            let words = result.error.map(texts.words) ?? UserMessage(text: texts[.notComplete], advice: "")
            // The advice of an error can be to try again, which could cost the customer a second time.
            let advice = result.sale == .notSold ? words.advice : texts[.doNotBuyAgain]
            return Notice(tone: .failure, text: words.text, advice: advice)
        }
    }

    /// Restores the customer's purchases.
    func restorePurchases() async {
        await restore.restore()
        // What a notice advises to do is done, and the result is on the page.
        if case .failed = restore.state.phase {} else { tell(nil) }
        changed()
    }

    /// Stops waiting for the approval of a purchase, so that the product can be ordered again.
    func forgetPendingPurchase(of productID: String) async {
        do throws(PurchaseError) {
            try await purchases.flow.forgetPendingPurchase(productID: productID)
            tell(nil)
        } catch {
            log.add(.core, "a pending purchase is not forgotten: \(error)", isFailure: true)
            let words = texts.words(of: error)
            tell(Notice(tone: .failure, text: words.text, advice: words.advice))
        }
        changed()
    }

    /// Shows the details of a purchase, by the ID of its transaction.
    func openDetail(_ transactionID: String) async {
        guard case .loaded(let history) = history.state else { return }
        let items = history.sections.flatMap(\.items)
        guard let item = items.first(where: { $0.id.transactionID == transactionID }) else { return }
        detail = await logged("the details of a purchase") { try await self.history.detail(of: item.id) }
        changed()
    }

    /// Shows the sheet in which the store manages a subscription; without an ID, closes it.
    func showSubscription(_ transactionID: String?) {
        managed = transactionID
        changed()
    }

    func closeDetail() {
        detail = nil
        changed()
    }

    /// What a message to support is about.
    enum SupportSubject: String {
        case paywall, restore, purchase
    }

    /// Returns the log for support as one JSON document, with facts about its subject; nil if there is nothing about
    /// it.
    func supportLog(about subject: SupportSubject) async throws -> [UInt8]? {
        switch subject {
        // Also of a paywall that has closed meanwhile.
        case .paywall: try await coordinator.paywall?.supportLog()
        case .restore: try await restore.supportLog()
        case .purchase:
            if let detail { try await history.supportLog(for: detail.id) } else { nil }
        }
    }

    /// Forgets the products of this session, so that they are loaded again.
    func forgetProducts() async {
        _ = await logged("the products are not forgotten") { try await purchases.products.removeProducts() }
    }

    /// Notes that the customer looks at a page. What another page has told is over then.
    func show(_ screen: String) {
        defer { self.screen = screen }
        guard let former = self.screen, former != screen else { return }
        let hadNotice = notice != nil
        tell(nil)
        if !restore.state.isLoading { restore.dismiss() }
        if hadNotice { changed() }
    }

    /// Tells the pages that something on them has changed.
    func changed() { feed.send(.shop) }

    /// Asks the store again, as an app does when it becomes active.
    func becomeActive() async {
        await purchases.refresh()
        await paywall?.load()
        await loadProducts()
        changed()
    }
}
