import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@Suite("Google Play purchases in a store simulator")
struct PlayPurchaseTests {
    private let templateA = Entitlement.template(TemplateID(rawValue: "A"))
    private let hour: Int64 = 3_600_000

    private func buy(_ productID: String, _ app: TestDevice.PlayLaunch) async {
        let answer = await app.service.purchase(productID: productID)
        guard case .success(verified: true) = answer else {
            Issue.record("\(productID) was not bought: \(answer)")
            return
        }
    }

    /// The purchases that the store lists, as it signs them now.
    private func listed(_ store: StoreSimulator) async throws -> [PlayPurchase] {
        let verifier = try SampleStore.verifier()
        return try await store.playCustomer("anna").currentEntitlements().compactMap { signed in
            guard case .play(let purchase) = signed.content else { return nil }
            return verifier.verifyPurchase(data: purchase.data, signature: purchase.signature).verifiedPayload
        }
    }

    // MARK: Purchase

    @Test("[OTP-1.1] a Play purchase is verified, granted and acknowledged")
    func buys() async throws {
        let store = try SampleStore.simulator()
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        for product in ["pro.other", "template.a", "pro.season", "coins"] { await buy(product, app) }
        let entitlements = await app.refreshed()
        #expect(entitlements.grounds[.pro]?.map(\.kind) == [.subscription, .nonRenewing])
        #expect(entitlements.grants(templateA))
        #expect(entitlements.balances == ["coins": 1])
        #expect(await device.wallet.balance == 1)
        let purchases = try await listed(store)
        #expect(purchases.map(\.productId) == ["pro.other", "template.a", "pro.season"])
        #expect(purchases.allSatisfy { $0.acknowledged == true })
        #expect(try await app.customer.unfinishedTransactions().isEmpty)
        #expect(try await app.service.evidence().transactions.allSatisfy { $0.play != nil })
    }

