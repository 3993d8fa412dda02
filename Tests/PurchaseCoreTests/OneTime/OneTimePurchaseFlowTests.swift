import PurchaseCore
import ReceiptTypes
import Testing

/// The one-time purchase flow over a scripted store: what a simulator and a database do not do by themselves.
@Suite("The flow for one-time purchases", .timeLimit(.minutes(15)))
@MainActor
struct OneTimePurchaseFlowTests {
    private static let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private static let bob = UUIDText("6b29fc40-ca47-1067-b31d-00dd010662da")

    // MARK: Before the dialogue

    @Test("[OTP-F1] a purchase that is pending returns at once, without a dialogue and an order")
    func pending() async throws {
        let app = SellingFlow()
        await app.harness.store.answer("template.a", .success(.pending))
        let first = await app.flow.purchaseProduct("template.a")
        #expect(first.outcome == .pending(.awaitingApproval) && first.sale == .undecided)
        let second = await app.flow.purchaseProduct("template.a")
        #expect(second.outcome == .pending(.awaitingApproval) && second.sale == .notSold && !second.offersRetry)
        #expect(app.dialogue.proposals.count == 1)
        #expect(await app.harness.store.purchaseOptions.count == 1)
    }

    @Test("a pending purchase that the customer gives up is ordered again, with a dialogue")
    func givenUp() async throws {
        let app = SellingFlow()
        await app.harness.store.answer("template.a", .success(.pending))
        _ = await app.flow.purchaseProduct("template.a")
        try await app.flow.forgetPendingPurchase(productID: "template.b")
        #expect(await app.flow.pendingPurchases()?.map(\.productID) == ["template.a"])
        try await app.flow.forgetPendingPurchase(productID: "template.a")
        #expect(await app.flow.pendingPurchases()?.isEmpty == true)
        await app.harness.store.answer("template.a", nil)
        #expect(await app.flow.purchaseProduct("template.a").outcome == .success)
        #expect(app.dialogue.proposals.count == 2)
    }

    @Test("[OTP-F1] a pending purchase that was approved meanwhile is sold and recorded, without a dialogue")
    func approved() async throws {
        let app = SellingFlow()
        await app.harness.store.answer("template.a", .success(.pending))
        _ = await app.flow.purchaseProduct("template.a")
        await app.harness.store.deliver(app.harness.verifier.sign(Sample.payload("1", "template.a")))
        let result = await app.flow.purchaseProduct("template.a")
        #expect(result.outcome == .success && result.sale == .sold && result.purchase?.productID == "template.a")
        #expect(app.dialogue.proposals.count == 1)
    }

    @Test("[OTP-F1] a product that the store lists is owned also if nothing is recorded yet, and is not proposed")
    func listed() async throws {
        let app = SellingFlow()
        await app.harness.store.setEntitled([app.harness.verifier.sign(Sample.payload("1", "template.a"))])
        let result = await app.flow.purchaseProduct("template.a")
        #expect(result.outcome == .alreadyOwned && result.sale == .notSold)
        #expect(result.purchase?.productID == "template.a" && app.dialogue.proposals.isEmpty)
    }

    @Test("[OTP-F1] a purchase whose record could not be read is owned with the next call, and is not proposed")
    func notRecorded() async throws {
        let app = SellingFlow()
        app.dialogue.whileOpen = { app.ledger.failReads(LedgerError(.notReadable, "the disk has failed")) }
        #expect(await app.flow.purchaseProduct("template.a").error?.messageKey == .notSaved)
        app.ledger.failReads(nil)
        let again = await app.flow.purchaseProduct("template.a")
        #expect(again.outcome == .alreadyOwned && again.error == nil && again.purchase != nil)
        #expect(app.dialogue.proposals.count == 1)
        #expect(await app.harness.store.sales == ["template.a"])
    }

    @Test("an owned product does not count against the limit, and a limit is reached before the dialogue")
    func limit() async throws {
        let app = SellingFlow(purchaseLimit: 2)
        for _ in 0..<4 { _ = await app.flow.purchaseProduct("template.a") }
        #expect(await app.flow.purchaseProduct("template.a").outcome == .alreadyOwned)
        app.dialogue.answer = false
        _ = await app.flow.purchaseProduct("template.b")
        let refused = await app.flow.purchaseProduct("template.b")
        #expect(refused.error?.messageKey == .rateLimited && refused.sale == .notSold && refused.offersRetry)
        #expect(app.dialogue.proposals.map(\.productID) == ["template.a", "template.b"])
    }

