import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Feature gates", .timeLimit(.minutes(15)))
@MainActor
struct FeatureGatingTests {
    @Test("[OTP-4.2] [OTP-4.3] a one-time purchase or a subscription unlocks a feature, and without both it is denied")
    func oneTimeOrSubscription() async throws {
        for (product, features) in [
            ("export.once", ["notes", "export"]), ("pro.monthly", ["notes", "export", "sync"]),
            ("pro.lifetime", ["notes", "export", "sync", "scan", "gifts"]), ("other", ["notes"]),
        ] {
            let app = try GatedApp()
            await app.store.refresh()
            #expect(app.granted == ["notes"])
            await app.buy(product)
            #expect(app.granted.map(\.rawValue) == features, "\(product)")
            for feature in GatedApp.features {
                #expect(await app.gating.canAccess(feature.id) == features.contains(feature.id.rawValue))
            }
        }
    }

    @Test("[OTP-4.6] one purchase unlocks several features, and a refund of one of two products keeps the feature")
    func bundles() async throws {
        let app = try GatedApp()
        await app.buy("pack")
        #expect(app.granted == ["notes", "sync", "scan"])
        await app.buy("pro.monthly")
        #expect(app.granted == ["notes", "export", "sync", "scan"])
        let refunded = Sample.payload("sale-1", "pack", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }
        let delivery = app.harness.verifier.sign(refunded)
        _ = await app.harness.listening { await app.harness.store.deliver(delivery) }
        await app.store.refresh()
        #expect(app.granted == ["notes", "export", "sync"])
    }

    @Test("a clock that stands still after an answer of the store keeps no subscription while the app runs")
    func stoppedClock() async throws {
        let app = try GatedApp()
        let uptime = Locked<Int64>(0)
        let gating = FeatureGatingService(
            entitlements: app.store,
            environment: PurchaseEnvironment(
                timer: app.timer,
                uptime: { DeviceUptime(startID: UUIDText("start"), milliseconds: uptime.withLock { $0 }) },
                clock: app.harness.clock.now))
        await app.buy("pro.monthly")
        #expect(app.store.freshness == .current)
        for (passed, access) in [
            (0, FeatureAccess.granted), (30 * Sample.day, .granted), (30 * Sample.day + 3_600_000, .unknown),
        ] {
            uptime.withLock { $0 = passed }
            #expect(gating.access(to: "export") == access)
        }
    }

    @Test("a consumable unlocks no feature, even if a definition lists it")
    func consumable() async throws {
        let app = try GatedApp()
        await app.buy("coins")
        #expect(app.store.entitlements.balances == ["coins": 1])
        #expect(app.gating.access(to: "gifts") == .denied)
    }

    @Test("[OTP-4.1] a feature that the catalog lacks is denied and reported once, and reports are limited")
    func unknownFeature() async throws {
        let app = try GatedApp()
        await app.buy("pro.lifetime")
        #expect(app.harness.log.kinds.allSatisfy { $0 != .unknownFeature })
        for _ in 1...3 {
            #expect(app.gating.access(to: "exprot") == .denied)
            #expect(await !app.gating.canAccess("exprot"))
            #expect(app.gating.getRequiredPurchaseForFeature("exprot") == nil)
        }
        let reports = app.harness.log.events.filter { $0.kind == .unknownFeature }
        #expect(reports.count == 1)
        #expect(reports.first?.detail.contains("exprot") == true)
        for number in 0..<2_000 { #expect(!app.gating.canAccessSync(FeatureID(rawValue: "unknown \(number)"))) }
        #expect(app.harness.log.kinds.filter { $0 == .unknownFeature }.count == 1_000)
    }

    @Test("[OTP-4.1] definitions are found by id and by level, and an id that the catalog lacks is a typed error")
    func definitions() throws {
        let gating = try GatedApp().gating
        #expect(try gating.getFeatureDefinition("scan") == GatedApp.features[3])
        let error = #expect(throws: FeatureCatalogError.self) { try gating.getFeatureDefinition("none") }
        #expect(error?.code == .notFound)
        #expect(gating.getFeaturesByLevel(.free).map(\.id) == ["notes"])
        #expect(gating.getFeaturesByLevel(.premium).map(\.id) == ["export", "sync", "scan", "gifts"])
    }

    @Test("[OTP-4.4] a denied feature names the product to offer, the first that the store sells, and no other does")
    func requiredPurchase() async throws {
        let unsold = FeatureDefinition(id: "old", name: "Old", level: .premium, productIDs: ["unknown.1", "pack"])
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: [], features: try FeatureCatalog(GatedApp.features + [unsold]))
        let entitlements = FixedEntitlements(.empty, freshness: .notLoaded)
        let gating = FeatureGatingService(entitlements: entitlements, catalog: catalog)
        let products = ProductCatalogService(purchaseService: ScriptedService())
        #expect(gating.getRequiredPurchaseForFeature("export") == nil, "a paywall would flash while loading")
        entitlements.freshness = .current
        #expect(gating.getRequiredPurchaseForFeature("export") == "export.once")
        #expect(try await gating.getRequiredPurchaseForFeature("export", from: products)?.id == "export.once")
        #expect(try await gating.getRequiredPurchaseForFeature("old", from: products)?.id == "pack")
        #expect(gating.getRequiredPurchaseForFeature("notes") == nil)
        entitlements.entitlements = Entitlements(granting: [.feature("export")])
        #expect(gating.getRequiredPurchaseForFeature("export") == nil)
        #expect(try await gating.getRequiredPurchaseForFeature("export", from: products) == nil)
        #expect(gating.getRequiredPurchaseForFeature("sync") == "pro.monthly")
    }

