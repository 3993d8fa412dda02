import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Rules of each app [OTP-9.2]")
struct AppRulesTests {
    private static let other = "com.example.other"

    private func transaction(
        of bundleID: String, in environment: StoreEnvironment = .sandbox, product: String = "pro",
        by signer: TestSigner? = nil
    ) throws -> String {
        var transaction = Fixture.transaction()
        transaction.bundleId = bundleID
        transaction.environment = environment
        transaction.productId = product
        return try #require(signer ?? Fixture.authority?.signer).sign(transaction)
    }

    private func code(_ jws: String, _ policy: VerificationPolicy) throws -> VerificationFailure.Code? {
        try Fixture.verifier(policy: policy).verify(jws, as: .transaction).failure?.code
    }

    @Test("an environment that one app accepts is rejected for another app")
    func environments() throws {
        let policy = VerificationPolicy(
            apps: [
                .init(bundleID: Fixture.bundleID, environments: [.production]),
                .init(bundleID: Self.other, environments: [.sandbox]), .init(bundleID: "com.example.third"),
            ], environments: [.xcode])
        #expect(try code(transaction(of: Fixture.bundleID, in: .production), policy) == nil)
        #expect(try code(transaction(of: Fixture.bundleID, in: .sandbox), policy) == .environmentMismatch)
        #expect(try code(transaction(of: Self.other, in: .sandbox), policy) == nil)
        #expect(try code(transaction(of: Self.other, in: .production), policy) == .environmentMismatch)
        // An app without a rule has that of the policy.
        #expect(try code(transaction(of: "com.example.third", in: .sandbox), policy) == .environmentMismatch)
        #expect(try code(transaction(of: "com.example.fourth", in: .sandbox), policy) == .bundleIDMismatch)
    }

    @Test("products and strictness are those of the receipt's app")
    func productsAndStrictness() throws {
        let policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, environments: [.sandbox], productIDs: ["pro"], isStrict: true),
            .init(bundleID: Self.other, productIDs: ["gold"]),
        ])
        #expect(try code(transaction(of: Fixture.bundleID, product: "pro"), policy) == nil)
        #expect(try code(transaction(of: Fixture.bundleID, product: "gold"), policy) == .productIDMismatch)
        #expect(try code(transaction(of: Self.other, product: "gold"), policy) == nil)
        #expect(try code(transaction(of: Self.other, product: "pro"), policy) == .productIDMismatch)
        var strict = policy
        strict.apps[1].isStrict = true
        // No environment is required of the other app, so it was not checked.
        #expect(try code(transaction(of: Self.other, product: "gold"), strict) == .uncheckedClaim)
    }

    @Test("a root that is trusted for one app verifies no receipt of another app, alone or in a notification")
    func roots() throws {
        let testing = try TestAuthority()
        let real = try #require(Fixture.authority)
        var anchors = try Fixture.anchors(real)
        let testRoot = try anchors.add(testing.rootCertificate)[0].fingerprint
        let realRoot = anchors.anchors[0].fingerprint
        let policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, roots: [realRoot]),
            .init(bundleID: Self.other, roots: [realRoot, testRoot]),
        ])
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: { Fixture.now })
        func code(_ jws: String) -> VerificationFailure.Code? { verifier.verify(jws, as: .transaction).failure?.code }
        #expect(code(try transaction(of: Fixture.bundleID, by: real.signer)) == nil)
        #expect(code(try transaction(of: Self.other, by: testing.signer)) == nil)
        let forged = try transaction(of: Fixture.bundleID, by: testing.signer)
        // The second time, the key is in the cache.
        for _ in 0..<2 { #expect(code(forged) == .untrustedRoot) }
        let trace = verifier.explain(.jws([UInt8](forged.utf8))).trace
        #expect(trace.events.contains { $0.check == "app-root" && $0.outcome == .failed })

        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = forged
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .subscribed
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        notification.data = data
        let report = verifier.verify(try real.signer.sign(notification), as: .notification)
        #expect(report.failure?.code == .nestedUnverified)
        #expect(report.nested.first?.report.failure?.code == .untrustedRoot)
    }

    @Test("a renewal info in a notification has the rules of the notification's app")
    func renewalInfos() throws {
        let policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, productIDs: ["pro"]), .init(bundleID: Self.other),
        ])
        let signer = try #require(Fixture.authority).signer
        func code(product: String, app: String) throws -> VerificationFailure.Code? {
            var info = JWSRenewalInfoDecodedPayload()
            info.autoRenewStatus = .on
            info.productId = product
            info.signedDate = Timestamp(milliseconds: Fixture.signedAt)
            var data = NotificationData()
            data.bundleId = app
            data.environment = .sandbox
            data.signedRenewalInfo = try signer.sign(info)
            var notification = ResponseBodyV2DecodedPayload()
            notification.notificationType = .didRenew
            notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
            notification.data = data
            let verifier = try Fixture.verifier(policy: policy)
            return verifier.verify(try signer.sign(notification), as: .notification).failure?.code
        }
        #expect(try code(product: "pro", app: Fixture.bundleID) == nil)
        #expect(try code(product: "gold", app: Fixture.bundleID) == .productIDMismatch)
        #expect(try code(product: "gold", app: Self.other) == nil)
    }

    @Test("a package name on Google Play is no bundle ID of the App Store")
    func platforms() throws {
        let key = try TestPlayKey(bits: 1024)
        var keys = PlayKeyring()
        keys.add([UInt8](key.publicKey.utf8), forPackage: Self.other)
        let policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, platform: .ios, environments: [.production]),
            .init(bundleID: Self.other, platform: .android, environments: [], isStrict: true),
        ])
        let verifier = try Fixture.verifier(policy: policy, playKeys: keys)
        let data = #"{"packageName":"com.example.other","purchaseState":0,"productId":"pro"}"#
        let purchase = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](try key.sign(data).utf8))
        #expect(verifier.verify(purchase).failure == nil)
        let forged = try transaction(of: Self.other)
        #expect(verifier.verify(forged, as: .transaction).failure?.code == .bundleIDMismatch)
        var swapped = verifier
        swapped.policy.apps[1].platform = .ios
        #expect(swapped.verify(purchase).failure?.code == .bundleIDMismatch)
    }

    @Test("of two apps with one bundle ID, the Apple ID of the receipt chooses the rules")
    func appleIDs() throws {
        var payload = JWSAppTransactionDecodedPayload()
        payload.receiptType = .sandbox
        payload.bundleId = Fixture.bundleID
        payload.appAppleId = 2
        payload.receiptCreationDate = Timestamp(milliseconds: Fixture.signedAt)
        let jws = try #require(Fixture.authority).signer.sign(payload)
        var policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, appAppleID: 1, environments: [.production]),
            .init(bundleID: Fixture.bundleID, appAppleID: 2, environments: [.sandbox]),
        ])
        #expect(try Fixture.verifier(policy: policy).verifyAppTransaction(jws).failure == nil)
        policy.apps[1].environments = [.production]
        #expect(try Fixture.verifier(policy: policy).verifyAppTransaction(jws).failure?.code == .environmentMismatch)
    }
}
