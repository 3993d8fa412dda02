import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Claims that are required and missing")
struct MissingClaimsTests {
    private static let policy = VerificationPolicy(
        apps: [.init(bundleID: Fixture.bundleID)], environments: [.sandbox], productIDs: ["com.example.app.pro"]
    )

    private static var renewalInfo: JWSRenewalInfoDecodedPayload {
        var renewalInfo = JWSRenewalInfoDecodedPayload()
        renewalInfo.originalTransactionId = "1"
        renewalInfo.productId = "com.example.app.pro"
        renewalInfo.autoRenewStatus = .on
        renewalInfo.environment = .sandbox
        renewalInfo.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        return renewalInfo
    }

    @Test("[OTP-9.2] the report on a renewal info says that its app was not checked, and a strict policy rejects it")
    func renewalInfoNamesNoApp() throws {
        let jws = try #require(Fixture.authority).signer.sign(Self.renewalInfo)
        var verifier = try Fixture.verifier(policy: Self.policy)
        #expect(verifier.verifyRenewalInfo(jws).verdict == .verified)
        let report = verifier.verify(jws, as: .renewalInfo)
        #expect(report.verdict == .verified)
        #expect(report.uncheckedClaims == ["bundleId"])
        #expect(report.missingClaims == ["bundleId"])
        #expect(verifier.verify(jws, as: .transaction).failure?.code == .kindMismatch)
        verifier.policy.isStrict = true
        let failure = verifier.verify(jws, as: .renewalInfo).failure
        #expect(failure?.code == .uncheckedClaim)
        #expect(
            failure?.hint == "a renewal info does not have it: verify it inside its notification, or do not be strict")
        #expect(verifier.verifyRenewalInfo(jws).failure?.code == .uncheckedClaim)
    }

    @Test("[OTP-9.2] a required product that a transaction does not name is missing, and a strict policy rejects it")
    func productIsMissing() throws {
        var transaction = Fixture.transaction()
        var verifier = try Fixture.verifier(policy: Self.policy)
        let signer = try #require(Fixture.authority).signer
        #expect(verifier.verify(try signer.sign(transaction), as: .transaction).missingClaims == [])
        transaction.productId = nil
        let report = verifier.verify(try signer.sign(transaction), as: .transaction)
        #expect(report.verdict == .verified)
        #expect(report.missingClaims == ["productId"])
        #expect(report.uncheckedClaims == ["productId"])
        verifier.policy.isStrict = true
        #expect(verifier.verifyTransaction(try signer.sign(transaction)).failure?.code == .uncheckedClaim)
    }

    @Test("[OTP-9.2] a required Apple ID is missing from a Google Play purchase, which has only a package name")
    func playPurchaseHasNoAppleID() throws {
        let key = try TestPlayKey(bits: 1024)
        var verifier = try Fixture.verifier(playKey: key)
        verifier.policy = VerificationPolicy(apps: [.init(bundleID: Fixture.bundleID, appAppleID: 77)])
        let data = #"{"packageName":"com.example.app","purchaseState":0,"productId":"pro"}"#
        let report = verifier.verify(.play(data: [UInt8](data.utf8), signature: [UInt8](try key.sign(data).utf8)))
        #expect(report.verdict == .verified)
        #expect(report.missingClaims == ["appAppleId"])
        verifier.policy.isStrict = true
        verifier.policy.environments = [.production]
        let failure = verifier.verify(
            .play(data: [UInt8](data.utf8), signature: [UInt8](try key.sign(data).utf8))
        ).failure
        #expect(failure?.code == .uncheckedClaim)
        #expect(
            failure?.hint
                == "a Google Play purchase does not have it: require less of such receipts, or do not be strict")
    }

    @Test("[CARD-6] a batch counts the verified receipts without a required claim and names it in their results")
    func batchCountsMissingClaims() throws {
        let jws = try #require(Fixture.authority).signer.sign(Self.renewalInfo)
        let good = try Fixture.jws()
        let batch = BatchVerifier(verifier: try Fixture.verifier(policy: Self.policy))
        var output: [UInt8] = []
        let source = BatchSource(name: "a", bytes: [UInt8]("\(jws)\n\(good)\n\(jws)".utf8))
        let summary = try batch.run([source]) { lines, _ in output += lines }
        #expect(summary.missingClaims == ["bundleId": 2])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(lines.map { $0.contains(#""missing":["bundleId"]"#) } == [true, false, true])
        #expect(BatchSummary(json: summary.json) == summary)
    }
}

@Suite("Several receipts in one input")
struct InputReportTests {
    private static let data = #"{"packageName":"com.example.app","purchaseState":0,"productId":"pro"}"#

    @Test("[OTP-7.4] a valid JWS does not hide a Google Play purchase with a bad signature beside it")
    func worstVerdictCounts() throws {
        let key = try TestPlayKey(bits: 1024)
        let verifier = try Fixture.verifier(playKey: key)
        let jws = try Fixture.jws()
        let good = try key.sign(Self.data)
        let bad = try key.sign(Self.data + " ")
        let inputs: [(signature: String, jws: String, verdict: Verdict, code: VerificationFailure.Code?)] = [
            (good, jws, .verified, nil), (bad, jws, .unverified, .signatureInvalid),
            (good, String(jws.dropLast(90)), .unverified, .segmentCount),
            (good, jws + "=", .unverified, .encoding),
        ]
        for input in inputs {
            let object: JSONObject = [
                "jws": .string(input.jws), "data": .string(Self.data), "signature": .string(input.signature),
            ]
            let report = verifier.verifyInput([UInt8](object.description.utf8))
            #expect(report.reports.count == 2)
            #expect(report.verdict == input.verdict)
            #expect(report.failure?.code == input.code)
            #expect(
                verifier.verifyReceiptSignature(object.description, platform: .ios).isFailure,
                "one purchase is expected, not two"
            )
        }
        #expect(verifier.verifyInput([UInt8]("hello".utf8)).failure?.code == .formatUnrecognized)
    }

    @Test("the verdict on two receipts is the worse one")
    func verdictsCombine() {
        #expect(Verdict.verified.combined(with: .verified) == .verified)
        #expect(Verdict.verified.combined(with: .undecided) == .undecided)
        #expect(Verdict.unverified.combined(with: .undecided) == .unverified)
        #expect(Verdict.undecided.combined(with: .unverified) == .unverified)
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Fixture {
    fileprivate static func verifier(playKey: TestPlayKey) throws -> ReceiptVerifier {
        var keys = PlayKeyring()
        keys.add([UInt8](playKey.publicKey.utf8), forPackage: bundleID)
        return ReceiptVerifier(
            trustAnchors: try anchors(try #require(authority)), playKeys: keys, clock: { now }
        )
    }
}