    @Test("while nothing is loaded the access is unknown, and canAccess waits for the first refresh")
    func loading() async throws {
        let app = try GatedApp()
        _ = await app.harness.service.purchase(productID: "export.once")
        #expect(app.gating.access(to: "export") == .unknown)
        #expect(app.gating.access(to: "scan") == .unknown)
        #expect(app.gating.access(to: "notes") == .granted)
        #expect(app.gating.access(to: "none") == .denied)
        #expect(!app.gating.canAccessSync("export"))
        #expect(await app.gating.canAccess("export"))
        #expect(app.gating.access(to: "scan") == .denied)
        let requests = await app.harness.store.entitlementRequests
        #expect(await !app.gating.canAccess("scan"))
        #expect(await app.harness.store.entitlementRequests == requests, "a known answer asks nothing")
    }

    @Test("an offline customer keeps what the ledger has")
    func offline() async throws {
        let app = try GatedApp()
        await app.buy("export.once")
        await app.harness.store.fail(StoreError(.network, "offline"))
        let store = EntitlementStore(
            service: app.harness.restarted(), catalog: try GatedApp.catalog(),
            environment: PurchaseEnvironment(clock: app.harness.clock.now))
        let gating = FeatureGatingService(
            entitlements: store, environment: PurchaseEnvironment(clock: app.harness.clock.now))
        #expect(await gating.canAccess("export"))
        #expect(store.freshness == .remembered)
        #expect(gating.access(to: "scan") == .denied)
    }

    @Test("on a new device without a connection the access is unknown until the store has answered once")
    func newDeviceOffline() async throws {
        let app = try GatedApp()
        await app.harness.store.fail(StoreError(.network, "offline"))
        #expect(await !app.gating.canAccess("export"))
        #expect(app.store.freshness == .unanswered)
        #expect(app.gating.access(to: "export") == .unknown)
        #expect(app.gating.access(to: "notes") == .granted)
        #expect(app.gating.getRequiredPurchaseForFeature("export") == nil)
        await app.harness.store.fail(nil)
        #expect(await !app.gating.canAccess("export"))
        #expect(app.gating.access(to: "export") == .denied)
        // The store has answered for this user, and nothing was bought since.
        await app.harness.store.fail(StoreError(.network, "offline"))
        await app.store.refresh()
        #expect(app.store.freshness == .remembered)
        #expect(app.gating.access(to: "export") == .denied)
        await app.store.changeUser {}
        #expect(app.gating.access(to: "export") == .unknown, "the answer was for the former user")
    }

    @Test("every thread reads the same answers while the entitlements change")
    func threads() async throws {
        let catalog = try GatedApp.catalog()
        let entitlements = FixedEntitlements(.empty)
        let gating = FeatureGatingService(entitlements: entitlements, catalog: catalog)
        let readers = (0..<4).map { _ in
            Task.detached {
                var answers: Set<FeatureAccess> = []
                for _ in 0..<2_000 { answers.insert(gating.access(to: "export")) }
                return answers
            }
        }
        for round in 0..<100 {
            entitlements.entitlements = round.isMultiple(of: 2) ? Entitlements(granting: [.feature("export")]) : .empty
            await Task.yield()
        }
        for reader in readers { #expect(await reader.value.isSubset(of: [.granted, .denied])) }
        #expect(gating.access(to: "export") == .denied)
    }

    @Test("a gate without a catalog takes the one of the entitlements, and without any it knows no feature")
    func catalogOfTheEntitlements() throws {
        #expect(try GatedApp().gating.features.definitions == GatedApp.features)
        let gating = FeatureGatingService(entitlements: FixedEntitlements(Entitlements(granting: [.pro])))
        #expect(gating.access(to: "export") == .denied)
    }
}
