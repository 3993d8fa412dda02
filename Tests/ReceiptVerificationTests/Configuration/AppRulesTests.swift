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

    /// Returns a notification about an app with a renewal info, which names none.
    private func notification(
        of app: String, appleID: Int64? = nil, in environment: StoreEnvironment = .sandbox, renewing product: String,
        by inner: TestSigner? = nil
    ) throws -> String {
        let signer = try #require(Fixture.authority).signer
        var info = JWSRenewalInfoDecodedPayload()
        info.autoRenewStatus = .on
        info.productId = product
        info.environment = environment
        info.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        var data = NotificationData()
        data.bundleId = app
        data.appAppleId = appleID
        data.environment = environment
        data.signedRenewalInfo = try (inner ?? signer).sign(info)
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        notification.data = data
        return try signer.sign(notification)
    }

    @Test("a renewal info in a notification has the rules of the notification's app")
    func renewalInfos() throws {
        let testing = try TestAuthority()
        var anchors = try Fixture.anchors(try #require(Fixture.authority))
        try anchors.add(testing.rootCertificate)
        let policy = VerificationPolicy(apps: [
            .init(bundleID: Fixture.bundleID, productIDs: ["pro"], roots: [anchors.anchors[0].fingerprint]),
            .init(bundleID: Self.other),
        ])
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: { Fixture.now })
        func code(_ app: String, _ product: String, by inner: TestSigner? = nil) throws -> VerificationFailure.Code? {
            let jws = try notification(of: app, renewing: product, by: inner)
            return verifier.verify(jws, as: .notification).failure?.code
        }
        #expect(try code(Fixture.bundleID, "pro") == nil)
        #expect(try code(Fixture.bundleID, "gold") == .productIDMismatch)
        #expect(try code(Self.other, "gold") == nil)
        #expect(try code(Fixture.bundleID, "pro", by: testing.signer) == .untrustedRoot)
        #expect(try code(Self.other, "pro", by: testing.signer) == nil)
    }

    @Test("a policy file with several apps accepts the receipts that a file with the receipt's app alone accepts")
    func appsAlone() throws {
        let (real, testing) = (try #require(Fixture.authority), try TestAuthority())
        func root(_ authority: TestAuthority, _ environments: String) -> String {
            "{\"pem\":\(JSONValue.string(authority.rootCertificatePEM)),\"environments\":[\(environments)]}"
        }
        let apps = [
            #"{"bundleId":"app.a","appAppleId":1,"environments":["Production","Sandbox"],"products":["pro"]}"#,
            #"{"bundleId":"app.b","appAppleId":2,"environments":["Sandbox"],"products":["gold"],"#
                + #""roots":[\#(root(testing, #""Sandbox""#))]}"#,
        ]
        func verifier(_ apps: [String]) throws -> ReceiptVerifier {
            let file =
                #"{"schema":"verify-receipt/config-1","onlyGivenRoots":true,"apps":[\#(apps.joined(separator: ","))],"#
                + #""roots":[\#(root(real, #""Production","Sandbox""#))]}"#
            let configuration = try VerificationConfiguration(json: [UInt8](file.utf8))
            return ReceiptVerifier(configuration: configuration, clock: { Fixture.now })
        }
        /// Returns a receipt of each kind, of which each can be of another app in its product, its number or its root.
        func receipts(
            of name: String, _ appleID: Int64, in environment: StoreEnvironment, by signer: TestSigner
        ) throws -> [String] {
            let products = try ["pro", "gold"].flatMap { product in
                [
                    try transaction(of: name, in: environment, product: product, by: signer),
                    try notification(of: name, appleID: appleID, in: environment, renewing: product, by: signer),
                ]
            }
            let downloads = try [Int64(1), 2].map { number in
                try signer.sign(appTransaction(of: name, appleID: number, in: environment))
            }
            return products + downloads
        }
        let all = try verifier(apps)
        var accepted = 0
        for (number, app) in apps.enumerated() {
            let alone = try verifier([app])
            let name = ["app.a", "app.b"][number]
            for environment in [StoreEnvironment.production, .sandbox] {
                for signer in [real.signer, testing.signer] {
                    for jws in try receipts(of: name, Int64(number + 1), in: environment, by: signer) {
                        let input = ReceiptInput.jws([UInt8](jws.utf8))
                        let verdict = all.verify(input).verdict
                        #expect(verdict == alone.verify(input).verdict, "\(name) \(environment) \(jws)")
                        if verdict == .verified { accepted += 1 }
                    }
                }
            }
        }
        // Each app has two pairs of an environment and a root, with a receipt of each kind.
        #expect(accepted == 12)
    }

    private func appTransaction(
        of app: String = Fixture.bundleID, appleID: Int64?, in environment: StoreEnvironment = .sandbox
    ) -> JWSAppTransactionDecodedPayload {
        var payload = JWSAppTransactionDecodedPayload()
        payload.receiptType = environment
        payload.bundleId = app
        payload.appAppleId = appleID
        payload.receiptCreationDate = Timestamp(milliseconds: Fixture.signedAt)
        return payload
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
        let failure = swapped.verify(purchase).failure
        #expect(failure?.code == .bundleIDMismatch)
        #expect(failure?.expected == "an App Store receipt of an accepted app")
        #expect(failure?.actual == Self.other)
    }

    @Test("of two apps with one bundle ID, the Apple ID of the receipt chooses the rules")
    func appleIDs() throws {
        let signer = try #require(Fixture.authority).signer
        func code(
            _ appleID: Int64?, in environment: StoreEnvironment, _ apps: [VerificationPolicy.App]
        ) throws -> VerificationFailure.Code? {
            let jws = try signer.sign(appTransaction(appleID: appleID, in: environment))
            return try Fixture.verifier(policy: VerificationPolicy(apps: apps)).verifyAppTransaction(jws).failure?.code
        }
        let first = VerificationPolicy.App(bundleID: Fixture.bundleID, appAppleID: 1, environments: [.production])
        var second = VerificationPolicy.App(bundleID: Fixture.bundleID, appAppleID: 2, environments: [.sandbox])
        #expect(try code(2, in: .sandbox, [first, second]) == nil)
        #expect(try code(2, in: .production, [first, second]) == .environmentMismatch)
        #expect(try code(1, in: .production, [first, second]) == nil)
        #expect(try code(3, in: .production, [first, second]) == .appAppleIDMismatch)
        // Neither app alone accepts the receipts of Production of another app, or of none.
        second.appAppleID = nil
        #expect(try code(1, in: .production, [first, second]) == nil)
        #expect(try code(3, in: .sandbox, [first, second]) == nil)
        #expect(try code(3, in: .production, [first, second]) == .environmentMismatch)
        #expect(try code(nil, in: .production, [first, second]) == .appAppleIDMismatch)
    }
}
