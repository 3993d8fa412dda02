import PurchaseCore
import PurchaseVerification
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing

/// The core and the toolkit together, on what is really signed.
@Suite("Core and toolkit")
struct ToolkitTests {
    private func setUp() throws -> (signer: TestSigner, verifier: ReceiptVerifier) {
        let authority = try TestAuthority()
        var anchors = TrustAnchors()
        try anchors.add(authority.rootCertificate)
        var policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.sandbox])
        policy.refusesRevokedPurchases = true
        // A clock that is wrong, to show that the service's is used.
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

    @Test("[CARD-7] [PSE-8] a signed purchase goes all the way; its refund too; a forged or foreign one does not")
    func together() async throws {
        let (signer, verifier) = try setUp()
        let stranger = try TestAuthority().signer
        let store = ScriptedStore()
        let clock = Clock(Sample.at(day: 1))
        let service = PurchaseService(
            store: store, journal: InMemoryJournal(), verifier: verifier, clock: clock.now)
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
            jws: String(genuine.jws.dropLast(8)) + "AAAAAAAA", transactionID: "2", productID: "template.b")
        let foreign = try signed(Sample.payload("3", "template.b"), by: stranger)
        let otherApp = try signed(
            Sample.payload("4", "template.b") { $0.bundleId = "com.example.other" }, by: signer)
        for delivery in [damaged, foreign, otherApp] {
            await store.deliver(delivery)
            await service.settle()
            #expect(try await !grants("B"))
        }
        #expect(await store.finished == ["1"])

        // Revoked purchases are refused by the policy, and have to reach the projection all the same.
        await store.deliver(
            try signed(
                Sample.payload("1", "template.a", signed: Sample.at(day: 1)) {
                    $0.revocationDate = Sample.at(day: 1)
                }, by: signer))
        await service.settle()
        #expect(try await !grants("A"))
    }

    @Test("[CARD-7] [PSE-12] with the clock set back what was recorded is still verified, and what is new waits")
    func clockSetBack() async throws {
        let (signer, verifier) = try setUp()
        let store = ScriptedStore()
        let journal = InMemoryJournal()
        let clock = Clock(Sample.at(day: 1))
        func service() -> PurchaseService {
            PurchaseService(store: store, journal: journal, verifier: verifier, clock: clock.now)
        }
        await store.deliver(try signed(Sample.payload("1", "template.a"), by: signer))
        await service().settle()
        clock.set(Sample.at(day: -300))
        let later = service()
        #expect(try await later.evidence().transactions.map(\.id) == ["1"])
        await store.deliver(
            try signed(Sample.payload("2", "template.b", bought: Sample.at(day: 90)), by: signer))
        await later.settle()
        #expect(try await later.evidence().transactions.map(\.id) == ["1"])
        #expect(await journal.entries().allSatisfy { $0.refusal == nil })
        clock.set(Sample.at(day: 90))
        await later.settle()
        #expect(try await later.evidence().transactions.map(\.id) == ["1", "2"])
    }
}
