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
}
