internal import ReceiptTypes
internal import ReceiptVerification

/// A file of the evidence for a receipt: a part of the receipt, or the script that checks the parts.
struct EvidenceFile {
    /// The name, with the names of the folders that it is in.
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    private init(_ name: String, pem bytes: [UInt8], label: String) {
        self.init(name, [UInt8](PEM.encode(bytes, label: label).utf8))
    }

    private init(script: EvidenceScript) {
        self.init("check.sh", [UInt8](script.text.utf8))
    }

    /// Returns the files for a receipt; nil if it has no signature that could be checked.
    static func files(
        for input: ReceiptInput, _ report: ReceiptReport, _ setup: VerificationSetup
    ) throws -> [Self]? {
        switch input {
        case .jws(let jws): try files(forJWS: jws, report, setup, isNested: false)
        case .play(let data, let signature): try files(forPurchase: data, signature, report, setup)
        case .appReceipt(let receipt): try files(forAppReceipt: receipt, report, setup)
        case .unrecognized, .unsearched: nil
        }
    }

    private static func files(
        forJWS jws: [UInt8], _ report: ReceiptReport, _ setup: VerificationSetup, isNested: Bool
    ) throws -> [Self]? {
        guard let evidence = try JWSEvidence(jws) else { return nil }
        let line = jws + [0x0A]
        var files: [Self] = [
            Self("receipt.jws", line),
            Self("payload.json", evidence.payload),
            Self("signing-input.bin", evidence.signingInput),
            Self("signature.der", evidence.signature),
            Self("leaf-public-key.pem", pem: evidence.publicKey, label: "PUBLIC KEY"),
        ]
        let names = Self.names(of: evidence.certificates)
        files += Self.files(
            of: evidence.certificates,
            setup.anchors.root(of: evidence.certificates, preferring: report.anchor?.fingerprint))
        // Receipts inside a notification have no receipts inside them.
        var nested: [(folder: String, receipt: SHA256Digest)] = []
        for (name, receipt) in isNested ? [] : evidence.nested {
            // Without files, the script finds no check of the receipt, and fails.
            nested.append((name, try SHA256Digest.of(bytes: receipt + [0x0A])))
            let report = report.nested.first { $0.name == name }?.report ?? report
            let inner = try Self.files(forJWS: receipt, report, setup, isNested: true) ?? []
            files += inner.map { Self("\(name)/\($0.name)", $0.bytes) }
        }
        let script = EvidenceScript(
            ofJWS: try SHA256Digest.of(bytes: line), with: names,
            trusting: setup.anchors.jwsRoots.map(EvidenceScript.Root.init),
            at: instant(evidence.signingTime, setup.policy.validity), nested: nested, judgement: judgement(report))
        return files + [Self(script: script)]
    }

    private static func files(
        forPurchase data: [UInt8], _ signature: [UInt8], _ report: ReceiptReport, _ setup: VerificationSetup
    ) throws -> [Self]? {
        let package = (try? JSONDocument.value(of: data))?.object?["packageName"]?.text
        guard let bytes = PlayValue.signature(in: signature),
            let key = try setup.playKeys.publicKey(forPackage: package)
        else { return nil }
        let script = EvidenceScript(
            ofPurchase: try SHA256Digest.of(bytes: data), by: try SHA256Digest.of(bytes: key),
            judgement: judgement(report))
        return [
            Self("purchase.json", data), Self("signature.txt", [UInt8]("\(Base64.standard.encode(bytes))\n".utf8)),
            Self("signature.bin", bytes), Self("play-key.pem", pem: key, label: "PUBLIC KEY"), Self(script: script),
        ]
    }

    private static func files(
        forAppReceipt receipt: [UInt8], _ report: ReceiptReport, _ setup: VerificationSetup
    ) throws -> [Self]? {
        guard let evidence = try AppReceiptEvidence(receipt) else { return nil }
        let certificates = evidence.certificates
        let script = EvidenceScript(
            ofAppReceipt: try SHA256Digest.of(bytes: evidence.container), with: names(of: certificates),
            trusting: setup.anchors.appReceiptRoots.map(EvidenceScript.Root.init), hashedWith: evidence.hash,
            at: instant(evidence.creationTime, setup.policy.validity), judgement: judgement(report))
        return [Self("receipt.der", evidence.container), Self("attributes.der", evidence.attributes)]
            + files(of: certificates, try setup.anchors.root(ofAppReceipt: certificates)) + [Self(script: script)]
    }

    // MARK: Certificates

    /// Returns the names of the certificates' files, leaf first.
    private static func names(of certificates: [[UInt8]]) -> [String] {
        certificates.count == 1 ? ["leaf"] : ["leaf", "intermediate", "root"]
    }

    private static func files(of certificates: [[UInt8]], _ root: [UInt8]?) -> [Self] {
        let files =
            zip(names(of: certificates), certificates).map { ($0, $1) } + (root.map { [("trusted-root", $0)] } ?? [])
        return files.map { Self("\($0).pem", pem: $1, label: "CERTIFICATE") }
    }

    // MARK: Facts

    /// Returns what this program says about a receipt; neither part has a character that a shell would interpret.
    private static func judgement(_ report: ReceiptReport) -> String {
        report.verdict.rawValue + (report.failure.map { ", \($0.code)" } ?? "")
    }

    /// Returns the instant at which the certificates must be valid.
    private static func instant(
        _ signingTime: EvidenceTime, _ validity: VerificationPolicy.Validity
    ) -> EvidenceScript.Instant {
        switch (validity, signingTime) {
        // The verdict needs a signing time that can be read, even if it checks the certificates at another time.
        case (_, .unreadable): .unreadable
        case (.now, _), (.signing, .absent): .now
        case (.at(let time), _), (.signing, .at(let time)): .at(time)
        }
    }
}
