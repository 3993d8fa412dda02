internal import CommandLineInterface
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// A file with a receipt for the tests of a verifier, and the result that it must have.
struct Specimen {
    let name: String
    let kind: ReceiptKind
    /// The flaw; nil for a receipt without flaws.
    let flaw: ReceiptFlaw?
    let text: String
    /// The command line of `verify` that leads to the result.
    let arguments: [String]
}

/// One receipt with each flaw, one of each kind without flaws, and the files that a verifier needs.
struct Specimens {
    /// The name of the list of all specimens.
    static let listName = "specimens.jsonl"

    private(set) var specimens: [Specimen] = []
    private var trustFiles: [(name: String, bytes: [UInt8])] = []
    private let request: MintRequest

    init(
        _ request: MintRequest, _ authority: TestAuthority, _ playKey: TestPlayKey, _ appReceipts: AppReceiptAuthority
    ) throws {
        self.request = request
        trustFiles = [
            (AppReceiptAuthority.rootFileName, appReceipts.rootCertificate),
            ("root.der", authority.rootCertificate), ("root.pem", [UInt8](authority.rootCertificatePEM.utf8)),
            (TestPlayKey.publicFileName, Self.line(playKey.publicKey)),
        ]
        var payloads = MintedPayloads(request: request, signer: authority.signer)
        for kind in ReceiptKind.allCases {
            let payload = try payloads.next(kind)
            let text =
                switch kind {
                case .playPurchase: try playKey.sign(payload)
                case .appReceipt: try appReceipts.signer().sign(payload)
                default: try authority.signer.sign(payload)
                }
            let name = "good-\(Self.name(of: kind))\(Self.fileEnding(of: kind))"
            specimens.append(
                Specimen(name: name, kind: kind, flaw: nil, text: text, arguments: arguments(for: name, kind)))
        }
        for flaw in ReceiptFlaw.all {
            guard let kind = flaw.kinds.first else { continue }
            let receipt = try flaw.makeReceipt(
                from: try payloads.next(kind), by: authority, playKey: { playKey }, appReceipts: { appReceipts },
                at: request.now)
            try add(receipt, kind)
        }
    }

    private mutating func add(_ receipt: FlawedReceipt, _ kind: ReceiptKind) throws {
        let flaw = receipt.flaw
        let name = "\(flaw.name)\(Self.fileEnding(of: kind))"
        if flaw.condition == .ownRoot { trustFiles.append(("\(flaw.name)-root.der", receipt.rootCertificate)) }
        if flaw.condition == .ownPlayKey, let key = receipt.playKey {
            trustFiles.append(("\(flaw.name)-key.txt", Self.line(key.publicKey)))
        }
        specimens.append(
            Specimen(
                name: name, kind: kind, flaw: flaw, text: receipt.text,
                arguments: try arguments(for: name, receipt)))
    }

    private static func line(_ text: String) -> [UInt8] { [UInt8]((text + "\n").utf8) }

    /// The name of a kind on the command line.
    private static func name(of kind: ReceiptKind) -> String {
        kind.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }

    private static func fileEnding(of kind: ReceiptKind) -> String {
        switch kind {
        case .playPurchase: ".json"
        case .appReceipt: ".b64"
        default: ".jws"
        }
    }

    // MARK: Command lines

    /// The name of the file of the root for receipts of a kind.
    private static func rootName(of kind: ReceiptKind) -> String {
        kind == .appReceipt ? AppReceiptAuthority.rootFileName : "root.der"
    }

    /// Returns the operands and options of `verify`, relative to the folder.
    private func arguments(
        for name: String, _ kind: ReceiptKind = .transaction, root: [String]? = nil,
        environment: StoreEnvironment? = nil, more: [String] = []
    ) -> [String] {
        [name] + (root ?? ["--root", Self.rootName(of: kind), "--only-given-roots"]) + [
            "--bundle-id", "\(request.bundleID)=\(request.appAppleID)",
            "--environment", (environment ?? request.environment).rawValue, "--product-id", request.productID,
            "--play-key", "\(request.bundleID)=\(TestPlayKey.publicFileName)",
        ] + more
    }

    private func arguments(for name: String, _ receipt: FlawedReceipt) throws -> [String] {
        switch receipt.flaw.condition {
        case .none: arguments(for: name, receipt.flaw.kinds.first ?? .transaction)
        case .kind(let kind): arguments(for: name, more: ["--kind", Self.name(of: kind)])
        case .noRevokedPurchases: arguments(for: name, more: ["--refuse-revoked"])
        case .strictness: arguments(for: name, more: ["--strict"])
        case .strictnessBesideBuiltInRoot:
            arguments(for: name, root: ["--root", "root.der"], environment: .production, more: ["--strict"])
        case .rootOfOtherEnvironment:
            arguments(for: name, root: ["--root", "root.der=\(StoreEnvironment.xcode.rawValue)", "--only-given-roots"])
        case .distrustedLeaf:
            arguments(
                for: name,
                more: ["--distrust", "\(try SHA256Digest.of(bytes: receipt.leafCertificate ?? []))"])
        case .otherDevice:
            arguments(for: name, .appReceipt, more: ["--device-id", ReceiptFlaw.Condition.otherDeviceID])
        case .ownRoot:
            arguments(for: name, root: ["--root", "\(receipt.flaw.name)-root.der", "--only-given-roots"])
        case .ownPlayKey:
            arguments(
                for: name,
                more: ["--play-key", "\(receipt.playKey?.package ?? "")=\(receipt.flaw.name)-key.txt"])
        }
    }

    // MARK: Files

    /// All files; the first one is the list.
    var files: [(name: String, bytes: [UInt8])] {
        [(Self.listName, list)] + trustFiles + specimens.map { ($0.name, Self.line($0.text)) }
    }

    private var list: [UInt8] {
        specimens.flatMap { Self.line(OutputSchema.specimen.object(object(of: $0)).description) }
    }

    private func object(of specimen: Specimen) -> JSONObject {
        let failure = specimen.flaw.map { VerificationFailure(code: $0.code) }
        return [
            "type": .string("specimen"), "file": .string(specimen.name), "kind": .string(specimen.kind.rawValue),
            "flaw": .optionalString(specimen.flaw?.name),
            "verdict": .string((failure?.verdict ?? .verified).rawValue),
            "code": .optionalString(failure?.code.rawValue),
            "meaning": .optionalString(specimen.flaw?.meaning),
            "requirement": .optionalString(specimen.flaw?.requirement),
            "root": .string(specimen.arguments.last { $0.hasSuffix("-root.der") } ?? Self.rootName(of: specimen.kind)),
            "bundleId": .string(request.bundleID), "appAppleId": .integer(request.appAppleID),
            "environment": .string(request.environment.rawValue), "productId": .string(request.productID),
            "signedAt": .string("\(request.now)"),
            "arguments": .array(specimen.arguments.map(JSONValue.string)),
        ]
    }
}
