import ReceiptTypes
import Testing

@testable import Paywall
@testable import PurchaseCore

/// Open purchases across a restart of the app: each counts for the offer that the customer saw.
@Suite("Open purchases across launches", .timeLimit(.minutes(15)))
@MainActor
struct KeptPurchaseTests {
    private let file = InMemoryPaywallFile()
    private let clock = SetClock()

    private func launch(_ offer: Offer = FlowHarness.offer) -> FlowHarness {
        FlowHarness(config: RemoteConfig(offers: [offer]), openPurchases: file, clock: clock)
    }

    private func sales(_ harness: FlowHarness) -> [PaywallEvent] {
        harness.analytics.events.filter { $0.name == .purchaseSuccess }
    }

    /// Buys on a first launch, and ends it.
    private func buy(_ outcome: PurchaseOutcome) async throws {
        let harness = launch()
        let paywall = try await harness.open()
        harness.manager.outcome = outcome
        await paywall.buy()
        await harness.coordinator.flush()
    }

    @Test(
        "a purchase that is open when the app ends counts for its offer, before and after the next start",
        arguments: [
            PendingReason.noAnswer, .notRecorded, .notHandedOver, .awaitingSignIn, .awaitingApproval,
            .unverified(VerificationFailure(code: .keyNotFound)),
            .unverified(VerificationFailure(code: .signatureInvalid)),
        ])
    func restart(reason: PendingReason) async throws {
        try await buy(.pending(reason))
        let second = launch()
        second.manager.pendingProductIDs = reason == .awaitingApproval ? [FlowHarness.yearly] : []
        try await second.coordinator.start()
        #expect(sales(second).isEmpty)
        await second.coordinator.flush()

        let third = launch()
        third.manager.pendingProductIDs = []
        third.grant(FlowHarness.yearly)
        try await third.coordinator.start()
        #expect(sales(third) == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
        await third.coordinator.flush()
        let fourth = launch()
        fourth.grant(FlowHarness.yearly)
        try await fourth.coordinator.start()
        #expect(sales(fourth).isEmpty, "it counts once")
    }

    @Test("a purchase that has arrived stays in the file until its event is stored, and then counts under the same id")
    func killedBeforeEventIsStored() async throws {
        for isLate in [true, false] {
            let first = launch()
            let paywall = try await first.open()
            first.analytics.isStored = false
            if isLate {
                first.manager.outcome = .pending(.noAnswer)
                await paywall.buy()
                first.grant(FlowHarness.yearly)
            } else {
                first.unlock()
                await paywall.buy()
            }
            #expect(sales(first).count == 1)
            await first.coordinator.flush()

            let second = launch()
            second.grant(FlowHarness.yearly)
            try await second.coordinator.start()
            #expect(sales(second) == sales(first))
            #expect(second.analytics.ids == first.analytics.ids && first.analytics.ids.count == 1)
            await second.coordinator.flush()
            let third = launch()
            third.grant(FlowHarness.yearly)
            try await third.coordinator.start()
            #expect(sales(third).isEmpty, "late: \(isLate)")
        }
    }