    @Test("a user that is signed out is told so before the dialogue")
    func signedOut() async throws {
        let app = SellingFlow(account: Self.alice)
        await app.harness.service.signOut()
        let result = await app.flow.purchaseProduct("template.a")
        #expect(result.error?.messageKey == .signedOut && result.sale == .notSold && app.dialogue.proposals.isEmpty)
    }

    @Test("a product is not sold if purchases are switched off while the dialogue is open")
    func switchedOff() async throws {
        let areEnabled = Locked(true)
        let app = SellingFlow(flags: { FeatureFlags(purchasesEnabled: areEnabled.withLock { $0 }) })
        app.dialogue.whileOpen = { areEnabled.withLock { $0 = false } }
        let result = await app.flow.purchaseProduct("template.a")
        #expect(result.outcome == .failed(.purchasesDisabled) && result.sale == .notSold)
        #expect(await app.harness.store.sales.isEmpty)
    }

    @Test("a subscription is sold and recorded too, and unlocks nothing in the records, because it ends")
    func subscription() async throws {
        let app = SellingFlow()
        let result = await app.flow.purchaseProduct("pro.monthly")
        #expect(result.outcome == .success && result.sale == .sold)
        #expect(app.dialogue.proposals.map(\.productID) == ["pro.monthly"])
        #expect(result.purchase?.productID == "pro.monthly" && result.purchase?.unlockedFeatures.isEmpty == true)
    }

    @Test("[PSE-5] a product that unlocks nothing is not proposed and not sold, unless it is a consumable")
    func unlocksNothing() async throws {
        // "\u{e9}" is one character here and two in the product id.
        let app = SellingFlow(catalog: TemplatePriceCatalog(version: 1, proProductIDs: ["pro.lifetime", "caf\u{e9}"]))
        let refused = PurchaseOutcome.failed(PurchaseFlowError(.wrongProduct, ""))
        for product in ["template.a", "pro.monthly", "pro.season", "lamp", "cafe\u{301}"] {
            let result = await app.flow.purchaseProduct(product)
            #expect(result.outcome == refused && result.sale == .notSold && !result.offersRetry, "\(product)")
            #expect(result.error?.code == .productUnavailable)
        }
        #expect(app.dialogue.proposals.isEmpty)
        for product in ["coins", "pro.lifetime"] {
            #expect(await app.flow.purchaseProduct(product).outcome == .success, "\(product)")
        }
        #expect(await app.harness.store.sales == ["coins", "pro.lifetime"])
    }