    @Test("a consumable is not sold in Google Play before the last purchase of it is consumed")
    func consumes() async throws {
        let plan = FaultPlan(faults: [Fault(at: .finish, when: .nth(1), do: .fail(code: "network"))])
        let store = try SampleStore.simulator(faults: plan)
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        _ = await app.service.purchase(productID: "coins")
        await #expect(throws: StoreError(.alreadyOwned, "")) {
            _ = try await app.customer.purchase("coins", options: PurchaseOptions())
        }
        #expect(store.state.transactions.count == 1)
        await app.service.resumeUnfinishedPurchases()
        await buy("coins", app)
        #expect(store.state.transactions.count == 2)
        #expect(await device.wallet.balance == 2)
    }

    @Test("[OTP-1.1] [PFC-11] a pending Play purchase grants nothing and is reported as pending until it is completed")
    func pending() async throws {
        let store = try SampleStore.simulator { $0.isAskToBuyEnabled = true }
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        for _ in 1...2 {
            let outcome = PurchaseResultMapping.outcome(of: await app.service.purchase(productID: "coins"))
            #expect(outcome == .pending(.awaitingApproval))
        }
        #expect(store.state.pending.count == 1, "a pending purchase is not ordered twice")
        let pending = try #require(try await app.customer.unfinishedTransactions().first)
        let launched = try device.launchOnPlay(store)
        await launched.service.resumeUnfinishedPurchases()
        #expect(await launched.refreshed().balances.isEmpty)
        #expect(await device.wallet.orderCount == 0)
        #expect(try await launched.service.pendingPurchases().map(\.productID) == ["coins"])
        // Four days: the time for an acknowledgement begins with the completed purchase.
        try store.perform { try $0.advance(days: 4) }

        let (results, received) = AsyncStream.makeStream(of: VerificationResult<Transaction>.self)
        let listener = launched.service.listenForTransactions { received.yield($0) }
        try store.perform { engine in _ = try engine.approve(engine.state.pending[0].id) }
        let completed = await results.compactMap(\.verifiedPayload).first { _ in true }
        listener.cancel()
        await listener.value
        #expect(completed?.id == pending.transactionID, "a purchase keeps its token")
        #expect(await device.wallet.balance == 1)
        #expect(try await launched.service.pendingPurchases().isEmpty)
        #expect(try await launched.customer.unfinishedTransactions().isEmpty)
        try store.perform { try $0.advance(days: 4) }
        #expect(store.state.transactions.map(\.isRevoked) == [false])
    }

    // MARK: Acknowledgement

    /// Buys template A in a process that cannot finish it, and returns the store some hours later.
    private func unacknowledged(_ device: TestDevice, after hours: Int64) async throws -> StoreSimulator {
        let plan = FaultPlan(faults: [Fault(at: .finish, do: .fail(code: "network"))])
        let store = try SampleStore.simulator(faults: plan)
        let app = try device.launchOnPlay(store)
        _ = await app.service.purchase(productID: "template.a")
        #expect(await app.refreshed().grants(templateA))
        let next = try SampleStore.simulator(over: store.durableState)
        try next.perform { try $0.advance(byMilliseconds: hours * hour) }
        return next
    }

    @Test("[OTP-1.1] a Play purchase that is acknowledged 71 hours after its completion is kept")
    func acknowledgedInTime() async throws {
        let device = TestDevice()
        let store = try await unacknowledged(device, after: 71)
        let app = try device.launchOnPlay(store)
        #expect(
            try await app.service.evidence().transactions.map(\.acknowledgementDeadline)
                == [SampleStore.start.adding(.init(days: 3) ?? .week)])
        await app.service.resumeUnfinishedPurchases()
        try store.perform { try $0.advance(days: 100) }
        #expect(store.state.transactions.map(\.isRevoked) == [false])
        #expect(try await listed(store).map(\.acknowledged) == [true])
        #expect(await app.refreshed().grants(templateA))
        #expect(await app.refreshed().denials.isEmpty)
    }

    @Test("[OTP-1.1] a Play purchase that is not acknowledged within 72 hours is refunded, and can be bought again")
    func acknowledgedTooLate() async throws {
        let device = TestDevice()
        let store = try await unacknowledged(device, after: 72)
        #expect(store.state.transactions.map(\.revocation?.date) == [SampleStore.start.adding(.init(days: 3) ?? .week)])
        #expect(store.state.notifications.map(\.type) == [.oneTimeCharge, .refund])
        let app = try device.launchOnPlay(store)
        await app.service.resumeUnfinishedPurchases()
        #expect(await app.refreshed().denials["template.a"] == .revoked)
        #expect(await !app.refreshed().grants(templateA))
        await buy("template.a", app)
        #expect(await app.refreshed().grants(templateA))
        try store.perform { try $0.advance(days: 4) }
        #expect(store.state.transactions.map(\.isRevoked) == [true, false])
    }

    @Test("the next event is the refund of a Play purchase that is not acknowledged, and nothing is due after it")
    func nextEvent() throws {
        var engine = SampleStore.engine()
        _ = try #require(try engine.buy("coins", for: "anna", PurchaseOrder(play: PlayOrder())).transaction)
        let deadline = SampleStore.start.adding(.init(days: 3) ?? .week)
        #expect(engine.nextEventDate == deadline)
        try engine.advance(to: deadline)
        #expect(engine.state.transactions.map(\.isRevoked) == [true])
        #expect(engine.nextEventDate == nil)
    }

    @Test("the time for an acknowledgement ends in the order of the clock, between the renewals of a subscription")
    func order() throws {
        var engine = SampleStore.engine { $0.timeRate = TimeRate(rawValue: 1) }
        let order = PurchaseOrder(play: PlayOrder())
        let bought = try #require(try engine.buy("coins", for: "anna", order).transaction)
        _ = try engine.purchase("pro.weekly")
        try engine.advance(days: 10)
        let refund = try #require(
            engine.state.notifications.firstIndex { $0.transaction.id == bought.id && $0.type == .refund })
        let dates = engine.state.notifications.map(\.date)
        #expect(dates == dates.sorted())
        #expect(refund > 2 && refund < dates.count - 1)
    }

    private static let trial = ConfiguredProduct(
        id: "pro.trial", type: .autoRenewableSubscription, price: Milliunits(4990),
        subscription: ConfiguredSubscription(
            groupID: "group", level: 1, period: .month,
            introductoryOffers: [ConfiguredOffer(paymentMode: .freeTrial, period: BillingPeriod(days: 3) ?? .week)]))

    @Test(
        "a Play subscription that is not acknowledged is refunded with all its periods, and renews no more",
        arguments: [TimeRate.realTime, TimeRate(rawValue: 1)])
    func unacknowledgedSubscription(rate: TimeRate) throws {
        var settings = StoreSettings()
        settings.timeRate = rate
        var engine = SimulatorEngine(
            configuration: StoreConfiguration(products: [Self.trial]),
            state: SimulatorState(
                seed: 1, now: SampleStore.start, app: SimulatedApp(bundleID: SampleStore.bundleID), settings: settings,
                accounts: ["anna"]))
        _ = try #require(try engine.buy("pro.trial", for: "anna", PurchaseOrder(play: PlayOrder())).transaction)
        let deadline = SampleStore.start.adding(.init(days: 3) ?? .week)
        while let next = engine.nextEventDate, next <= deadline { try engine.advance(to: next) }
        try engine.advance(to: deadline)
        #expect(engine.state.transactions.count > 1)
        #expect(engine.state.transactions.allSatisfy { $0.isRevoked })
        #expect(engine.state.subscriptions.map(\.standing) == [.revoked])
        #expect(engine.nextEventDate == nil)
        #expect(engine.currentEntitlements(of: "anna").isEmpty)
    }

    @Test("a Play subscription whose first period was refunded is refunded with the others if it is not acknowledged")
    func unacknowledgedAfterRefund() throws {
        var engine = SampleStore.engine { $0.timeRate = TimeRate(rawValue: 1) }
        _ = try #require(try engine.buy("pro.weekly", for: "anna", PurchaseOrder(play: PlayOrder())).transaction)
        while engine.state.transactions.count < 2, let next = engine.nextEventDate { try engine.advance(to: next) }
        try engine.refund(engine.state.transactions[0].id)
        try engine.advance(days: 4)
        #expect(engine.state.transactions.count > 2)
        #expect(engine.state.transactions.allSatisfy { $0.isRevoked })
        #expect(engine.nextEventDate == nil)
    }

    @Test("a planned change of the plan does not keep a Play subscription that is not acknowledged")
    func unacknowledgedBeforePlannedChange() throws {
        var engine = SampleStore.engine()
        let order = PurchaseOrder(play: PlayOrder())
        _ = try #require(try engine.buy("pro.other", for: "anna", order).transaction)
        try engine.advance(days: 1)
        guard case .planChanged = try engine.buy("pro.weekly", for: "anna", order) else {
            Issue.record("the plan does not change with the renewal")
            return
        }
        #expect(engine.nextEventDate == SampleStore.start.adding(milliseconds: 72 * hour))
        try engine.advance(days: 3)
        #expect(engine.state.transactions.map(\.isRevoked) == [true])
        #expect(engine.nextEventDate == nil)
    }

    // MARK: Refund and restore

    @Test("a refund in Google Play ends what the purchase has granted", arguments: ["template.a", "pro.other"])
    func refund(productID: String) async throws {
        let store = try SampleStore.simulator()
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        await buy(productID, app)
        #expect(await app.refreshed().denials.isEmpty)
        try store.perform { try $0.refund($0.state.transactions[0].id) }
        #expect(try await listed(store).isEmpty)
        let entitlements = await app.refreshed()
        #expect(entitlements.grounds.isEmpty)
        #expect(entitlements.denials == [productID: .revoked])
        await buy(productID, app)
        #expect(await !app.refreshed().grounds.isEmpty)
    }

    @Test("a consumable that was refunded after it was consumed is taken back at the next restore")
    func refundedConsumable() async throws {
        let store = try SampleStore.simulator()
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        await buy("coins", app)
        try store.perform { try $0.refund($0.state.transactions[0].id) }
        #expect(try await app.service.requestAllPurchaseHistory().restored.map(\.isRevoked) == [true])
        #expect(await device.wallet.balance == 0)
        #expect(await app.refreshed().balances.isEmpty)
    }

    @Test("a device that remembers no refunds lists a refunded Play purchase nowhere")
    func forgottenRefund() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launchOnPlay(store, remembersRefunds: false)
        await buy("template.a", app)
        #expect(try await app.customer.history().count == 1)
        try store.perform { try $0.refund($0.state.transactions[0].id) }
        #expect(try await app.customer.history().isEmpty)
        #expect(try await app.customer.currentEntitlements().isEmpty)
        #expect(try await app.customer.unfinishedTransactions().isEmpty)
    }

    @Test(
        "a refund that the device does not remember ends the purchase a day after it is missing, or at a restore",
        arguments: ["template.a", "pro.other"], [false, true])
    func refundByAbsence(productID: String, isRestored: Bool) async throws {
        let store = try SampleStore.simulator()
        let device = TestDevice()
        let app = try device.launchOnPlay(store, remembersRefunds: false)
        for product in [productID, "coins"] { await buy(product, app) }
        #expect(await app.refreshed().unconfirmedGrounds.isEmpty)
        try store.perform { try $0.refund($0.state.transactions[0].id) }
        // Nothing that the store signs says that the purchase was refunded, so its absence has to be confirmed.
        #expect(await app.refreshed().unconfirmedGrounds.map(\.productID) == [productID])
        if isRestored {
            #expect(try await app.service.requestAllPurchaseHistory().isEmpty)
        } else {
            try store.perform { try $0.advance(byMilliseconds: 23 * hour) }
            #expect(await app.refreshed().unconfirmedGrounds.map(\.productID) == [productID])
            try store.perform { try $0.advance(byMilliseconds: hour) }
        }
        let ended = await app.refreshed()
        #expect(ended.grounds.isEmpty)
        #expect(ended.denials == [productID: .notListedByStore])
        #expect(ended.balances == ["coins": 1], "Google Play does not list consumed consumables")
        let next = try device.launchOnPlay(store, remembersRefunds: false)
        #expect(await next.refreshed().grounds.isEmpty)
        await buy(productID, next)
        let again = await next.refreshed()
        #expect(!again.grounds.isEmpty && again.unconfirmedGrounds.isEmpty)
    }

    @Test("a restore on a new device grants the Play purchases again, and no consumed consumables")
    func restore() async throws {
        let store = try SampleStore.simulator()
        let first = try TestDevice().launchOnPlay(store)
        for product in ["template.a", "coins", "pro.other"] { await buy(product, first) }
        try store.perform { try $0.advance(days: 100) }
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        let history = try await app.service.requestAllPurchaseHistory()
        #expect(history.restored.map(\.productID) == ["template.a", "pro.other"])
        #expect(history.rejected.isEmpty && history.notRecorded == 0)
        let entitlements = await app.refreshed()
        #expect(entitlements.isPro && entitlements.grants(templateA))
        #expect(await device.wallet.balance == 0)
        #expect(try await app.service.requestAllPurchaseHistory().restored.isEmpty)
    }

    // MARK: Subscriptions and accounts

    @Test("a Play subscription is one purchase through its renewals, and ends when the store stops listing it")
    func subscription() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launchOnPlay(store)
        await buy("pro.other", app)
        let token = try await listed(store).first?.purchaseToken
        try store.perform { try $0.advance(days: 100) }
        #expect(store.state.transactions.count == 4)
        let renewed = try #require(try await listed(store).first)
        #expect(renewed.purchaseToken == token)
        #expect(renewed.purchaseTime == SampleStore.start)
        #expect(renewed.orderId?.hasSuffix("..2") == true)
        let end = store.state.subscriptions[0].expiresDate
        #expect(await app.refreshed().grounds[.pro]?.map(\.end) == [end])
        #expect(try await app.service.evidence().renewalInfos.map(\.willAutoRenew) == [true])

        try store.perform { try $0.cancelRenewal(try $0.latestTransaction().id) }
        #expect(await app.refreshed().isPro)
        #expect(try await app.service.evidence().renewalInfos.map(\.willAutoRenew) == [false])
        try store.perform { try $0.advance(days: 40) }
        #expect(try await listed(store).isEmpty)
        #expect(await app.refreshed().denials["pro.other"] == .expired)
    }

    @Test("an upgrade in Google Play replaces the purchase by one with another token")
    func upgrade() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launchOnPlay(store)
        await buy("pro.other", app)
        let token = try await listed(store).first?.purchaseToken
        await buy("pro.plus", app)
        let purchases = try await listed(store)
        #expect(purchases.map(\.productId) == ["pro.plus"])
        #expect(purchases.first?.purchaseToken != token)
        // Only the new purchase is acknowledged in the future, and the old one is not refunded for it.
        try store.perform { try $0.advance(days: 4) }
        #expect(!store.state.transactions.contains { $0.isRevoked })
    }

    @Test("[OTP-1.1] obfuscated account and profile of a Play purchase are signed, and another account does not get it")
    func accounts() async throws {
        let anna = UUIDText("3f2c7a4e-0f5c-4a7e-9a0e-0d7f6f0c1a2b")
        let bert = UUIDText("7b1d2c3e-4f50-4617-8a9b-0c1d2e3f4a5b")
        let store = try SampleStore.simulator()
        _ = try await store.playCustomer("anna").purchase(
            "template.a", options: PurchaseOptions(appAccountToken: anna, obfuscatedProfileID: "child"))
        let stranger = try TestDevice().launchOnPlay(store, account: bert)
        await stranger.service.resumeUnfinishedPurchases()
        #expect(await !stranger.refreshed().grants(templateA))
        #expect(try await listed(store).map(\.acknowledged) == [false])
        let owner = try TestDevice().launchOnPlay(store, account: anna)
        await owner.service.resumeUnfinishedPurchases()
        #expect(await owner.refreshed().grants(templateA))
        let play = try await owner.service.evidence().transactions.first?.play
        #expect(play?.obfuscatedAccountID == anna.rawValue)
        #expect(play?.obfuscatedProfileID == "child")
        #expect(try await listed(store).map(\.acknowledged) == [true])
    }

    // MARK: Faults

    @Test(
        "[OTP-1.1] a Play purchase with an invalid signature is not granted and not acknowledged before it verifies",
        arguments: [FaultAction.flipBit, .signUnderUnknownRoot])
    func invalidSignature(action: FaultAction) async throws {
        let store = try SampleStore.simulator(
            faults: FaultPlan(faults: [Fault(at: .signing, when: .nth(1), do: action)]))
        let device = TestDevice()
        let app = try device.launchOnPlay(store)
        _ = await app.service.purchase(productID: "coins")
        #expect(await device.wallet.balance == 0)
        #expect(try await app.customer.unfinishedTransactions().count == 1)
        await app.service.resumeUnfinishedPurchases()
        #expect(await device.wallet.balance == 1)
    }

    @Test("a product that the app does not list for Google Play is not acknowledged, so the store refunds it")
    func unlistedProduct() async throws {
        let store = try SampleStore.simulator()
        let verifier = PlayReceiptVerifier(try SampleStore.verifier(), products: [])
        let service = PurchaseService(
            store: store.playCustomer("anna"), ledger: InMemoryLedger(), verifier: verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { store.state.now }))
        _ = await service.purchase(productID: "template.a")
        #expect(try await service.evidence().transactions.isEmpty)
        try store.perform { try $0.advance(days: 3) }
        #expect(store.state.transactions.map(\.isRevoked) == [true])
    }

    /// The result of a run, which must not depend on its crashes.
    private struct Outcome: Equatable {
        let balance: Int
        let grounds: [Entitlement: [String]]
        let denials: [String: DenialReason]
        let sold: [String]
        let unfinished: Int
    }

    /// Runs the app once: buys, completes what is pending, lets 71 hours pass, and refunds. A crash ends it early.
    private func runApp(_ store: StoreSimulator, _ device: TestDevice) async throws {
        let app = try device.launchOnPlay(store)
        await app.service.resumeUnfinishedPurchases()
        for product in ["coins", "template.a", "pro.other", "pro.season"]
        where !store.state.transactions.contains(where: { $0.productID == product }) {
            // The season pass is pending first.
            try store.perform { $0.updateSettings { $0.isAskToBuyEnabled = product == "pro.season" } }
            _ = await app.service.purchase(productID: product)
        }
        try store.perform { engine in
            if let order = engine.state.pending.first { _ = try engine.approve(order.id) }
        }
        await app.service.resumeUnfinishedPurchases()
        try store.perform { engine in
            if engine.state.now == SampleStore.start { try engine.advance(byMilliseconds: 71 * hour) }
        }
        try store.perform { engine in
            let template = engine.state.transactions.first { $0.productID == "template.a" }
            if let template, !template.isRevoked { try engine.refund(template.id) }
        }
        _ = await app.refreshed()
    }

    private func outcome(_ store: StoreSimulator, _ device: TestDevice) async throws -> Outcome {
        let app = try device.launchOnPlay(store)
        await app.service.resumeUnfinishedPurchases()
        // Every purchase was acknowledged in time if this refunds none.
        try store.perform { try $0.advance(byMilliseconds: 2 * hour) }
        let entitlements = await app.refreshed()
        return Outcome(
            balance: await device.wallet.balance,
            grounds: entitlements.grounds.mapValues { $0.map(\.productID).sorted() },
            denials: entitlements.denials,
            sold: store.state.transactions.map(\.productID),
            unfinished: try await app.customer.unfinishedTransactions().count
        )
    }

    @Test("after a crash at any point of a Play purchase, the next launch within 72 hours has the same result")
    func crashes() async throws {
        let referenceDevice = TestDevice()
        let reference = try SampleStore.simulator()
        try await runApp(reference, referenceDevice)
        let expected = try await outcome(reference, referenceDevice)
        #expect(expected.balance == 1)
        #expect(expected.grounds == [.pro: ["pro.other", "pro.season"]])
        #expect(expected.denials == ["template.a": .revoked])
        #expect(expected.sold == ["coins", "template.a", "pro.other", "pro.season"])
        #expect(expected.unfinished == 0)
        var crashes = 0
        for point in FaultPoint.allCases where point != .products {
            for number in 1...8 {
                let device = TestDevice()
                let plan = FaultPlan(faults: [Fault(at: point, when: .nth(number), do: .crash)])
                let crashing = try SampleStore.simulator(faults: plan)
                // A listening device, so that updates are delivered.
                let updates = crashing.playCustomer("anna").updates()
                try? await runApp(crashing, device)
                _ = updates
                if (try? crashing.perform { _ in }) == nil { crashes += 1 }
                // Only the saved state and the device's ledger survive.
                let next = try SampleStore.simulator(over: crashing.durableState)
                try await runApp(next, device)
                let reached = try await outcome(next, device)
                #expect(reached == expected, "\(point.rawValue), time \(number): \(reached)")
            }
        }
        #expect(crashes >= 40, "only \(crashes) runs crashed")
    }
}
