import PurchaseCore
import ReceiptTypes
import Testing

/// Downgrades and crossgrades, which a store accepts without selling anything yet.
@Suite("Changes of plan", .timeLimit(.minutes(15)))
struct PlanChangeTests {
    private let end = Sample.at(day: 30)

    /// A customer with a yearly subscription, and a store that accepts the change to the monthly one.
    private func subscribed(
        _ answer: (SignedTransaction) -> StorePurchase
    ) async throws -> (harness: ServiceHarness, store: EntitlementStore, coordinator: ProSubscriptionCoordinator) {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.yearly")
        let present = try #require(await harness.store.past["sale-1"])
        await harness.store.answer("pro.monthly", .success(answer(present)))
        let renewal = harness.verifier.sign(
            Sample.renewal("sale-1", signed: Sample.at(1)) {
                $0.productId = "pro.yearly"
                $0.autoRenewProductId = "pro.monthly"
            })
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
        let store = harness.entitlementStore()
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        return (harness, store, coordinator)
    }

    @Test(
        "an accepted change of plan is pending until the renewal, whether the store answers with the present one or none"
    )
    func accepted() async throws {
        for isNone in [false, true] {
            let (_, store, coordinator) = try await subscribed { isNone ? .pending : .success($0) }
            let outcome = await coordinator.buyPro(productID: "pro.monthly")
            #expect(outcome == .pending(.changesAtRenewal(productID: "pro.monthly", date: end)))
            let changes = await store.entitlements.planChanges
            #expect(changes == [PlanChange(productID: "pro.yearly", nextProductID: "pro.monthly", date: end)])
            #expect(await store.entitlements.isPro)
        }
    }

