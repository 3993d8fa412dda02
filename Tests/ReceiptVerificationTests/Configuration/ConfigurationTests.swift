import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Policy files")
struct ConfigurationTests {
    private struct NoSuchFile: Error {}

    /// Reads a policy file whose app and members are given; `root.der` and `key.txt` exist.
    private func read(
        app: String = #"{"bundleId":"com.example.app","environments":["Sandbox"]}"#, _ members: String = ""
    ) throws -> VerificationConfiguration {
        try read(text: #"{"schema":"verify-receipt/config-1","apps":[\#(app)]\#(members)}"#)
    }

    private static let playKey = try? TestPlayKey(bits: 1024)

    private func read(text: String) throws -> VerificationConfiguration {
        let root = try #require(Fixture.authority).rootCertificate
        let key = [UInt8](try #require(Self.playKey).publicKey.utf8)
        return try VerificationConfiguration(json: [UInt8](text.utf8)) { name in
            switch name {
            case "root.der": return root
            case "key.txt": return key
            default: throw NoSuchFile()
            }
        }
    }

    private func error(_ body: () throws -> VerificationConfiguration) -> VerificationConfigurationError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? VerificationConfigurationError
        }
    }

    @Test("each member of a file becomes a part of the policy, the roots or the keys")
    func members() throws {
        let configuration = try read(
            app: #"""
                {"bundleId":"com.example.app","appAppleId":77,"environments":["Sandbox","Xcode"],"products":["pro"],
                 "playPackage":"com.example.play","playKeyFile":"key.txt","strict":false,
                 "roots":[{"file":"root.der","environments":["Sandbox"]}]},
                {"bundleId":"com.example.other","environments":["Production"]}
                """#,
            #","kinds":["transaction","playPurchase"],"strict":true,"refuseRevoked":true,"distrust":["\#(Self.digest)"]"#
        )
        let apple = Set(TrustAnchors.apple.anchors.map(\.fingerprint))
        let given = try #require(configuration.trustAnchors.anchors.last)
        var expected = VerificationPolicy(
            apps: [
                .init(
                    bundleID: "com.example.app", appAppleID: 77, platform: .ios, environments: [.sandbox, .xcode],
                    productIDs: ["pro"], isStrict: false, roots: apple.union([given.fingerprint])),
                .init(
                    bundleID: "com.example.play", platform: .android, environments: [], productIDs: ["pro"],
                    isStrict: false),
                .init(
                    bundleID: "com.example.other", platform: .ios, environments: [.production], productIDs: [],
                    isStrict: true, roots: apple),
            ],
            environments: [.production, .sandbox, .xcode], kinds: [.transaction, .playPurchase], isStrict: true,
            refusesRevokedPurchases: true)
        expected.distrustedCertificates = [try #require(SHA256Digest(hexadecimal: Self.digest))]
        #expect(configuration.policy == expected)
        #expect(given.environments == [.sandbox])
        #expect(configuration.trustAnchors.anchors.count == 3)
        #expect(configuration.playKeys.packages == ["com.example.play"])
    }

    private static let digest = String(repeating: "0a", count: 32)

    @Test("a file can distrust a certificate by its name or its text, beside digests")
    func distrust() throws {
        let configuration = try read(#","distrust":["\#(Self.digest)",{"file":"root.der"}]"#)
        var expected = VerificationPolicy()
        try expected.distrust(try #require(Fixture.authority).rootCertificate)
        expected.distrustedCertificates.insert(try #require(SHA256Digest(hexadecimal: Self.digest)))
        #expect(configuration.policy.distrustedCertificates == expected.distrustedCertificates)
    }

    @Test("a verifier of a file applies it, and roots without Apple's are possible")
    func verifier() throws {
        let configuration = try read(
            #","onlyGivenRoots":true,"roots":[{"file":"root.der","environments":["Sandbox"]}]"#)
        #expect(configuration.policy.apps[0].roots == nil)
        let verifier = ReceiptVerifier(configuration: configuration, clock: { Fixture.now })
        #expect(verifier.verifyTransaction(try Fixture.jws()).failure == nil)
        var transaction = Fixture.transaction()
        transaction.environment = .production
        let jws = try #require(Fixture.authority).signer.sign(transaction)
        #expect(verifier.verifyTransaction(jws).failure?.code == .rootEnvironmentMismatch)
    }

    @Test(
        "a receipt that names no app is rejected if one of the apps is strict, and has the environment of one of them")
    func receiptsWithoutApp() throws {
        var info = JWSRenewalInfoDecodedPayload()
        info.autoRenewStatus = .on
        info.environment = .sandbox
        info.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        let signer = try #require(Fixture.authority).signer
        func code(_ app: String) throws -> VerificationFailure.Code? {
            let configuration = try read(
                app: app,
                #","onlyGivenRoots":true,"roots":[{"file":"root.der","environments":["Sandbox","Production"]}]"#)
            let verifier = ReceiptVerifier(configuration: configuration, clock: { Fixture.now })
            return verifier.verify(try signer.sign(info), as: .renewalInfo).failure?.code
        }
        let sandbox = #"{"bundleId":"a","environments":["Sandbox"]}"#
        #expect(try code(sandbox) == nil)
        #expect(try code(#"{"playPackage":"b","playKeyFile":"key.txt"}"#) == .bundleIDMismatch)
        #expect(try code(#"{"bundleId":"b","environments":["Production"]}"#) == .environmentMismatch)
        #expect(
            try code(#"{"bundleId":"b","environments":["Production"],"strict":true},\#(sandbox)"#) == .uncheckedClaim)
    }

    /// What is wrong, the file, and the code and the path of the error.
    private static let wrong:
        [(app: String?, members: String, code: VerificationConfigurationError.Code, path: String)] =
            [
                (#"{"bundelId":"a","environments":["Sandbox"]}"#, "", .unknownMember, "apps[0]"),
                (#"{"bundleId":7,"environments":["Sandbox"]}"#, "", .wrongType, "apps[0].bundleId"),
                (#"{"bundleId":"a b","environments":["Sandbox"]}"#, "", .wrongValue, "apps[0].bundleId"),
                (#"{"bundleId":"","environments":["Sandbox"]}"#, "", .wrongValue, "apps[0].bundleId"),
                (
                    #"{"bundleId":null,"playPackage":"a","playKeyFile":"key.txt"}"#, "", .missingMember,
                    "apps[0].environments"
                ),
                (#"{"bundleId":"a"}"#, "", .missingMember, "apps[0].environments"),
                (#"{"bundleId":"a","environments":[]}"#, "", .wrongValue, "apps[0].environments"),
                (#"{"bundleId":"a","environments":["sandbox"]}"#, "", .wrongValue, "apps[0].environments[0]"),
                (#"{"bundleId":"a","environments":["Sandbox","Sandbox"]}"#, "", .wrongValue, "apps[0].environments[1]"),
                (
                    #"{"bundleId":"a","environments":["Sandbox"],"appAppleId":"7"}"#, "", .wrongType,
                    "apps[0].appAppleId"
                ),
                (#"{"bundleId":"a","environments":["Sandbox"],"appAppleId":0}"#, "", .wrongValue, "apps[0].appAppleId"),
                (
                    #"{"bundleId":"a","environments":["Sandbox"],"appAppleId":1.5}"#, "", .wrongType,
                    "apps[0].appAppleId"
                ),
                (#"{"bundleId":"a","environments":["Sandbox"],"strict":"true"}"#, "", .wrongType, "apps[0].strict"),
                (#"{}"#, "", .missingMember, "apps[0]"),
                (#"{"playPackage":"a"}"#, "", .missingMember, "apps[0]"),
                (#"{"playPackage":"a","playKey":"x","playKeyFile":"key.txt"}"#, "", .wrongValue, "apps[0]"),
                (#"{"playPackage":"a","playKey":"AAAA"}"#, "", .invalidKey, "apps[0].playKey"),
                (#"{"playPackage":"a","playKeyFile":"no.txt"}"#, "", .unreadableFile, "apps[0].playKeyFile"),
                (
                    #"{"bundleId":"a","environments":["Sandbox"],"playKeyFile":"key.txt"}"#, "", .missingMember,
                    "apps[0].playPackage"
                ),
                (
                    #"{"bundleId":"a","environments":["Sandbox"]},{"bundleId":"a","environments":["Xcode"]}"#, "",
                    .wrongValue, "apps[1].bundleId"
                ),
                (nil, #","roots":[{"file":"root.der"}]"#, .missingMember, "roots[0].environments"),
                (nil, #","roots":[{"environments":["Sandbox"]}]"#, .missingMember, "roots[0]"),
                (nil, #","roots":[{"file":"no.der","environments":["Sandbox"]}]"#, .unreadableFile, "roots[0].file"),
                (nil, #","roots":[{"pem":"no root","environments":["Sandbox"]}]"#, .invalidRoot, "roots[0].pem"),
                (
                    nil,
                    #","roots":[{"file":"root.der","environments":["Sandbox"]},{"file":"root.der","environments":["Xcode"]}]"#,
                    .invalidRoot, "roots[1].file"
                ),
                (nil, #","kinds":["renewal-info"]"#, .wrongValue, "kinds[0]"),
                (nil, #","distrust":["abc"]"#, .wrongValue, "distrust[0]"),
                (nil, #","distrust":[7]"#, .wrongType, "distrust[0]"),
                (nil, #","distrust":[{}]"#, .missingMember, "distrust[0]"),
                (nil, #","distrust":[{"file":"root.der","pem":"x"}]"#, .wrongValue, "distrust[0]"),
                (nil, #","distrust":[{"file":"no.der"}]"#, .unreadableFile, "distrust[0].file"),
                (nil, #","distrust":[{"pem":"no certificate"}]"#, .invalidCertificate, "distrust[0].pem"),
                (nil, #","distrust":[{"file":"root.der"},{"file":"root.der"}]"#, .wrongValue, "distrust[1]"),
                (nil, #","strict":1"#, .wrongType, "strict"),
                (nil, #","root":[]"#, .unknownMember, ""),
                (nil, #","strict":true,"strict":false"#, .duplicateMember, ""),
                (nil, #","kinds":[[[[[[[[1]]]]]]]]"#, .tooLarge, ""),
                (nil, ",", .malformed, ""),
            ]

    @Test("every mistake is an error with its place, and never a policy", arguments: wrong.indices)
    func mistakes(index: Int) throws {
        let (app, members, code, path) = Self.wrong[index]
        let found = error { try app.map { try read(app: $0, members) } ?? read(members) }
        #expect(found?.code == code, "\(app ?? "") \(members)")
        #expect(found?.path == path, "\(app ?? "") \(members)")
    }

    @Test("an error names the nearest known name, and the line of what is no JSON")
    func hints() throws {
        let unknown = error { try read(app: #"{"bundelId":"a"}"#) }
        #expect(unknown?.hint == "did you mean bundleId")
        #expect(error { try read(#","kinds":["renewal-info"]"#) }?.hint == "did you mean renewalInfo")
        let duplicate = error { try read("\n,\"strict\":true\n,\n\"strict\":false") }
        #expect(duplicate?.line == 4)
        #expect(error { try read("\n\n}") }?.line == 3)
        #expect(error { try read(text: "[]") }?.code == .wrongType)
        #expect(error { try read(text: #"{"apps":[]}"#) }?.path == "schema")
        #expect(error { try read(text: #"{"schema":"verify-receipt/config-2","apps":[]}"#) }?.code == .wrongValue)
    }

    @Test("a file, a list and a string have a largest size")
    func bounds() throws {
        let blanks = String(repeating: " ", count: ConfigurationLimits.size)
        #expect(error { try read(text: blanks) }?.code == .malformed)
        #expect(error { try read(text: blanks + " ") }?.code == .tooLarge)
        let apps = (0...ConfigurationLimits.apps).map { #"{"bundleId":"a\#($0)","environments":["Sandbox"]}"# }
        #expect(try read(app: apps.dropLast().joined(separator: ",")).policy.apps.count == ConfigurationLimits.apps)
        #expect(error { try read(app: apps.joined(separator: ",")) }?.code == .tooLarge)
        let id = String(repeating: "a", count: 256)
        let long = error { try read(app: #"{"bundleId":"\#(id)","environments":["Sandbox"]}"#) }
        #expect(long?.code == .wrongValue)
        #expect((long?.message.utf8.count ?? 1000) < 300, "a message does not repeat a long name")
    }

    @Test("a certificate that another one has issued is no root, and a local one is only for local environments")
    func certificates() throws {
        let authority = try #require(Fixture.authority)
        func pem(_ der: [UInt8], _ environment: String) -> String {
            let text = JSONValue.string(PEM.encode(der, label: "CERTIFICATE")).description
            return #","roots":[{"pem":\#(text),"environments":["\#(environment)"]}]"#
        }
        #expect(error { try read(pem(authority.intermediateCertificate, "Sandbox")) }?.code == .invalidRoot)
        let local = try TestAuthority.makeLocalSigner().chain[0]
        #expect(error { try read(pem(local, "Sandbox")) }?.code == .invalidRoot)
        #expect(try read(pem(local, "Xcode")).trustAnchors.anchors.count == 3)
        #expect(try read(pem(authority.rootCertificate, "Sandbox")).trustAnchors.anchors.count == 3)
    }

    @Test("what is allowed and often a mistake is a warning")
    func warnings() throws {
        func codes(_ app: String, _ members: String = "") throws -> [ConfigurationWarning.Code] {
            try read(app: app, members).warnings.map(\.code)
        }
        let app = #"{"bundleId":"a","environments":["Production"]}"#
        let root = #","roots":[{"file":"root.der","environments":["#
        #expect(try codes(app) == [])
        #expect(try codes(#"{"bundleId":"a","environments":["Sandbox"]}"#, root + #""Sandbox"]}]"#) == [])
        #expect(
            try codes(#"{"bundleId":"a","environments":["Production","Sandbox"]}"#) == [.testPurchasesAccepted])
        #expect(try codes(app, root + #""Production"]}]"#) == [.givenRootForProduction])
        #expect(try codes(app, root + #""Sandbox"]}]"#) == [.unusedRoot])
        #expect(try codes(#"{"bundleId":"a","environments":["Xcode"]}"#) == [.environmentWithoutRoot])
        #expect(try codes(app, #","onlyGivenRoots":true"#) == [.environmentWithoutRoot])
        // A distrusted root signs nothing.
        let distrusted = #","distrust":[{"file":"root.der"}]"#
        #expect(try codes(app, root + #""Production"]}]"# + distrusted) == [.unusedRoot])
        #expect(
            try codes(app, root + #""Production"]}],"onlyGivenRoots":true"# + distrusted)
                == [.environmentWithoutRoot, .unusedRoot])
    }

    @Test("what is distrusted is listed as digests and certificates, and a digest is listed once in any spelling")
    func distrusted() throws {
        let app = #"{"bundleId":"a","environments":["Production"]}"#
        let digest = String(repeating: "ab", count: 32)
        let found = try read(app: app, #","distrust":["\#(digest.uppercased())",{"file":"root.der"}]"#).distrusted
        #expect(found.count == 2 && found[0] == "the digest \(digest)")
        #expect(found[1].hasSuffix("and its key"))
        let twice = error { try read(app: app, #","distrust":["\#(digest)","\#(digest.uppercased())"]"#) }
        #expect(twice?.code == .wrongValue && twice?.message.contains("each value once") == true)
    }
}
