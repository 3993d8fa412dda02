import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Verifier")
struct VerifierTests {
    @Test("[CARD-4] a genuine transaction is verified and has all its claims")
    func transactionVerifies() throws {
        let verifier = try Fixture.verifier(policy: .init(apps: [.init(bundleID: Fixture.bundleID)]))
        let transaction = try #require(verifier.verifyTransaction(try Fixture.jws(7)).verifiedPayload)
        #expect(transaction == Fixture.transaction(7))
        #expect(transaction.price?.description == "1.99")
    }

    @Test("[OTP-9.2] a receipt of another app, environment, kind or product is rejected with a code of its own")
    func policyIsApplied() throws {
        let jws = try Fixture.jws()
        let cases: [(VerificationPolicy, VerificationFailure.Code)] = [
            (.init(apps: [.init(bundleID: "com.example.other")]), .bundleIDMismatch),
            (.init(apps: [.init(bundleID: "com.example.App")]), .bundleIDMismatch),
            (.init(environments: [.production]), .environmentMismatch),
            (.init(kinds: [.notification]), .kindMismatch),
            (.init(productIDs: ["com.example.app.basic"]), .productIDMismatch),
            (.init(isStrict: true), .uncheckedClaim),
        ]
        for (policy, code) in cases {
            let report = try Fixture.verifier(policy: policy).verify(.jws([UInt8](jws.utf8)))
            #expect(report.failure?.code == code)
            #expect(report.payload == nil)
            #expect(report.failure?.untrustedPayload?["bundleId"]?.text == Fixture.bundleID)
        }
    }

    @Test("[OTP-9.2] bundle IDs that are canonically equivalent but differ in bytes are different")
    func canonicalEquivalenceIsNotEquality() throws {
        var transaction = Fixture.transaction()
        transaction.bundleId = "com.example.caf\u{65}\u{301}"
        let jws = try #require(Fixture.authority).signer.sign(transaction)
        let verifier = try Fixture.verifier(policy: .init(apps: [.init(bundleID: "com.example.caf\u{E9}")]))
        #expect(verifier.verifyTransaction(jws).failure?.code == .bundleIDMismatch)
    }

    @Test("[OTP-9.2] a revoked purchase is verified as revoked, and rejected if the policy requires it")
    func revocationIsReported() throws {
        var transaction = Fixture.transaction()
        transaction.revocationDate = Fixture.now
        let jws = try #require(Fixture.authority).signer.sign(transaction)
        #expect(try Fixture.verifier().verifyTransaction(jws).verifiedPayload?.isRevoked == true)
        let strict = try Fixture.verifier(policy: .init(refusesRevokedPurchases: true))
        #expect(strict.verifyTransaction(jws).failure?.code == .purchaseRevoked)
    }

    @Test("[CARD-4] a receipt of another kind is rejected, and the failure names its kind")
    func wrongKindIsNamed() throws {
        let failure = try #require(try Fixture.verifier().verifyNotification(try Fixture.jws()).failure)
        #expect(failure.code == .kindMismatch)
        #expect(failure.actual == "a transaction")
    }

    @Test("[CARD-4] without any root a receipt is undecided")
    func noRootIsUndecided() throws {
        let report = ReceiptVerifier(trustAnchors: TrustAnchors()).verify(.jws([UInt8](try Fixture.jws().utf8)))
        #expect(report.verdict == .undecided)
        #expect(report.failure?.errorCode == .keyNotFound)
    }

    @Test("[OTP-7.3] [OTP-8.2] verifyReceiptSignature returns the claims or the error codes of the source document")
    func sourceDocumentShape() throws {
        let verifier = try Fixture.verifier()
        let good = try verifier.verifyReceiptSignature(try Fixture.jws(3), platform: .ios).get()
        #expect(good.isValid)
        #expect(good.transactionID == "2000000000000003")
        #expect(good.productID == "com.example.app.pro")
        #expect(good.purchaseDate == Fixture.transaction().purchaseDate)

        func code(_ text: String, _ platform: ReceiptPlatform) -> VerificationErrorCode? {
            if case .failure(let error) = verifier.verifyReceiptSignature(text, platform: platform) {
                error.code
            } else {
                nil
            }
        }
        var tampered = [UInt8](try Fixture.jws().utf8)
        tampered[tampered.count - 10] =
            tampered[tampered.count - 10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(code(String(decoding: tampered, as: UTF8.self), .ios) == .invalidSignature)
        #expect(code("not a receipt", .ios) == .decodingError)
        #expect(code(#"{"data":"{\"packageName\":\"com.example\"}","signature":"AAAA"}"#, .android) == .keyNotFound)
        #expect(code(try Fixture.jws(), .android) == .decodingError)
    }

    @Test("an explanation has every step of a verified receipt, and the failure of an unverified one")
    func explanationsAreComplete() throws {
        let verifier = try Fixture.verifier()
        let jws = [UInt8](try Fixture.jws().utf8)
        let good = verifier.explain(.jws(jws)).trace.events
        for step in [VerificationStep.structure, .header, .certificates, .chain, .signature, .payload, .effectiveDate] {
            #expect(good.contains { $0.step == step && $0.outcome == .passed })
        }
        #expect(!good.contains { $0.outcome == .failed })
        #expect(verifier.verify(.jws(jws)).trace.events.isEmpty)

        let stranger = try TestAuthority()
        let bad = verifier.explain(.jws([UInt8](try Fixture.jws(by: stranger.signer).utf8)))
        #expect(bad.failure?.code == .untrustedRoot)
        #expect(bad.trace.events.contains { $0.code == .untrustedRoot && $0.expected != nil && $0.actual != nil })
    }
}