    @Test("an accepted change of plan is not listed as a purchase that awaits an approval")
    func notPending() async throws {
        let (harness, _, coordinator) = try await subscribed { _ in .pending }
        _ = await coordinator.buyPro(productID: "pro.monthly")
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("an accepted change of plan that the store answers late is not listed as awaiting an approval")
    func lateAnswer() async throws {
        let (harness, _, _) = try await subscribed { _ in .pending }
        let (gate, statuses) = (Gate(), Gate())
        await harness.store.hold(gate)
        await harness.store.hold(statuses, at: .statuses)
        let purchase = Task { await harness.service.purchase(productID: "pro.monthly") }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.noAnswer))
        await gate.open()
        await statuses.arrived()
        #expect(try await harness.service.pendingPurchases().count == 1)
        await statuses.open()
        while try await !harness.service.pendingPurchases().isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("without the statuses it is not known what the store has accepted, so the purchase is pending")
    func unreachable() async throws {
        let (harness, _, _) = try await subscribed { .success($0) }
        let gate = Gate()
        await harness.store.hold(gate, at: .statuses)
        let purchase = Task { await harness.service.purchase(productID: "pro.monthly") }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().queryMilliseconds)
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.noAnswer))
        await gate.open()
    }

    @Test("the present subscription as the answer for another product is a failure if no change was accepted")
    func notAccepted() async throws {
        let (harness, _, coordinator) = try await subscribed { .success($0) }
        await harness.store.setStatuses([])
        #expect(
            await coordinator.buyPro(productID: "pro.monthly") == .failed(PurchaseFlowError(.differentProduct, "")))
    }

    @Test("a change of plan that is signed while renewal is off is not accepted, because nothing follows the period")
    func renewalOff() async throws {
        let (harness, _, coordinator) = try await subscribed { .success($0) }
        let present = try #require(await harness.store.past["sale-1"])
        let renewal = harness.verifier.sign(
            Sample.renewal("sale-1", signed: Sample.at(2), renews: false) { $0.autoRenewProductId = "pro.monthly" })
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
        #expect(
            await coordinator.buyPro(productID: "pro.monthly") == .failed(PurchaseFlowError(.differentProduct, "")))
    }

    @Test("a renewal info that is forged, or to which the store objects, does not make a purchase a change of plan")
    func forged() async throws {
        let (harness, _, coordinator) = try await subscribed { .success($0) }
        let accepted = try #require(try await harness.store.subscriptionStatuses().first)
        for status in [
            SignedSubscriptionStatus(transaction: accepted.transaction, renewalInfoJWS: "forged"),
            SignedSubscriptionStatus(
                transaction: accepted.transaction, renewalInfoJWS: accepted.renewalInfoJWS,
                renewalInfoObjection: "the platform does not verify it"),
        ] {
            await harness.store.setStatuses([status])
            #expect(
                await coordinator.buyPro(productID: "pro.monthly") == .failed(PurchaseFlowError(.differentProduct, "")))
        }
    }

    // MARK: The present plan

    private static func offer(_ id: String) -> PurchaseOptions {
        PurchaseOptions(
            offer: .promotional(
                id: id,
                signature: PromotionalOfferSignature(
                    keyID: "key", nonce: UUIDText("nonce"), timestamp: Sample.at(1), base64: "AA==")))
    }

    private func setRenewal(
        _ harness: ServiceHarness, signed: Timestamp, renews: Bool = true,
        change: (inout JWSRenewalInfoDecodedPayload) -> Void = { _ in }
    ) async throws {
        let present = try #require(await harness.store.past["sale-1"])
        let renewal = harness.verifier.sign(
            Sample.renewal("sale-1", signed: signed, renews: renews) {
                $0.productId = "pro.yearly"
                $0.autoRenewProductId = "pro.yearly"
                $0.renewalDate = end
                change(&$0)
            })
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
        await harness.store.answer("pro.yearly", .success(.success(present)))
    }

    @Test("an offer for the present plan that is accepted for the next renewal has an outcome, and can be read")
    func offerAtRenewal() async throws {
        let (harness, store, coordinator) = try await subscribed { .success($0) }
        try await setRenewal(harness, signed: Sample.at(2)) {
            $0.offerType = .promotional
            $0.offerIdentifier = "half"
            $0.offerDiscountType = .payAsYouGo
            $0.offerPeriod = "P1M"
            $0.renewalPrice = Milliunits(19_990)
            $0.currency = "EUR"
        }
        let outcome = await coordinator.buyPro(productID: "pro.yearly", options: Self.offer("half"))
        #expect(outcome == .pending(.offerAtRenewal(productID: "pro.yearly", date: end)))
        let purchase = try #require(await store.entitlements.purchases(of: .pro).first)
        #expect(
            purchase.upcomingOffer
                == UpcomingOffer(
                    type: .promotional, id: "half", paymentMode: .payAsYouGo, period: .month,
                    price: Milliunits(19_990), currency: "EUR"))
        // Without a request, and for another offer, the tap has done nothing.
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .alreadyOwned)
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: Self.offer("third")) == .alreadyOwned)
        await harness.store.setStatuses([])
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: Self.offer("half")) == .alreadyOwned)
    }

    @Test("an offer of a subscription that does not renew is not shown as the next one")
    func offerWithoutRenewal() async throws {
        let (harness, store, coordinator) = try await subscribed { .success($0) }
        try await setRenewal(harness, signed: Sample.at(2), renews: false) {
            $0.offerType = .promotional
            $0.offerIdentifier = "half"
        }
        #expect(await coordinator.buyPro(productID: "pro.yearly", options: Self.offer("half")) == .alreadyOwned)
        #expect(await store.entitlements.purchases(of: .pro).first?.upcomingOffer == nil)
    }

    @Test("a purchase of the present plan that switches its renewal on again has an outcome, and a second tap has none")
    func renewsAgain() async throws {
        let (harness, store, coordinator) = try await subscribed { .success($0) }
        try await setRenewal(harness, signed: Sample.at(2), renews: false)
        await store.refresh()
        #expect(await store.entitlements.purchases(of: .pro).first?.willRenew == false)
        // The store does not switch it on.
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .alreadyOwned)
        try await setRenewal(harness, signed: Sample.at(3))
        let outcome = await coordinator.buyPro(productID: "pro.yearly")
        #expect(outcome == .pending(.renewsAgain(productID: "pro.yearly", date: end)))
        #expect(await store.entitlements.purchases(of: .pro).first?.willRenew == true)
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .alreadyOwned)
    }

    // MARK: A verifier that does not answer

    private struct UndecidedRenewals: TransactionVerifying {
        let base: ScriptedVerifier
        func verifyTransaction(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSTransactionDecodedPayload> { base.verifyTransaction(jws, at: now) }
        func verifyRenewalInfo(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
            .unverified(VerificationFailure(code: .verificationTimedOut))
        }
    }

    @Test("an accepted downgrade is no failure while the verifier does not answer about the renewal info")
    func undecidedRenewalInfo() async throws {
        let harness = ServiceHarness()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: UndecidedRenewals(base: harness.verifier),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        _ = await service.purchase(productID: "pro.yearly")
        let present = try #require(await harness.store.past["sale-1"])
        await harness.store.answer("pro.monthly", .success(.success(present)))
        let renewal = harness.verifier.sign(
            Sample.renewal("sale-1", signed: Sample.at(1)) {
                $0.productId = "pro.yearly"
                $0.autoRenewProductId = "pro.monthly"
            })
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
        let outcome = PurchaseResultMapping.outcome(of: await service.purchase(productID: "pro.monthly"))
        #expect(outcome == .pending(.noAnswer))
    }

    @Test("a purchase in the grace period has not ended while the verifier does not answer about the renewal info")
    func graceWithoutRenewalInfo() async throws {
        for isUndecided in [false, true] {
            let harness = ServiceHarness()
            let present = harness.verifier.sign(Sample.payload("1", "pro.yearly", signed: Sample.at(day: 31)))
            let renewal = harness.verifier.sign(
                Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 46)))
            await harness.store.setEntitled([present])
            await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
            harness.clock.set(Sample.at(day: 31))
            #expect(try await harness.entitlements().isPro)
            await harness.store.answer("pro.yearly", .success(.success(present)))
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger,
                verifier: isUndecided
                    ? UndecidedRenewals(base: harness.verifier) : harness.verifier as any TransactionVerifying,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            let outcome = PurchaseResultMapping.outcome(of: await service.purchase(productID: "pro.yearly"))
            if case .failed(let error) = outcome { Issue.record("undecided \(isUndecided): \(error)") }
        }
    }
}
