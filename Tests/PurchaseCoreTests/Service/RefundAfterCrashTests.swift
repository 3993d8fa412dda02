import PurchaseCore
import ReceiptTypes
import Testing

/// Ends the process at every boundary of a launch, and refunds the purchases before the next launch.
@Suite("Refunds after a crash", .timeLimit(.minutes(15)))
struct RefundAfterCrashTests {
    /// The verifier of an app.
    enum Verifier: CaseIterable {
        case ownVerdict, platformVerdict
    }

    private static let products = ["coins", "pro.lifetime"]

    private static func deliveries(signed: Timestamp, isRevoked: Bool) -> [SignedTransaction] {
        products.map { product in
            SignedTransaction(
                unsigned: Sample.payload("\(product)-1", product, signed: signed) {
                    if isRevoked { $0.revocationDate = signed }
                })
        }
    }

    private func launch(
        _ harness: ServiceHarness, _ verifier: Verifier, crashingAt step: Int = .max
    ) -> (service: PurchaseService, simulator: CrashSimulator) {
        let simulator = CrashSimulator(crashingAt: step)
        let device = CrashingStore(base: harness.store, simulator: simulator, ledger: harness.ledger)
        let store = PlatformStore(device)
        let service = PurchaseService(
            store: verifier == .platformVerdict ? store : device,
            ledger: CrashingLedger(harness.ledger, simulator),
            verifier: verifier == .platformVerdict ? store.verifier : DecodingVerifier(),
            fulfiller: CrashingFulfiller(base: harness.fulfiller, simulator: simulator),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        return (service, simulator)
    }

    /// Returns the steps of the first launch, which ends at one of them.
    private func run(_ verifier: Verifier, crashingAt step: Int) async throws -> [String] {
        let harness = ServiceHarness()
        for delivery in Self.deliveries(signed: Sample.at(0), isRevoked: false) {
            await harness.store.deliver(delivery)
        }
        let first = launch(harness, verifier, crashingAt: step)
        await first.service.resumeUnfinishedPurchases()
        let steps = await first.simulator.steps
        let name = "\(verifier), crashed at step \(step): \(steps.last ?? "none")"

        harness.clock.set(Sample.at(day: 1))
        for delivery in Self.deliveries(signed: Sample.at(day: 1), isRevoked: true) {
            await harness.store.deliver(delivery)
        }
        for _ in 1...2 { await launch(harness, verifier).service.resumeUnfinishedPurchases() }
        #expect(await harness.fulfiller.balance == 0, "the coins are taken back: \(name)")
        #expect(await harness.store.unfinished.isEmpty, "\(name)")
        for isOffline in [false, true] {
            await harness.store.fail(isOffline ? StoreError(.network, "offline") : nil)
            let entitlements = try await harness.entitlements(launch(harness, verifier).service)
            #expect(!entitlements.isPro && entitlements.balances.isEmpty, "offline \(isOffline), \(name)")
        }
        return steps
    }

    @Test(
        "[PSE-8] what was refunded after a crash at any step is taken back, with any verifier, online and offline",
        arguments: Verifier.allCases)
    func everyBoundary(verifier: Verifier) async throws {
        let steps = try await run(verifier, crashingAt: .max)
        #expect(steps.count > 20)
        for step in steps.indices { _ = try await run(verifier, crashingAt: step) }
    }
}

/// A verifier that accepts every JWS that can be decoded, as what it says.
private struct DecodingVerifier: TransactionVerifying {
    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await PlatformStore(UnreachableStore()).verifier.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        await PlatformStore(UnreachableStore()).verifier.verifyRenewalInfo(jws, at: now)
    }
}
