import LocalStore
import PurchaseCore
import PurchaseSimulation
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// Plan changes, trials and listings of Google Play subscriptions, over the simulator and the real verifier.
@Suite("Google Play plans", .timeLimit(.minutes(15)))
struct PlayPlanTests {
    private static let day: Int64 = 86_400_000
    private static let start = Timestamp(milliseconds: 1_735_689_600_000) ?? .minimum
    private static let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["monthly", "yearly"])

    /// An app on a device with Google Play; each ``launch()`` is a new process over the same ledger.
    private struct Device {
        let simulator: StoreSimulator
        var ledger = InMemoryLedger()
        let log = LogRecorder()

        /// - Parameter answers: The number of lists after which the store is offline; nil if it always answers.
        init(hasTrial: Bool = false, answers: Int? = nil) throws {
            let offers = hasTrial ? [ConfiguredOffer(paymentMode: .freeTrial, period: .week)] : []
            func subscription(_ id: String, level: Int, _ period: BillingPeriod) -> ConfiguredProduct {
                ConfiguredProduct(
                    id: id, type: .autoRenewableSubscription, price: Milliunits(2_990),
                    subscription: ConfiguredSubscription(
                        groupID: "pro", level: level, period: period, introductoryOffers: offers))
            }
            let faults = answers.map {
                [Fault(at: .currentEntitlements, when: .init(first: $0 + 1, count: 1_000), do: .fail(code: "network"))]
            }
            simulator = StoreSimulator(
                configuration: StoreConfiguration(products: [
                    subscription("monthly", level: 2, .month), subscription("yearly", level: 1, .year),
                ]),
                signer: try SimulatorSigner(),
                state: SimulatorState(
                    seed: 1, now: PlayPlanTests.start, app: SimulatedApp(bundleID: "com.example.app"),
                    accounts: ["anna"]),
                faults: FaultPlan(faults: faults ?? []))
        }

        func launch() -> App {
            let service = PurchaseService(
                playSimulator: simulator, ledger: ledger,
                environment: PurchaseEnvironment(log: log, timer: ManualTimer()))
            return App(service: service, clock: simulator.clock)
        }

        /// The verifier that ``launch()`` uses, for services with another store or clock.
        var verifier: PlayReceiptVerifier {
            var keys = PlayKeyring()
            if let key = try? simulator.signer.playPublicKey {
                keys.add([UInt8](key.utf8), forPackage: simulator.state.app.bundleID)
            }
            return PlayReceiptVerifier(
                ReceiptVerifier(
                    policy: VerificationPolicy(apps: [.init(bundleID: simulator.state.app.bundleID)]),
                    trustAnchors: simulator.signer.trustAnchors, playKeys: keys),
                products: simulator.engine.configuration.playProducts)
        }

        func advance(days: Int) throws {
            try simulator.perform { try $0.advance(byMilliseconds: Int64(days) * PlayPlanTests.day) }
        }

        /// The purchases that the store lists, with token and product.
        func listed() async throws -> [(token: String, productID: String)] {
            let account = try #require(simulator.state.accounts.first?.name)
            return try await simulator.playCustomer(account).currentEntitlements().map {
                ($0.transactionID, $0.productID)
            }
        }
    }

    private struct App {
        let service: PurchaseService
        let clock: @Sendable () -> Timestamp

        func buy(_ productID: String) async -> PurchaseOutcome {
            PurchaseResultMapping.outcome(of: await service.purchase(productID: productID))
        }

        func entitlements() async throws -> Entitlements {
            EntitlementProjection(catalog: PlayPlanTests.catalog)
                .entitlements(from: try await service.evidence(), clock: clock())
        }

        /// The products that grant, and whether each renews.
        func granted() async throws -> [String: Bool?] {
            Dictionary(
                try await entitlements().purchases.filter(\.isGranted).map { ($0.productID, $0.willRenew) },
                uniquingKeysWith: { _, _ in nil })
        }
    }

    // MARK: Changes with the next renewal

    @Test("a downgrade in Google Play is pending until the renewal, and the new plan follows the old one")
    func downgrade() async throws {
        let device = try Device()
        var app = device.launch()
        #expect(await app.buy("yearly") == .success)
        let token = try await device.listed().map(\.token)
        try device.advance(days: 10)
        #expect(try await app.granted() == ["yearly": true])

        #expect(await app.buy("monthly") == .pending(.changesAtRenewal(productID: "monthly", date: nil)))
        let listed = try await device.listed()
        #expect(listed.map(\.productID) == ["yearly"])
        #expect(listed.map(\.token) != token, "the change is a purchase with a token of its own")
        let change = PlanChange(productID: "yearly", nextProductID: "monthly", date: nil)
        for days in [0, 200] {
            try device.advance(days: days)
            if days > 0 { app = device.launch() }
            #expect(try await app.granted() == ["yearly": true])
            #expect(try await app.entitlements().planChanges == [change])
            #expect(try await app.entitlements().unconfirmedGrounds.isEmpty)
        }
        #expect(try await app.entitlements().purchases.filter(\.isGranted).map(\.planChange) == [change])

        for days in [170, 360] {
            try device.advance(days: days)
            #expect(try await device.listed().map(\.productID) == ["monthly"])
            for app in [app, device.launch()] {
                #expect(try await app.granted() == ["monthly": true])
                #expect(try await app.entitlements().planChanges.isEmpty)
            }
        }
        let restoring = device.launch()
        #expect(try await restoring.service.requestAllPurchaseHistory().rejected.isEmpty)
        #expect(try await restoring.granted() == ["monthly": true])
        #expect(!device.log.kinds.contains(.conflict))
    }

    @Test("a downgrade that took effect while the app was not running is found at the next launch, on every device")
    func downgradeFoundLater() async throws {
        var device = try Device()
        let first = device.launch()
        #expect(await first.buy("yearly") == .success)
        _ = await first.buy("monthly")
        try device.advance(days: 380)
        #expect(try await first.granted() == ["monthly": true])
        #expect(try await device.launch().granted() == ["monthly": true])
        device.ledger = InMemoryLedger()
        let other = device.launch()
        #expect(try await other.granted() == ["monthly": true])
        _ = try await other.service.requestAllPurchaseHistory()
        #expect(try await other.granted() == ["monthly": true])
        #expect(!device.log.kinds.contains(.conflict))
    }

    @Test("a downgrade that the store has accepted is planned although the products cannot be loaded at that moment")
    func downgradeWithoutProducts() async throws {
        let device = try Device()
        _ = await device.launch().buy("yearly")
        let service = PurchaseService(
            store: ChangedStore(
                base: device.simulator.playCustomer("anna"), productsFailure: StoreError(.network, "no connection")),
            ledger: device.ledger, verifier: device.verifier,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: device.simulator.clock))
        #expect(
            await App(service: service, clock: device.simulator.clock).buy("monthly")
                == .pending(.changesAtRenewal(productID: "monthly", date: nil)))
        #expect(
            try await device.launch().entitlements().planChanges
                == [PlanChange(productID: "yearly", nextProductID: "monthly", date: nil)])
    }

    @Test("a planned downgrade ends when the customer buys the present plan again")
    func downgradeTakenBack() async throws {
        let device = try Device()
        let app = device.launch()
        #expect(await app.buy("yearly") == .success)
        _ = await app.buy("monthly")
        #expect(try await app.entitlements().planChanges.count == 1)
        #expect(await app.buy("yearly") == .success)
        #expect(try await app.entitlements().planChanges.isEmpty)
        try device.advance(days: 380)
        #expect(try await app.granted() == ["yearly": true])
    }

    @Test("a planned downgrade is not shown while renewal is switched off")
    func downgradeCancelled() async throws {
        let device = try Device()
        let app = device.launch()
        #expect(await app.buy("yearly") == .success)
        _ = await app.buy("monthly")
        try device.simulator.perform { try $0.cancelRenewal($0.state.transactions[0].id) }
        #expect(try await app.entitlements().planChanges.isEmpty)
        #expect(try await app.granted() == ["yearly": false])
        try device.advance(days: 370)
        #expect(try await !app.entitlements().isPro)
    }

    // MARK: Changes at once

    @Test("an upgrade in Google Play ends the old plan as upgraded at once, online and offline")
    func upgrade() async throws {
        for isOffline in [false, true] {
            let device = try Device(answers: isOffline ? 1 : nil)
            let app = device.launch()
            #expect(await app.buy("monthly") == .success)
            try device.advance(days: 10)
            #expect(try await app.granted() == ["monthly": true])
            #expect(await app.buy("yearly") == .success)
            for days in [0, 2, 3] {
                try device.advance(days: days)
                let entitlements = try await app.entitlements()
                #expect(try await app.granted() == ["yearly": true])
                #expect(entitlements.denials == ["monthly": .upgraded])
                #expect(entitlements.purchases.first { $0.productID == "monthly" }?.willRenew == false)
                let renewals = try await app.service.evidence().renewalInfos
                #expect(renewals.filter(\.willAutoRenew).map(\.productID) == ["yearly"])
                #expect(entitlements.unconfirmedGrounds.isEmpty)
            }
        }
    }

    @Test("an upgrade on another device ends the old plan with the first list that has the new one")
    func upgradeElsewhere() async throws {
        let device = try Device()
        let app = device.launch()
        #expect(await app.buy("monthly") == .success)
        try device.advance(days: 10)
        #expect(try await app.granted() == ["monthly": true])
        let other = PurchaseService(
            playSimulator: device.simulator, environment: PurchaseEnvironment(timer: StoppedTimer()))
        _ = await other.purchase(productID: "yearly")
        #expect(try await app.granted() == ["yearly": true])
        #expect(try await app.entitlements().denials == ["monthly": .upgraded])
    }

    @Test("a list that the store was asked for before an upgrade does not bring the replaced plan back")
    func staleList() async throws {
        let harness = ServiceHarness()
        let old = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        let new = harness.verifier.sign(Sample.playPurchase("p2", "pro.yearly", bought: Sample.at(day: 1)))
        await harness.store.setEntitled([old])
        _ = try await harness.service.evidence()
        harness.clock.set(Sample.at(day: 1))
        let gate = Gate()
        await harness.store.holdEntitlements(gate)
        let late = Task { try await harness.service.evidence() }
        await gate.arrived()
        await harness.store.holdEntitlements(nil)
        await harness.store.answer("pro.yearly", .success(.success(new)))
        await harness.store.setEntitled([new])
        _ = await harness.service.purchase(productID: "pro.yearly")
        await gate.open()
        _ = try await late.value
        await harness.store.fail(StoreError(.network, "offline"))
        #expect(try await harness.entitlements().grounds[.pro]?.map(\.productID) == ["pro.yearly"])
    }

    // MARK: What the store does not tell

    @Test("the dates and the trial of a Google Play subscription, which the store does not tell, are not shown")
    func unknownDates() async throws {
        let device = try Device(hasTrial: true)
        let app = device.launch()
        #expect(await app.buy("monthly") == .success)
        for days in [0, 10] {
            try device.advance(days: days)
            let shown = try #require(try await app.entitlements().purchases.first)
            #expect(shown.isGranted && shown.willRenew == true)
            #expect(shown.period == nil)
            #expect(shown.renewsOn == nil && shown.accessEnds == nil && shown.periodEnds == nil)
            let evidence = try await app.service.evidence()
            #expect(!evidence.transactions.contains { !$0.hasEstimatedEnd })
            #expect(TrialManager(evidence: evidence, clock: app.clock()).remainingTrialDays() == nil)
        }
        try device.simulator.perform { try $0.cancelRenewal($0.state.transactions[0].id) }
        try device.advance(days: 100)
        let product = try #require(try await app.service.products(for: ["yearly"]).first)
        let manager = TrialManager(evidence: try await app.service.evidence(), clock: app.clock())
        #expect(manager.introductoryOffer(of: product) == .unknown, "the customer may have used the trial")
    }

    @Test("a Google Play subscription that was listed under a fast clock ends when the store stops listing it")
    func fastClock() async throws {
        for isRestored in [false, true] {
            let device = try Device()
            let ahead = ManualClock()
            let simulator = device.simulator
            let account = try #require(simulator.state.accounts.first?.name)
            let service = PurchaseService(
                store: simulator.playCustomer(account), ledger: device.ledger, verifier: device.verifier,
                environment: PurchaseEnvironment(timer: ManualTimer(), clock: ahead.now))
            let app = App(service: service, clock: ahead.now)
            func setClock(toDay day: Int64) {
                ahead.set(Self.start.adding(milliseconds: day * Self.day))
            }
            setClock(toDay: 0)
            #expect(await app.buy("monthly") == .success)
            setClock(toDay: 3_650)
            #expect(try await app.entitlements().isPro)
            setClock(toDay: 1)
            try simulator.perform { try $0.cancelRenewal($0.state.transactions[0].id) }
            try device.advance(days: 60)
            setClock(toDay: 60)
            #expect(try await device.listed().isEmpty)
            // The history has a version with the renewal switched off; the answer that brings it is not compared with
            // it.
            _ = try await app.entitlements()
            _ = try await app.entitlements()
            let end = try await app.entitlements().nextEnd
            #expect(try #require(end) < Self.start.adding(milliseconds: 100 * Self.day))
            if isRestored {
                _ = try await app.service.requestAllPurchaseHistory()
            } else {
                setClock(toDay: 62)
                try device.advance(days: 2)
            }
            #expect(try await !app.entitlements().isPro)
            #expect(try await !device.launch().entitlements().isPro)
        }
    }

    @Test("a Play subscription that has expired stays expired when the customer subscribes to another plan later")
    func resubscribedAfterExpiry() async throws {
        let harness = ServiceHarness()
        let old = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly") { $0.autoRenewing = false })
        await harness.store.setEntitled([old])
        _ = try await harness.service.evidence()
        await harness.store.setEntitled([])
        harness.clock.set(Sample.at(day: 200))
        #expect(try await harness.entitlements().denials["pro.monthly"] == .expired)
        let new = harness.verifier.sign(Sample.playPurchase("p2", "pro.yearly", bought: Sample.at(day: 200)))
        await harness.store.setEntitled([new])
        #expect(try await harness.entitlements().isPro)
        #expect(try await harness.entitlements().denials["pro.monthly"] == .expired)
    }

    private struct OneProduct: TransactionVerifying {
        let purchase: PlayPurchase
        let product: PlayProduct
        func verifyTransaction(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSTransactionDecodedPayload> {
            .unverified(.init(code: .signatureInvalid))
        }
        func verifyRenewalInfo(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
            .unverified(.init(code: .signatureInvalid))
        }
        func verifyPlayPurchase(
            _ signed: SignedPlayPurchase, at now: Timestamp
        ) async -> VerificationResult<Transaction> {
            purchase.transaction(of: [product])
        }
    }

    @Test("an app version that corrects the kind of a Play product does not lock its subscribers out")
    func correctedKind() async throws {
        let harness = ServiceHarness()
        let purchase = Sample.playPurchase("p1", "pro.monthly")
        let signed = harness.verifier.sign(purchase)
        await harness.store.setEntitled([signed])
        func service(_ product: PlayProduct) -> PurchaseService {
            PurchaseService(
                store: harness.store, ledger: harness.ledger,
                verifier: OneProduct(purchase: purchase, product: product), environment: harness.environment)
        }
        _ = try await service(PlayProduct(id: "pro.monthly", type: .nonConsumable)).evidence()
        let corrected = PlayProduct(subscription: "pro.monthly", period: .month, groupID: "group")
        harness.clock.set(Sample.at(day: 100))
        let listing = service(corrected)
        #expect(try await harness.entitlements(listing).isPro)
        await harness.store.fail(StoreError(.network, "offline"))
        #expect(try await harness.entitlements(listing).isPro, "the store has just listed it, so the period is paid")
        #expect(!harness.log.kinds.contains(.conflict))
    }

    @Test("a downgrade that the store accepts after the deadline is planned all the same")
    func lateDowngrade() async throws {
        let device = try Device()
        let simulator = device.simulator
        let (gate, timer) = (Gate(), ManualTimer())
        func service(_ gate: Gate?) -> PurchaseService {
            PurchaseService(
                store: ChangedStore(base: simulator.playCustomer("anna"), purchaseGate: gate), ledger: device.ledger,
                verifier: device.verifier, environment: PurchaseEnvironment(timer: timer, clock: simulator.clock))
        }
        _ = await service(nil).purchase(productID: "yearly")
        let slow = service(gate)
        let purchase = Task { await slow.purchase(productID: "monthly") }
        await gate.arrived()
        timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.noAnswer))
        await gate.open()
        // The answer is processed in a task of its own; its last step is the planned change.
        var changes: [PlanChange] = []
        while changes.isEmpty, !Task.isCancelled {
            await Task.yield()
            guard try await device.ledger.memory().playListings.contains(where: { $0.plannedChange != nil }) else {
                continue
            }
            let evidence = try await slow.evidence()
            changes =
                EntitlementProjection(catalog: Self.catalog)
                .entitlements(from: evidence, clock: simulator.state.now).planChanges
        }
        #expect(changes == [PlanChange(productID: "yearly", nextProductID: "monthly", date: nil)])
    }

    /// Keeps the orders in their sequence.
    private actor Orders: PurchaseFulfilling {
        private(set) var products: [String] = []
        func fulfil(_ order: FulfilmentOrder) async throws { products.append(order.transaction.productID) }
    }

    @Test("the fulfiller receives an order for the new plan when a planned change takes effect")
    func orderForNewPlan() async throws {
        let device = try Device()
        let orders = Orders()
        let service = PurchaseService(
            playSimulator: device.simulator, ledger: device.ledger, fulfiller: orders,
            environment: PurchaseEnvironment(timer: ManualTimer()))
        for product in ["yearly", "monthly"] { _ = await service.purchase(productID: product) }
        #expect(await !orders.products.contains("monthly"))
        try device.advance(days: 380)
        #expect(try await service.evidence().transactions.contains { $0.productID == "monthly" })
        await service.resumeUnfinishedPurchases()
        #expect(await orders.products.last == "monthly")
    }
}
