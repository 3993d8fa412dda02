import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@Suite("The service's protocol", .timeLimit(.minutes(15)))
struct PurchaseServicingTests {
    @Test("a mock with the source documents' four signatures is a service, and coordinators need two parameters")
    func documentedMock() async throws {
        let service: any PurchaseServicing = DocumentedService()
        let refresher = RefreshCounter()
        let template = TemplatePurchaseCoordinator(purchaseService: service, entitlementRefresher: refresher)
        let pro = ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: refresher)
        let id = TemplateID(rawValue: "A")
        #expect(await template.buyTemplate(templateID: id, productID: "template.a") == .success)
        #expect(await pro.buyPro(productID: "pro.yearly") == .success)
        #expect(await refresher.count == 2)
        #expect(try await service.restorePurchases().known.map(\.productID) == ["template.a"])
        #expect(try await service.pendingPurchases().isEmpty)
        await service.resumeUnfinishedPurchases()
        #expect(try await service.evidence().transactions.count == 1)
    }

    @Test("a service without options fails a purchase with options, and does not ignore them")
    func unsupportedOptions() async {
        let service = ScriptedService()
        for options in [
            PurchaseOptions(quantity: 2), PurchaseOptions(appAccountToken: UUIDText("a")),
            PurchaseOptions(offer: .winBack(id: "back")),
        ] {
            let answer = await service.purchase(productID: "coins", options: options)
            guard case .failed(let error) = answer else {
                Issue.record("the purchase did not fail: \(answer)")
                return
            }
            #expect((error as? StoreError)?.code == .unsupported)
        }
        #expect(await service.purchases.isEmpty)
        _ = await service.purchase(productID: "coins", options: PurchaseOptions())
        #expect(await service.purchases == ["coins"])
    }

    @Test("an error that is no store error reaches the catalog's caller as the cause of one")
    func untypedError() async {
        let catalog = ProductCatalogService(purchaseService: DocumentedService(isOffline: true))
        await #expect(throws: StoreError(.unknown, "")) { try await catalog.products(for: ["coins"]) }
    }

    @Test("without a catalog of its own a coordinator takes the entitlement store's, and buys no wrong product")
    @MainActor
    func inheritedCatalog() async {
        let service = ScriptedService()
        let store = EntitlementStore(
            service: service, catalog: Sample.catalog, environment: PurchaseEnvironment(timer: StoppedTimer()))
        let template = TemplatePurchaseCoordinator(purchaseService: service, entitlementRefresher: store)
        let wrong = PurchaseOutcome.failed(PurchaseFlowError(.wrongProduct, ""))
        #expect(await template.buyTemplate(templateID: TemplateID(rawValue: "B"), productID: "template.a") == wrong)
        #expect(await template.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a") == .success)
        let pro = ProSubscriptionCoordinator(purchaseService: service, entitlementRefresher: store)
        #expect(await pro.buyPro(productID: "template.a") == wrong)
        #expect(await service.purchases == ["template.a"])
    }

    @Test("a service over the simulator takes its clock from the simulator, and its records from the given ledger")
    func simulatorService() async throws {
        let now = Sample.at(day: 10_000)
        let simulator = try StoreSimulator(selling: SimulatedPlatform.products, now: now)
        let ledger = InMemoryLedger()
        let service = PurchaseService(
            simulator: simulator, ledger: ledger, environment: PurchaseEnvironment(timer: StoppedTimer()))
        let result = await service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        #expect(try await ledger.entries().map(\.observedAt) == [now])
        let restarted = PurchaseService(
            simulator: simulator, ledger: ledger, environment: PurchaseEnvironment(timer: StoppedTimer()))
        let evidence = try await restarted.evidence()
        #expect(evidence.transactions.map(\.productID) == ["template.a"])
        #expect(evidence.clock.device == now)
    }

    @Test("the verifier of a simulator accepts its own App Store and Google Play purchases, and no other simulator's")
    func simulatorVerifier() async throws {
        let own = try SimulatedPlatform().simulator
        let other = try SimulatedPlatform().simulator
        // Created before the first sale, as an app creates it.
        let (verifier, otherVerifier) = (own.receiptVerifier, other.receiptVerifier)
        let sold = try own.perform { engine in
            let play = try engine.buy("coins", for: "customer", PurchaseOrder(play: PlayOrder())).transaction
            return (try #require(play), try #require(try engine.buy("template.a", for: "customer").transaction))
        }
        let play = try own.playPurchase(sold.0.id)
        #expect(verifier.verifyPurchase(data: play.data, signature: play.signature).verifiedPayload != nil)
        #expect(otherVerifier.verifyPurchase(data: play.data, signature: play.signature).verifiedPayload == nil)
        let jws = try own.signedTransaction(sold.1.id)
        #expect(verifier.verifyTransaction(jws).verifiedPayload != nil)
        #expect(otherVerifier.verifyTransaction(jws).verifiedPayload == nil)
    }

    @Test("a service over the simulator waits with the given timer for as long as the given deadlines allow")
    func deadlines() async throws {
        let timer = ManualTimer()
        let service = PurchaseService(
            simulator: try SimulatedPlatform().simulator,
            deadlines: PurchaseDeadlines(queryMilliseconds: 1_234), environment: PurchaseEnvironment(timer: timer))
        _ = try await service.products(for: ["coins"])
        #expect(timer.startCount(1_234) == 1)
    }

    @Test("quantity, offers and account reach the store, and the sale has them")
    func options() async throws {
        let platform = try SimulatedPlatform()
        let simulator = platform.simulator
        let account = UUIDText("7E3FB204-2a51-4b54-8e51-3b0e5a0b1c2d")
        let service = PurchaseService(simulator: simulator, environment: PurchaseEnvironment(timer: StoppedTimer()))
        #expect(
            PurchaseResultMapping.outcome(
                of: await service.purchase(
                    productID: "coins", options: PurchaseOptions(appAccountToken: account, quantity: 3))) == .success)
        let coins = try #require(try await service.evidence().transactions.first)
        #expect(coins.quantity == 3 && coins.appAccountToken?.rawValue == account.rawValue.lowercased())

        _ = await service.purchase(productID: "pro.monthly")
        let bought = try #require(simulator.state.transactions.last)
        try simulator.perform { engine in
            try engine.cancelRenewal(bought.id)
            try engine.advance(byMilliseconds: 60 * Sample.day)
        }
        let signature = PromotionalOfferSignature(
            keyID: "key", nonce: UUIDText("00000000-0000-0000-0000-000000000000"), timestamp: Sample.at(0), base64: "")
        let half = PurchaseOffer.promotional(id: "half", signature: signature)
        let result = await service.purchase(productID: "pro.monthly", options: PurchaseOptions(offer: half))
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        let offered = try #require(try await service.evidence().transactions.last { $0.productID == "pro.monthly" })
        #expect(offered.offerType == .promotional && offered.price == Milliunits(1990))
        try simulator.perform { engine in
            try engine.cancelRenewal(try #require(engine.state.transactions.last).id)
            try engine.advance(byMilliseconds: 200 * Sample.day)
        }
        let back = PurchaseOptions(offer: .winBack(id: "back"))
        let wonBack = await service.purchase(productID: "pro.monthly", options: back)
        #expect(PurchaseResultMapping.outcome(of: wonBack) == .success)
        let last = try #require(try await service.evidence().transactions.max { $0.purchaseDate < $1.purchaseDate })
        #expect(last.offerType == .winBack && last.price == Milliunits(1000))
        let unknown = PurchaseOptions(offer: .winBack(id: "unknown"))
        let answer = await service.purchase(productID: "pro.monthly", options: unknown)
        guard case .failed = answer else {
            Issue.record("the unknown offer did not fail: \(answer)")
            return
        }
    }

    @Test("concurrent calls share a purchase only with the same options, and a foreign account is not bought for")
    func sharedPurchase() async {
        let harness = ServiceHarness(account: UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d"))
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        let other = await harness.service.purchase(productID: "coins", options: PurchaseOptions(quantity: 2))
        let inProgress = PurchaseFlowError(.purchaseInProgress, "")
        #expect(PurchaseResultMapping.outcome(of: other) == .failed(inProgress))
        await gate.open()
        _ = await first.value
        #expect(await harness.store.purchaseOptions.map(\.quantity) == [1])

        let foreign = PurchaseOptions(appAccountToken: UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d"))
        let result = await harness.service.purchase(productID: "coins", options: foreign)
        #expect(PurchaseResultMapping.outcome(of: result) == .failed(PurchaseFlowError(.conflict, "")))
        #expect(await harness.store.purchaseOptions.count == 1)
    }

    @Test("restorePurchases() of the service is its history, also through the protocol")
    func restore() async throws {
        let platform = try SimulatedPlatform()
        _ = await PurchaseService(
            simulator: platform.simulator, environment: PurchaseEnvironment(timer: StoppedTimer())
        ).purchase(
            productID: "template.a")
        let service: any PurchaseServicing = PurchaseService(
            simulator: platform.simulator, environment: PurchaseEnvironment(timer: StoppedTimer()))
        #expect(try await service.restorePurchases().restored.map(\.productID) == ["template.a"])
        let known = try await service.evidence().transactions
        #expect(try await service.restorePurchases() == RestoredHistory(known: known))
        #expect(RestoredHistory().isEmpty)
    }
}