    @Test("a purchase on the paywall of a feature counts for the feature, also if the app is killed during it")
    func killed() async throws {
        let first = launch()
        try await first.coordinator.start()
        let paywall = try #require(try first.coordinator.toPaywall(featureID: "export"))
        first.manager.gate = FlowGate()
        let purchase = Task { await paywall.buy() }
        await first.manager.gate.arrived()
        await first.coordinator.flush()
        let second = launch()
        try await second.coordinator.start()
        second.grant(FlowHarness.export)
        #expect(
            sales(second) == [.purchaseSuccess(offerID: nil, planID: FlowHarness.export, featureID: "export")])
        first.manager.outcome = .cancelled
        await first.manager.gate.open()
        _ = await purchase.value
    }

    @Test("what was not sold is not kept, and an approval that is no longer awaited was declined")
    func notSold() async throws {
        try await buy(.cancelled)
        let second = launch()
        try await second.coordinator.start()
        second.grant(FlowHarness.yearly)
        #expect(sales(second).isEmpty)

        try await buy(.pending(.awaitingApproval))
        let declined = launch()
        declined.manager.pendingProductIDs = []
        try await declined.coordinator.start()
        declined.grant(FlowHarness.yearly)
        #expect(sales(declined).isEmpty)
    }

    @Test("after a restart an open purchase stops no other one, because the purchase service knows what is paid")
    func stopsNothing() async throws {
        try await buy(.pending(.notRecorded))
        let harness = launch()
        let paywall = try await harness.open()
        harness.manager.outcome = .cancelled
        #expect(await paywall.buy() == .cancelled)
        harness.grant(FlowHarness.yearly)
        #expect(sales(harness).count == 1)
    }

    @Test("a purchase that has not arrived within thirty days counts for no offer any more")
    func oldPurchase() async throws {
        try await buy(.pending(.noAnswer))
        clock.advance(days: 29)
        let inTime = launch()
        try await inTime.coordinator.start()
        await inTime.coordinator.flush()
        clock.advance(days: 2)
        let late = launch()
        try await late.coordinator.start()
        for harness in [inTime, late] { harness.grant(FlowHarness.yearly) }
        #expect(sales(inTime).count == 1 && sales(late).isEmpty)
    }

    @Test("after a restart, only a new purchase of a product that the customer had before counts")
    func ownedBefore() async throws {
        let offer = Offer(
            id: .a, layoutVariant: "cards",
            plans: FlowHarness.offer.plans + [Plan(id: FlowHarness.export, displayPrice: "", period: "")],
            defaultPlanID: FlowHarness.export)
        let first = launch(offer)
        first.grant(FlowHarness.export)
        let paywall = try await first.open()
        first.manager.outcome = .pending(.noAnswer)
        #expect(await paywall.buy() == .pending(.noAnswer))
        await first.coordinator.flush()
        let second = launch()
        second.grant(FlowHarness.export)
        try await second.coordinator.start()
        #expect(sales(second).isEmpty)
        second.grant(FlowHarness.export, transaction: "2")
        #expect(sales(second) == [.purchaseSuccess(offerID: .a, planID: FlowHarness.export)])
    }

    @Test("after a restart, an earlier purchase of another device and a family-shared one do not count")
    func notSoldHere() async throws {
        for isShared in [false, true] {
            try await buy(.pending(.noAnswer))
            let second = launch()
            second.have([
                second.details(
                    FlowHarness.yearly, ownership: isShared ? .familyShared : .purchased,
                    bought: SetClock.start.adding(milliseconds: isShared ? SetClock.day : -SetClock.day))
            ])
            try await second.coordinator.start()
            #expect(sales(second).isEmpty, "shared: \(isShared)")
        }
    }

    @Test("another user takes over nothing from the file, also if nothing was loaded for the former one")
    func otherUser() async throws {
        for freshness in [EntitlementFreshness.current, .notLoaded] { try await otherUser(after: freshness) }
    }

    private func otherUser(after freshness: EntitlementFreshness) async throws {
        try await buy(.pending(.noAnswer))
        let harness = launch()
        harness.entitlements.freshness = freshness
        harness.entitlements.changeUser()
        harness.entitlements.freshness = .current
        try await harness.coordinator.start()
        harness.grant(FlowHarness.yearly)
        #expect(sales(harness).isEmpty)
    }

    @Test("a damaged file is logged and replaced, and stops neither a start nor a purchase")
    func damagedFile() async throws {
        for damage in ["", "{", "[]", #"{"schema": 2, "purchases": []}"#, #"{"schema": 1}"#] {
            await file.write(Array(damage.utf8))
            let harness = launch()
            let paywall = try await harness.open()
            #expect(harness.log.kinds == [.openPurchasesFailed], "\(damage)")
            harness.manager.outcome = .pending(.noAnswer)
            await paywall.buy()
            await harness.coordinator.flush()
            let next = launch()
            next.grant(FlowHarness.yearly)
            try await next.coordinator.start()
            #expect(sales(next).count == 1 && next.log.kinds.isEmpty)
        }
        #expect(PurchaseLogEvent.Kind.openPurchasesFailed.severity == .warning)
    }
}
