import Observation
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@Suite("Entitlements for screens, previews and tests")
@MainActor
struct ObservationTests {
    @Test("an observed screen is told when the entitlements change, and reads the new ones")
    func observed() async throws {
        let source = FixedEntitlements(freshness: .notLoaded)
        let model = ObservableEntitlements(source)
        #expect(!model.isPro && model.freshness == .notLoaded)
        let following = Task { await model.follow() }
        var changes = Observations { model.isPro }.makeAsyncIterator()
        #expect(await changes.next() == false)
        source.freshness = .current
        source.entitlements = Entitlements(granting: [.pro])
        #expect(await changes.next() == true)
        #expect(model.grants(.pro) && model.freshness == .current)
        following.cancel()
        await following.value
        source.entitlements = .empty
        #expect(model.isPro)
    }

    @Test("an observed screen is told when only the freshness changes", .timeLimit(.minutes(15)))
    func observedFreshness() async throws {
        let source = FixedEntitlements(freshness: .remembered)
        let model = ObservableEntitlements(source)
        let following = Task { await model.follow() }
        var changes = Observations { model.freshness }.makeAsyncIterator()
        #expect(await changes.next() == .remembered)
        // The model follows the entitlements, and no change of them brings the new freshness.
        var grants = Observations { model.isPro }.makeAsyncIterator()
        source.entitlements = Entitlements(granting: [.pro])
        while await grants.next() == false {}
        source.freshness = .current
        #expect(await changes.next() == .current)
        #expect(model.isPro)
        following.cancel()
        await following.value
    }

    @Test("a model follows nothing before follow() is called")
    func nothingAtStart() async {
        let source = FixedEntitlements()
        let model = ObservableEntitlements(source)
        source.entitlements = Entitlements(granting: [.pro])
        await Task { @MainActor in }.value
        #expect(!model.isPro)
        #expect(source.refreshCount == 0)
    }

    @Test("a model over the entitlement store receives a purchase")
    func realStore() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        let model = ObservableEntitlements(store)
        let following = Task { await model.follow() }
        let pro = ProSubscriptionCoordinator(purchaseService: harness.service, entitlementRefresher: store)
        #expect(await pro.buyPro(productID: "pro.yearly") == .success)
        var changes = Observations { model.isPro }.makeAsyncIterator()
        while await changes.next() == false {}
        #expect(model.freshness == .current)
        following.cancel()
        await following.value
    }

    @Test("fixed entitlements serve a coordinator as a fake, and count refreshes")
    func fake() async {
        let fake = FixedEntitlements(Entitlements(granting: [.template(TemplateID(rawValue: "A"))]))
        #expect(fake.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(fake.entitlements.grants(.template(TemplateID(rawValue: "A")), at: .maximum))
        let pro = ProSubscriptionCoordinator(purchaseService: ScriptedService(), entitlementRefresher: fake)
        #expect(await pro.buyPro(productID: "anything") == .success)
        #expect(fake.refreshCount == 1)
        #expect(Entitlements(grounds: [.pro: []]).isPro == false)
    }

    @Test("each time of the public interface is the same as a duration and in milliseconds")
    func times() {
        var deadlines = PurchaseDeadlines(query: .seconds(1), fulfilment: .seconds(5))
        #expect(deadlines == PurchaseDeadlines(queryMilliseconds: 1_000, fulfilmentMilliseconds: 5_000))
        deadlines.purchase = .seconds(2)
        deadlines.synchronization = .seconds(3)
        deadlines.verification = .seconds(4)
        let all = [
            deadlines.query, deadlines.purchase, deadlines.synchronization, deadlines.verification,
            deadlines.fulfilment,
        ]
        #expect(all == (1...5).map { .seconds($0) })
        let inMilliseconds = PurchaseDeadlines(
            queryMilliseconds: 1_000, purchaseMilliseconds: 2_000, synchronizationMilliseconds: 3_000,
            verificationMilliseconds: 4_000, fulfilmentMilliseconds: 5_000)
        #expect(deadlines == inMilliseconds)
        #expect(PurchaseDeadlines(query: .seconds(30)) == PurchaseDeadlines())
        let day = Duration.seconds(86_400)
        #expect(PurchaseService.approvalTimeout == day && ClockMarks.tolerance == day)
        #expect(AbsentPurchase.confirmationDelay == day && PurchaseService.claimDuration == .seconds(60))
        #expect(PlayFacts.acknowledgementTime == day * 3 && EntitlementProjection.defaultOfflineGrace == day * 3)
        let loaded = ProductSelection.Loaded(product: Sample.product("a"), age: .seconds(5))
        #expect(loaded.ageMilliseconds == 5_000 && loaded.age == .seconds(5))
    }

    @Test("a duration becomes whole milliseconds, clamped to the range of a number")
    func durations() throws {
        #expect(Duration.seconds(3 * 86_400).milliseconds == EntitlementProjection.defaultOfflineGraceMilliseconds)
        #expect(Duration.milliseconds(-1500).milliseconds == -1500)
        #expect(Duration.microseconds(1999).milliseconds == 1)
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
        #expect(Timestamp.maximum.adding(.seconds(1)) == .maximum)
        let projection = EntitlementProjection(catalog: Sample.catalog, offlineGrace: .seconds(60))
        #expect(projection.offlineGrace == .seconds(60) && projection.offlineGraceMilliseconds == 60_000)
        let store = EntitlementStore(
            service: ScriptedService(), catalog: Sample.catalog, offlineGrace: .seconds(60), timer: StoppedTimer())
        #expect(store.catalog == Sample.catalog)
    }
}
