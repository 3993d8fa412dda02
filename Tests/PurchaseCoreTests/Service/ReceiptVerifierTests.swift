import PurchaseCore
import PurchaseVerification
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// Tests the service with `ReceiptVerifier` on signed receipts.
@Suite("Service with ReceiptVerifier")
struct ReceiptVerifierTests {
    private func setUp() throws -> (signer: TestSigner, verifier: ReceiptVerifier) {
        let authority = try TestAuthority()
        var anchors = TrustAnchors()
        try anchors.add(authority.rootCertificate)
        var policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.sandbox])
        policy.refusesRevokedPurchases = true
        // The verifier's own clock is wrong, to show that certificates are checked at the service's time.
        policy.validity = .now
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: { .minimum })
        return (authority.signer, verifier)
    }

    private func signed(
        _ payload: JWSTransactionDecodedPayload, by signer: TestSigner
    ) throws -> SignedTransaction {
        SignedTransaction(
            jws: try signer.sign(payload), transactionID: payload.transactionId ?? "",
            productID: payload.productId ?? "")
    }

    @Test("[CARD-7] [PSE-8] a signed purchase and its refund are processed; forged and foreign ones are not finished")
    func together() async throws {
        let (signer, verifier) = try setUp()
        let otherSigner = try TestAuthority().signer
        let store = ScriptedStore()
        let clock = ManualClock(Sample.at(day: 1))
        let service = PurchaseService(
            store: store, ledger: InMemoryLedger(), verifier: verifier,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now))
        let projection = EntitlementProjection(catalog: Sample.catalog)
        func grants(_ template: String) async throws -> Bool {
            let evidence = try await service.evidence()
            return projection.entitlements(from: evidence.transactions, at: clock.now())
                .grants(.template(TemplateID(rawValue: template)))
        }

        await store.answer("template.a", .success(.success(try signed(Sample.payload("1", "template.a"), by: signer))))
        let result = PurchaseResultMapping.outcome(of: await service.purchase(productID: "template.a"))
        #expect(result == .success)
        #expect(try await grants("A"))

        let genuine = try signed(Sample.payload("2", "template.b"), by: signer)
        let damaged = SignedTransaction(
            jws: String(genuine.signedText.dropLast(8)) + "AAAAAAAA", transactionID: "2", productID: "template.b")
        let foreign = try signed(Sample.payload("3", "template.b"), by: otherSigner)
        let otherApp = try signed(
            Sample.payload("4", "template.b") { $0.bundleId = "com.example.other" }, by: signer)
        for delivery in [damaged, foreign, otherApp] {
            await store.deliver(delivery)
            await service.resumeUnfinishedPurchases()
            #expect(try await !grants("B"))
        }
        #expect(await store.finished == ["1"])

        // The policy rejects revoked purchases, but the refund must reach the projection.
        await store.deliver(
            try signed(
                Sample.payload("1", "template.a", signed: Sample.at(day: 1)) {
                    $0.revocationDate = Sample.at(day: 1)
                }, by: signer))
        await service.resumeUnfinishedPurchases()
        #expect(try await !grants("A"))
    }

    @Test("[CARD-7] with the clock set back recorded transactions verify, and so do new ones, which are signed later")
    func clockSetBack() async throws {
        let (signer, verifier) = try setUp()
        let store = ScriptedStore()
        let ledger = InMemoryLedger()
        let clock = ManualClock(Sample.at(day: 1))
        func service() -> PurchaseService {
            PurchaseService(
                store: store, ledger: ledger, verifier: verifier,
                environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now))
        }
        await store.deliver(try signed(Sample.payload("1", "template.a"), by: signer))
        await service().resumeUnfinishedPurchases()
        clock.set(Sample.at(day: -300))
        let later = service()
        #expect(try await later.evidence().transactions.map(\.id) == ["1"])
        await store.deliver(
            try signed(Sample.payload("2", "template.b", bought: Sample.at(day: 90)), by: signer))
        await later.resumeUnfinishedPurchases()
        let evidence = try await later.evidence()
        #expect(evidence.transactions.map(\.id) == ["1", "2"])
        #expect(evidence.clock.signed == Sample.at(day: 90))
        #expect(evidence.time(byClock: clock.now()) > Sample.at(day: 90))
    }
}
