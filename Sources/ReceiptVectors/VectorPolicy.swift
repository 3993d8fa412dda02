internal import ReceiptTypes
internal import ReceiptVerification

extension VerificationPolicy {
    /// Reads the policy of a group or a test; nil if a member is unknown or has an unexpected value.
    init?(vector object: JSONObject, maximumSize: Int64?) {
        let known = [
            "apps", "environments", "kinds", "productIds", "strict", "refusesRevoked", "validity", "maximumSize",
            "distrusted", "device",
        ]
        guard object.members.allSatisfy({ known.contains($0.name) }) else { return nil }
        var policy = VerificationPolicy()
        for app in object["apps"]?.elements ?? [] {
            guard let bundleID = app.object?["bundleId"]?.text else { return nil }
            policy.apps.append(.init(bundleID: bundleID, appAppleID: app.object?["appAppleId"]?.integer))
        }
        policy.environments = Set(object["environments"]?.texts.map(StoreEnvironment.init(rawValue:)) ?? [])
        let kinds = object["kinds"]?.texts ?? []
        policy.kinds = Set(kinds.compactMap(ReceiptKind.init(name:)))
        guard policy.kinds.count == kinds.count else { return nil }
        policy.productIDs = Set(object["productIds"]?.texts ?? [])
        let distrusted = object["distrusted"]?.texts ?? []
        policy.distrustedCertificates = Set(distrusted.compactMap(SHA256Digest.init(hexadecimal:)))
        guard policy.distrustedCertificates.count == distrusted.count else { return nil }
        policy.isStrict = object["strict"] == .boolean(true)
        policy.refusesRevokedPurchases = object["refusesRevoked"] == .boolean(true)
        if let validity = object["validity"]?.text {
            switch validity {
            case "signing": policy.validity = .signing
            case "now": policy.validity = .now
            default:
                guard let instant = Timestamp(rfc3339: validity) else { return nil }
                policy.validity = .at(instant)
            }
        }
        if let text = object["device"]?.text {
            guard let device = DeviceID(text) else { return nil }
            policy.device = device
        }
        if let size = (object["maximumSize"]?.integer ?? maximumSize).flatMap({ Int(exactly: $0) }) {
            policy.maximumSize = size
        }
        self = policy
    }
}

extension TrustAnchors {
    /// Reads the roots of a group; nil if one of them cannot be read.
    init?(vector roots: JSONValue?, isForAppReceipts: Bool = false) {
        self.init()
        for root in roots?.elements ?? [] {
            guard add(vector: root, isForAppReceipts: isForAppReceipts) else { return nil }
        }
    }

    /// Adds a root: the certificate, or an object with the certificate, its environments, and whether it is to count as
    /// built in, for receipts of the group's format or for JWS. Returns false if the root cannot be read.
    private mutating func add(vector root: JSONValue, isForAppReceipts: Bool) -> Bool {
        let object = root.object ?? ["certificate": root]
        guard let der = object["certificate"]?.text.flatMap(Base64.standard.decode) else { return false }
        let isForJWS = object["builtIn"] == .string("jws")
        if isForJWS || object["builtIn"] == .boolean(true) {
            guard let certificate = try? Certificate(der: der), let digest = try? SHA256Digest.of(bytes: der) else {
                return false
            }
            addBuiltIn(digest, subject: certificate.subject, isForAppReceipts: isForAppReceipts && !isForJWS)
            return true
        }
        let environments = object["environments"]?.texts.map(StoreEnvironment.init(rawValue:))
        return (try? add(der, environments: environments.map(Set.init))) != nil
    }
}

extension JSONValue {
    var texts: [String] { elements?.compactMap(\.text) ?? [] }
}

extension JSONObject {
    /// The expected verdict of a test with its failure code or, if the test has one, its kind, and with the required
    /// claims that are missing and the contents, if the test lists them.
    var expectedVerdict: String {
        let verdict = self["verdict"]?.text ?? "no verdict"
        let detail = self["code"]?.text ?? self["kind"]?.text
        return Self.words(verdict, detail, missing: self["missing"]?.texts, contents: self["contents"])
    }

    fileprivate static func words(
        _ verdict: String,
        _ detail: String?,
        missing: [String]?,
        contents: JSONValue?
    ) -> String {
        let claims = missing.map { "missing [\($0.joined(separator: ", "))]" }
        return [verdict, detail, claims, contents?.description].compactMap(\.self).joined(separator: " ")
    }
}

extension ReceiptReport {
    /// Returns the outcome of a test, with the actual verdict in the form of ``JSONObject/expectedVerdict``.
    func outcome(for test: JSONObject) -> VectorRunner.Outcome {
        let detail = failure?.code.rawValue ?? (test["kind"] == nil ? nil : kind?.rawValue)
        let actual = payload.map(JSONValue.object) ?? .null
        // The order of the members does not matter.
        let contents = test["contents"].map { $0 == actual ? $0 : actual }
        return .init(
            expected: test.expectedVerdict,
            actual: JSONObject.words(
                verdict.rawValue, detail, missing: test["missing"] == nil ? nil : missingClaims, contents: contents
            )
        )
    }
}
