import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing

/// Ends the process of an app on Google Play at every boundary in turn, over the simulator and with real signatures.
@Suite("Crashes on Google Play", .timeLimit(.minutes(15)))
struct PlayCrashTests {
    private struct Device {
        let platform: SimulatedPlatform
        let wallet = FulfilmentRecorder()

        init(_ signer: SimulatorSigner) throws { platform = try SimulatedPlatform(signer: signer) }

        var store: StoreSimulator { platform.simulator }

        func launch(with crash: CrashSimulator) -> PurchaseService {
            let store = store
            var keys = PlayKeyring()
            if let key = try? store.signer.playPublicKey { keys.add([UInt8](key.utf8), forPackage: "com.example.app") }
            let verifier = PlayReceiptVerifier(
                ReceiptVerifier(playKeys: keys, clock: { .maximum }),
                products: SimulatedPlatform.products.map { product in
                    guard let terms = product.subscription else {
                        return PlayProduct(id: product.id, type: product.type)
                    }
                    return PlayProduct(subscription: product.id, period: terms.period, groupID: terms.groupID)
                })
            return PurchaseService(
                store: CrashingStore(
                    base: store.playCustomer("customer"), simulator: crash, ledger: platform.ledger),
                ledger: CrashingLedger(platform.ledger, crash), verifier: verifier,
                fulfiller: CrashingFulfiller(base: wallet, simulator: crash),
                environment: PurchaseEnvironment(timer: ManualTimer(), clock: { store.state.now }))
        }
    }

    private struct Outcome: Equatable {
        let grounds: [Entitlement: [String]]
        let denials: [String: DenialReason]
        let balances: [String: Int]
        let wallet: Int
        let unfinished: Int
        let stages: Set<DeliveryStage>
        /// The product of each purchase in the store, and whether it was refunded.
        let sales: [String: Bool]
    }

    /// Runs the app once: buys coins, a template, and a pass that is pending first; the template is refunded.
    private func run(_ device: Device, with crash: CrashSimulator) async throws {
        let service = device.launch(with: crash)
        await service.resumeUnfinishedPurchases()
        for product in ["coins", "template.a", "pro.season"] where !isOrdered(product, device.store.state) {
            try device.store.perform { $0.updateSettings { $0.isAskToBuyEnabled = product == "pro.season" } }
            _ = await service.purchase(productID: product)
        }
        await service.resumeUnfinishedPurchases()
        try device.store.perform { engine in
            if let order = engine.state.pending.first { _ = try engine.approve(order.id) }
            let template = engine.state.transactions.first { $0.productID == "template.a" }
            if let template, !template.isRevoked { try engine.refund(template.id) }
        }
        await service.resumeUnfinishedPurchases()
        _ = try? await service.requestAllPurchaseHistory()
        _ = try? await service.evidence()
    }

    private func isOrdered(_ productID: String, _ state: SimulatorState) -> Bool {
        state.transactions.contains { $0.productID == productID }
            || state.pending.contains { $0.productID == productID }
    }

    /// Crashes the app at a step, launches it again, and returns what the customer has four days later.
    private func outcome(crashingAt step: Int, _ signer: SimulatorSigner) async throws -> (Outcome, CrashSimulator) {
        let device = try Device(signer)
        let crash = CrashSimulator(crashingAt: step)
        try await run(device, with: crash)
        // The claims of the killed process end.
        try device.store.perform { try $0.advance(byMilliseconds: PurchaseService.claimDurationMilliseconds + 1) }
        let next = CrashSimulator(crashingAt: .max)
        try await run(device, with: next)
        // A purchase that is not acknowledged is refunded after three days.
        try device.store.perform { try $0.advance(byMilliseconds: 4 * Sample.day) }
        let service = device.launch(with: next)
        for _ in 1...2 { await service.resumeUnfinishedPurchases() }
        let evidence = try await service.evidence()
        let entitlements = EntitlementProjection(catalog: Sample.catalog).entitlements(
            from: evidence, clock: device.store.state.now)
        #expect(await crash.violations.isEmpty)
        #expect(await next.violations.isEmpty)
        let entries = try await device.platform.ledger.entries()
        let outcome = Outcome(
            grounds: entitlements.grounds.mapValues { $0.map(\.productID).sorted() },
            denials: entitlements.denials, balances: entitlements.balances, wallet: await device.wallet.balance,
            unfinished: try await device.store.playCustomer("customer").unfinishedTransactions().count,
            stages: Set(entries.filter { $0.stage >= .recorded }.map(\.stage)),
            sales: Dictionary(
                device.store.state.transactions.map { ($0.productID, $0.isRevoked) }, uniquingKeysWith: { $0 != $1 }))
        return (outcome, crash)
    }

    @Test("after a crash at any step of a Play purchase the next launch reaches the state of an undisturbed run")
    func everyBoundary() async throws {
        let signer = try SimulatorSigner()
        let (expected, undisturbed) = try await outcome(crashingAt: .max, signer)
        #expect(expected.grounds == [.pro: ["pro.season"]])
        #expect(expected.denials == ["template.a": .revoked])
        #expect(expected.balances == ["coins": 1])
        #expect(expected.wallet == 1)
        #expect(expected.unfinished == 0)
        #expect(expected.stages == [.finished])
        #expect(expected.sales == ["coins": false, "template.a": true, "pro.season": false])
        let steps = await undisturbed.steps
        #expect(steps.contains("before store.finish") && steps.contains("after fulfiller.fulfil"))
        var crashCount = 0
        for step in steps.indices {
            let (found, crash) = try await outcome(crashingAt: step, signer)
            if await crash.hasCrashed { crashCount += 1 }
            #expect(found == expected, "crashed at step \(step): \(steps[step])")
        }
        // Concurrent deliveries can take a few steps more or less.
        #expect(crashCount > steps.count - 12)
    }
}
