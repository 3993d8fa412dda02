internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// What `explain` says beside the checks, so that another program can repeat them: the certificates and the signature
/// in full, the steps that were not reached, and what the payload of a refused receipt claims.
struct ReceiptFacts {
    private let report: ReceiptReport
    private let certificates: [(index: Int, certificate: UntrustedCertificate)]
    private let signature: [Value]
    private let kind: ReceiptKind?
    private let payload: JSONObject?
    private let redaction: Redaction?
    /// The steps that a receipt of this form goes through, in their order.
    private let steps: [VerificationStep]

    /// - Parameter redaction: The pseudonyms of identifiers. With them there is no signature: its values, and the
    ///   digest of what is signed, would tell which receipt it is.
    init(_ input: ReceiptInput, _ report: ReceiptReport, keys: PlayKeyring, _ redaction: Redaction?) {
        self.report = report
        self.redaction = redaction
        switch input {
        case .jws(let text):
            let receipt = UntrustedReceipt(decoding: text)
            certificates = receipt?.certificates ?? []
            signature = receipt.map(Self.signature) ?? []
            kind = receipt?.kind
            payload = receipt?.payload?.object
            steps = Self.jwsSteps + (kind == .notification ? [.nested] : [])
        case .play(let data, let bytes):
            certificates = []
            kind = .playPurchase
            payload = (try? JSONDocument.value(of: data))?.object
            signature = Self.signature(bytes, of: data, by: keys, payload?["packageName"]?.text)
            steps = Self.playSteps
        case .appReceipt(let bytes):
            let receipt = UntrustedAppReceipt(decoding: bytes)
            certificates = receipt?.certificates ?? []
            signature = receipt.map(Self.signature) ?? []
            kind = .appReceipt
            payload = receipt?.payload?.members
            steps = Self.appReceiptSteps
        case .unrecognized, .unsearched:
            (certificates, signature, kind, payload, steps) = ([], [], nil, nil, [])
        }
    }

    private static let jwsSteps: [VerificationStep] = [
        .input, .structure, .header, .certificates, .chain, .signature, .payload, .effectiveDate, .claims,
    ]
    private static let appReceiptSteps: [VerificationStep] = [
        .input, .structure, .certificates, .chain, .signature, .payload, .effectiveDate, .claims,
    ]
    private static let playSteps: [VerificationStep] = [.input, .key, .signature, .payload, .claims]

    /// The steps after the last one with a check.
    private var unreached: ArraySlice<VerificationStep> {
        guard report.failure != nil else { return [] }
        let reached = Set(report.trace.events.map(\.step))
        return steps[(steps.lastIndex { reached.contains($0) } ?? 0)...].dropFirst()
    }

    /// What the payload of a refused receipt says; nil for a verified receipt.
    private var claims: JSONObject? {
        report.verdict == .verified ? nil : payload.map { redaction?.redacted($0) ?? $0 }
    }

    // MARK: Signature

    /// A value of the signature: its name in text and in JSON.
    private struct Value {
        let title, member, text: String
    }

    private static func signature(of receipt: UntrustedReceipt) -> [Value] {
        let digest = signed(receipt.signingInputDigest)
        guard let bytes = receipt.signature, bytes.count == 64 else {
            let found = receipt.signature.map { "\($0.count) bytes instead of 64" } ?? "not base64url"
            return [digest, Value(title: "signature", member: "problem", text: found)]
        }
        return [
            digest, Value(title: "r", member: "r", text: Hexadecimal.encode(bytes.prefix(32))),
            Value(title: "s", member: "s", text: Hexadecimal.encode(bytes.dropFirst(32))),
        ]
    }

    private static func signature(of receipt: UntrustedAppReceipt) -> [Value] {
        [
            signed(receipt.contentDigest),
            Value(title: "signature", member: "signature", text: Hexadecimal.encode(receipt.signature)),
        ]
    }

    private static func signature(
        _ text: [UInt8], of data: [UInt8], by keys: PlayKeyring, _ package: String?
    ) -> [Value] {
        var values = (try? SHA256Digest.of(bytes: data)).map { [signed($0)] } ?? []
        if let bytes = PlayValue.signature(in: text) {
            values.append(Value(title: "signature", member: "signature", text: Hexadecimal.encode(bytes)))
        } else {
            values.append(Value(title: "signature", member: "problem", text: "not base64"))
        }
        if let key = try? keys.publicKey(forPackage: package), let digest = try? SHA256Digest.of(bytes: key) {
            values.append(Value(title: "SHA-256 of the key", member: "keySha256", text: digest.description))
        }
        return values
    }

    private static func signed(_ digest: SHA256Digest) -> Value {
        Value(title: "SHA-256 of what is signed", member: "signedSha256", text: digest.description)
    }

    // MARK: Output

    private static let nameWidth = 34

    /// The facts as text.
    func lines(_ style: TerminalStyle) -> [Escaped] {
        func line(_ name: String, _ text: String) -> Escaped {
            "  \((Escaped(name) + "  ").padded(to: Self.nameWidth))\(text)"
        }
        var lines: [Escaped] = []
        if !unreached.isEmpty {
            lines += ["", "Not reached: \(unreached.map(\.title).joined(separator: ", "))"]
        }
        for (index, certificate) in certificates {
            lines += [
                "", style.bold(kind == .appReceipt ? "Certificate \(index)" : "Certificate x5c[\(index)]"),
                line("subject", certificate.subject),
                line("serial", certificate.serialNumber), line("SHA-256", certificate.fingerprint.description),
                line("key", certificate.key), line("valid", "\(certificate.notBefore) to \(certificate.notAfter)"),
            ]
        }
        if redaction == nil, !signature.isEmpty {
            lines += ["", style.bold("Values of the signature")] + signature.map { line($0.title, $0.text) }
        }
        if let kind, let claims {
            let source = SummaryField.Source(kind: kind, payload: claims)
            let values = SummaryField.fields(of: kind).flatMap { field in
                field.texts(in: source).enumerated().map { line($0 == 0 ? field.label : "", $1) }
            }
            if !values.isEmpty { lines += ["", style.bold("What the payload claims, not verified")] + values }
        }
        return lines
    }

    /// Adds the facts to the JSON object of a result.
    func fill(_ object: inout JSONObject) {
        object["unreached"] = .array(unreached.map { .string($0.rawValue) })
        object["certificates"] = .array(certificates.map { $0.certificate.json(index: $0.index) })
        var values = JSONObject()
        if redaction == nil { for value in signature { values[value.member] = .string(value.text) } }
        object["signature"] = .object(values)
        object["unverifiedPayload"] = claims.map(JSONValue.object) ?? .null
    }
}
