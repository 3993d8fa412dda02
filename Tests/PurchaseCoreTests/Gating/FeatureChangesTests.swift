import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// What happens to an answer when time passes, the clock is set, or the user changes.
@Suite("Changes of feature access", .timeLimit(.minutes(15)))
@MainActor
struct FeatureChangesTests {
    @Test("[OTP-4.2] an expired subscription is not granted although nothing has refreshed; its last instant is")
    func expiry() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        await app.buy("export.once")
        let requests = await app.harness.store.entitlementRequests
        app.harness.clock.set(Sample.at(day: 30))
        #expect(app.granted == ["notes", "export", "sync"])
        app.harness.clock.set(Sample.at(30 * Sample.day + 1))
        #expect(app.granted == ["notes", "export"])
        #expect(app.gating.access(to: "sync") == .unknown, "it may have been renewed")
        #expect(await app.harness.store.entitlementRequests == requests)
        await app.harness.store.setEntitled([])
        #expect(await !app.gating.canAccess("sync"))
        #expect(app.gating.access(to: "sync") == .denied)
        #expect(app.gating.getRequiredPurchaseForFeature("sync") == "pro.monthly")
    }

    @Test("after the end of a period canAccess finds the renewal")
    func renewal() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        app.harness.clock.set(Sample.at(day: 31))
        await app.harness.store.setEntitled([
            app.harness.verifier.sign(
                Sample.payload("2", "pro.monthly", bought: Sample.at(day: 30), original: "sale-1"))
        ])
        #expect(!app.gating.canAccessSync("sync"))
        #expect(await app.gating.canAccess("sync"))
        #expect(app.gating.canAccessSync("sync"))
    }

    @Test("a stream reports the end of a purchase without any call, and the answer of a refresh after it")
    func stream() async throws {
        let app = try GatedApp()
        var updates = app.gating.accessUpdates(of: "sync").makeAsyncIterator()
        #expect(await updates.next() == .unknown)
        await app.buy("pro.monthly")
        #expect(await updates.next() == .granted)
        await app.timer.waiting()
        app.timer.advance(to: Sample.at(30 * Sample.day + 1))
        #expect(await updates.next() == .unknown)
        await app.harness.store.setEntitled([])
        await app.store.refresh()
        #expect(await updates.next() == .denied)
    }

    @Test("a feature that two purchases unlock ends with the later one")
    func laterEnd() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        app.harness.clock.set(Sample.at(day: 10))
        let shared = Sample.payload("9", "pro.monthly", bought: Sample.at(day: 10)) {
            $0.inAppOwnershipType = .familyShared
        }
        let delivery = app.harness.verifier.sign(shared)
        _ = await app.harness.listening { await app.harness.store.deliver(delivery) }
        await app.store.refresh()
        app.harness.clock.set(Sample.at(day: 40))
        #expect(app.gating.canAccessSync("sync"))
        app.harness.clock.set(Sample.at(40 * Sample.day + 1))
        #expect(!app.gating.canAccessSync("sync"))
    }

    @Test("a clock set back does not bring back what has ended while the store does not answer")
    func setBack() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        await app.harness.store.fail(StoreError(.network, "offline"))
        app.harness.clock.set(Sample.at(day: 29))
        await app.store.refresh()
        #expect(app.store.freshness == .remembered)
        #expect(app.gating.canAccessSync("sync"))
        // Offline grace prolongs the subscription, so the end is that of the grace.
        let end = try #require(app.store.entitlements.nextEnd)
        app.harness.clock.set(end.adding(milliseconds: 1))
        #expect(!app.gating.canAccessSync("sync"))
        app.harness.clock.set(Sample.at(day: 28))
        #expect(!app.gating.canAccessSync("sync"))
        await app.harness.store.fail(nil)
        await app.store.refresh()
        #expect(app.gating.canAccessSync("sync"), "a store that answers vouches for the clock")
    }

    @Test("a clock that was fast for a moment while the store answers does not deny what is paid for")
    func fastForAMoment() async throws {
        let app = try GatedApp()
        await app.buy("pro.monthly")
        app.harness.clock.set(Sample.at(day: 400))
        #expect(!app.gating.canAccessSync("sync"))
        app.harness.clock.set(Sample.at(day: 1))
        #expect(app.gating.canAccessSync("sync"))
    }

    @Test("the time is never before the instant that the entitlements were computed for")
    func neverBeforeTheProjection() throws {
        let ground = Ground(
            kind: .subscription, productID: "p", transactionID: "1", end: Sample.at(day: 5))
        let entitlements = FixedEntitlements(
            Entitlements(grounds: [.feature("sync"): [ground]], asOf: Sample.at(day: 5)))
        let clock = ManualClock(Sample.at(day: -400))
        let gating = FeatureGatingService(
            entitlements: entitlements, catalog: try GatedApp.catalog(),
            environment: PurchaseEnvironment(clock: clock.now))
        #expect(gating.canAccessSync("sync"))
        entitlements.entitlements = Entitlements(
            grounds: [.feature("sync"): [ground]], asOf: Sample.at(5 * Sample.day + 1))
        #expect(!gating.canAccessSync("sync"))
    }

    @Test("after a change of user nothing of the first one is granted, not even while the change runs")
    func users() async throws {
        let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
        let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")
        let app = try GatedApp(account: anna)
        await app.buy("export.once")
        #expect(app.granted == ["notes", "export"])
        let (gating, service) = (app.gating, app.harness.service)
        await app.store.changeUser {
            #expect(gating.access(to: "export") == .unknown)
            await service.signIn(bert)
            #expect(gating.access(to: "export") == .unknown)
        }
        #expect(gating.access(to: "export") == .denied)
        await app.store.changeUser { await service.signIn(anna) }
        #expect(gating.access(to: "export") == .granted)
    }

    /// Entitlements that have streams and no handlers of their own.
    private final class StreamedEntitlements: EntitlementProviding {
        private let base = FixedEntitlements(.empty, freshness: .notLoaded)
        var entitlements: Entitlements { base.entitlements }
        var freshness: EntitlementFreshness { base.freshness }
        var userChanges: Int { base.userChanges }

        func refresh() async {
            base.entitlements = Entitlements(granting: [.feature("export")])
            base.freshness = .current
        }
        func updates() -> AsyncStream<Entitlements> { base.updates() }
        func freshnessUpdates() -> AsyncStream<EntitlementFreshness> { base.freshnessUpdates() }
    }

    @Test("entitlements of an app's own class are followed by their streams")
    func ownClass() async throws {
        let entitlements = StreamedEntitlements()
        let gating = FeatureGatingService(entitlements: entitlements, catalog: try GatedApp.catalog())
        var updates = gating.accessUpdates(of: "export").makeAsyncIterator()
        #expect(await updates.next() == .unknown)
        #expect(await gating.canAccess("export"))
        #expect(await updates.next() == .granted)
        await entitlements.refresh()
        #expect(gating.access(to: "export") == .granted)
    }

    @Test("a released gate ends its streams")
    func released() async throws {
        var gating: FeatureGatingService? = FeatureGatingService(
            entitlements: FixedEntitlements(), catalog: try GatedApp.catalog())
        let updates = try #require(gating?.accessUpdates(of: "notes"))
        gating = nil
        var answers: [FeatureAccess] = []
        for await access in updates { answers.append(access) }
        #expect(answers.count <= 1)
    }

    @Test("[OTP-4.5] the remaining days of a trial come from the evidence, and a clock set back adds none")
    func trial() async throws {
        let app = try GatedApp()
        let trial = Sample.payload("1", "pro.monthly", expires: Sample.at(day: 7)) { $0.offerDiscountType = .freeTrial }
        let delivery = app.harness.verifier.sign(trial)
        await app.harness.store.setEntitled([delivery])
        _ = await app.harness.listening { await app.harness.store.deliver(delivery) }
        #expect(try await app.gating.getRemainingTrialDays(from: app.harness.service) == 7)
        await app.harness.store.fail(StoreError(.network, "offline"))
        app.harness.clock.set(Sample.at(day: 5))
        #expect(try await app.gating.getRemainingTrialDays(from: app.harness.service) == 2)
        app.harness.clock.set(Sample.at(day: 1))
        #expect(try await app.gating.getRemainingTrialDays(from: app.harness.service) == 2)
        app.harness.clock.set(Sample.at(day: 8))
        #expect(try await app.gating.getRemainingTrialDays(from: app.harness.service) == nil)
    }
}