    @Test("[PSE-5] a non-renewing subscription is not sold if the catalog has no period for it")
    func unlocksNothingWithoutPeriod() async throws {
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["pro.season"])
        let app = SellingFlow(catalog: catalog)
        let refused = PurchaseOutcome.failed(PurchaseFlowError(.wrongProduct, ""))
        #expect(await app.flow.purchaseProduct("pro.season").outcome == refused)
        #expect(await app.harness.store.sales.isEmpty && app.dialogue.proposals.isEmpty)
    }

    @Test("[PSE-5] a product that could not be loaded and that the catalog lacks is sold only if it is a consumable")
    func unlocksNothingUnloaded() async throws {
        let app = SellingFlow()
        func buy(_ product: String, isBack: Bool) async -> PurchaseReport {
            await app.harness.store.fail(StoreError(.network, "offline"))
            app.dialogue.whileOpen = { if isBack { await app.harness.store.fail(nil) } }
            return await app.flow.purchaseProduct(product)
        }
        let refused = PurchaseOutcome.failed(PurchaseFlowError(.wrongProduct, ""))
        #expect(await buy("lamp", isBack: true).outcome == refused)
        let offline = await buy("torch", isBack: false)
        #expect(offline.sale == .notSold && offline.error?.code == .networkError && offline.offersRetry)
        #expect(await app.harness.store.sales.isEmpty)
        #expect(await buy("coins", isBack: true).outcome == .success)
    }

    @Test("a dialogue that starts another purchase of its product does not wait for itself")
    func dialogueInDialogue() async throws {
        let app = SellingFlow()
        var inner: PurchaseReport?
        app.dialogue.whileOpen = { inner = await app.flow.purchaseProduct("template.a") }
        #expect(await app.flow.purchaseProduct("template.a").outcome == .success)
        #expect(inner?.outcome == .failed(PurchaseFlowError(.purchaseInProgress, "")))
        #expect(await app.harness.store.sales == ["template.a"])
    }

    @Test("[OTP-2.6] a purchase shows each of its steps while it takes that step, in their order, and nothing after it")
    func steps() async throws {
        let app = SellingFlow()
        let (loading, confirming, selling, recording) = (Gate(), Gate(), Gate(), Gate())
        app.ledger.holdReads(loading)
        app.dialogue.whileOpen = {
            await confirming.pass()
            app.ledger.holdReads(recording)
        }
        await app.harness.store.hold(selling)
        var updates = app.flow.activityUpdates().makeAsyncIterator()
        var seen = [await updates.next()]
        let flow = app.flow
        async let buying = flow.purchaseProduct("template.a")
        for gate in [loading, confirming, selling, recording] {
            await gate.arrived()
            seen.append(await updates.next())
            await gate.open()
        }
        let result = await buying
        #expect(result.outcome == .success)
        seen.append(await updates.next())
        #expect(seen.compactMap { $0?.purchase?.step } == OneTimeActivity.Step.allCases)
        #expect(seen.map { $0?.isLoading } == [false, true, true, true, true, false])
        #expect(seen.compactMap { $0?.purchase?.productID } == Array(repeating: "template.a", count: 4))
    }

    // MARK: After the sale

    @Test("[OTP-2.3] a purchase whose records never answer is sold, and the next purchase can begin")
    func recordsHang() async throws {
        let app = SellingFlow()
        let gate = Gate()
        app.dialogue.whileOpen = { app.ledger.holdReads(gate) }
        let flow = app.flow
        async let buying = flow.purchaseProduct("template.a")
        await gate.arrived()
        app.timer.advance(by: 30_000)
        let result = await buying
        #expect(result.outcome == .success && result.sale == .sold && result.error?.messageKey == .notSaved)
        #expect(!app.flow.activity.isLoading)
        await gate.open()
    }

    @Test(
        "[OTP-2.3] a new unit that the verifier has not decided about is not reported as an older one",
        arguments: [true, false])
    func undecidedUnit(isNew: Bool) async throws {
        let first = VerifiedPurchase(try Sample.transaction("1", "coins"), .jws("1"))
        let second = VerifiedPurchase(try Sample.transaction("2", "coins", bought: Sample.at(9)), .jws("2"))
        let records = PurchaseRecords(InMemoryLedger(), user: .noAccounts, catalog: nil)
        for purchase in isNew ? [first] : [first, second] { _ = try await records.recordPurchase(purchase) }
        let failure = VerificationFailure(code: .verificationTimedOut)
        let undecided = SignedTransaction(jws: "", transactionID: isNew ? "2" : "1", productID: "coins")
        let flow = OneTimePurchaseFlow(
            service: RecordedService(undecided: [UnverifiedPurchase(undecided, failure)]), records: records,
            entitlements: FixedEntitlements(), confirmation: ConfirmedByStore(),
            environment: PurchaseEnvironment(timer: ManualTimer()))
        let result = await flow.purchaseProduct("coins")
        #expect(result.purchase?.id.transactionID == (isNew ? nil : "2"))
        #expect(result.error?.messageKey == (isNew ? .notSaved : nil))
    }

    @Test("a product that the store has sold instead of the requested one is recorded")
    func differentProduct() async throws {
        let app = SellingFlow()
        let sold = app.harness.verifier.sign(Sample.payload("1", "template.b"))
        await app.harness.store.answer("template.a", .success(.success(sold)))
        let result = await app.flow.purchaseProduct("template.a")
        #expect(result.outcome == .failed(PurchaseFlowError(.differentProduct, "")) && result.sale == .undecided)
        #expect(try await app.records.getAllPurchases().map(\.productID) == ["template.b"])
        #expect(app.entitlements.entitlements.grants(.template(TemplateID(rawValue: "B"))))
    }

    @Test("[OTP-F4] the result says that the store could not be reached before the purchase")
    func warning() async throws {
        let app = SellingFlow()
        app.dialogue.whileOpen = { await app.harness.store.fail(nil) }
        await app.harness.store.fail(StoreError(.network, "offline"))
        let result = await app.flow.purchaseProduct("coins")
        #expect(result.outcome == .success && result.warning?.code == .networkError && result.error == nil)
        app.dialogue.whileOpen = nil
        #expect(await app.flow.purchaseProduct("coins").warning == nil)
    }

    // MARK: Restoring

    @Test("[OTP-6.6] a restore that the customer cancels can be tried again, and says nothing of a purchase")
    func restoreCancelled() async throws {
        let app = SellingFlow()
        await app.harness.store.fail(StoreError(.userCancelled, "the sheet was closed"))
        let result = await app.flow.restorePurchases()
        guard case .failed(let error) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(error.messageKey == .restoreCancelled && error.isRetryable && error.flowCode == .cancelled)
        #expect(!app.harness.log.kinds.contains(.flowFailed))
    }

    @Test("[OTP-F2] a restore counts the purchases that count now, and not each past one of a product")
    func nonRenewing() async throws {
        let app = SellingFlow()
        for (month, day) in [0, 40, 80].enumerated() {
            await app.harness.store.remember(
                app.harness.verifier.sign(
                    Sample.payload("season-\(month)", "pro.season", bought: Sample.at(day: day))))
        }
        app.harness.clock.set(Sample.at(day: 90))
        #expect(await app.flow.restorePurchases().outcome == .restored(1))
        #expect(try await app.records.getAllPurchases().count == 3)
        #expect(await app.flow.restorePurchases().outcome == .alreadyRestored)
    }

    @Test("[OTP-F2] a purchase with changed facts was recorded before")
    func knownBefore() async throws {
        let app = SellingFlow()
        _ = await app.flow.purchaseProduct("template.a")
        await app.harness.store.remember(
            app.harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(9)) { $0.currency = "EUR" }))
        #expect(await app.flow.restorePurchases().outcome == .alreadyRestored)
    }

    @Test("[OTP-F2] nothing is restored while everything that a restore finds awaits an approval")
    func pendingRestore() async throws {
        let app = SellingFlow()
        #expect(await app.flow.restorePurchases().outcome == .nothingFound)
        await app.harness.store.answer("template.a", .success(.pending))
        _ = await app.flow.purchaseProduct("template.a")
        let answer = await app.flow.restorePurchases().outcome
        guard case .failed(let error) = answer else {
            Issue.record("the pending purchase is not mentioned: \(answer)")
            return
        }
        #expect(error.messageKey == .awaitingPayment)
    }

    @Test("[OTP-6.6] a restore whose verification is not decided has failed, although the rest is known")
    func undecidedRestore() async throws {
        let app = SellingFlow()
        _ = await app.flow.purchaseProduct("template.a")
        let other = app.harness.verifier.sign(Sample.payload("2", "template.b"))
        app.harness.verifier.fail(other.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await app.harness.store.remember(other)
        let answer = await app.flow.restorePurchases().outcome
        guard case .failed(let error) = answer else {
            Issue.record("a purchase is missing: \(answer)")
            return
        }
        #expect((error.underlying as? VerificationFailure)?.code == .verificationTimedOut)
    }

    @Test("[OTP-2.3] a restore that fails still has what is recorded")
    func failedRestore() async throws {
        let app = SellingFlow()
        _ = await app.flow.purchaseProduct("template.a")
        await app.harness.store.fail(StoreError(.system, "down"))
        let result = await app.flow.restorePurchases()
        #expect(result.purchases.map(\.productID) == ["template.a"])
        guard case .failed = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
    }

    @Test("a purchase that the store no longer lists does not count beside a later one, and a newer one does")
    func ended() async throws {
        let service = RecordedService()
        let records = PurchaseRecords(InMemoryLedger(), user: .noAccounts, catalog: nil)
        let own = VerifiedPurchase(try Sample.transaction("own", "template.a"), .jws("own"))
        let newer = VerifiedPurchase(try Sample.transaction("new", "template.a", bought: Sample.at(9)), .jws("new"))
        for purchase in [own, newer] { _ = try await records.recordPurchase(purchase) }
        let shared = PurchaseDetails(
            productID: "template.a", transactionID: "family", type: .nonConsumable, entitlements: [], isGranted: false,
            ownership: .familyShared, purchaseDate: Sample.at(5))
        let entitlements = FixedEntitlements(Entitlements(denials: ["template.a": .revoked], purchases: [shared]))
        let flow = OneTimePurchaseFlow(
            service: service, records: records, entitlements: entitlements, confirmation: ConfirmedByStore(),
            environment: PurchaseEnvironment(timer: ManualTimer()))
        #expect(try await flow.getActivePurchases().map(\.id.transactionID) == ["new"])
    }

    @Test("[OTP-9.4] a restore during which another user signs in fails, and returns nothing of either user")
    func userChange() async throws {
        let app = SellingFlow(account: Self.alice)
        _ = await app.flow.purchaseProduct("template.a")
        let gate = Gate()
        await app.harness.store.hold(gate, at: .history)
        let flow = app.flow
        async let restoring = flow.restorePurchases()
        await gate.arrived()
        await app.entitlements.changeUser { await app.harness.service.signIn(Self.bob) }
        await gate.open()
        let result = await restoring
        #expect(result.purchases.isEmpty)
        guard case .failed(let error) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(error.messageKey == .otherAccount)
    }
}
