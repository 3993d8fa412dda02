@testable internal import ReceiptTestAuthority
@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// A chain of certificates with shapes that the fuzzer chooses, built by the package's own builder, and the reason why
/// a verifier must reject it.
struct ShapedChain {
    /// Keys of every kind for the three certificates of a chain. Those on P-256 are fixed. The others are new in each
    /// process, which changes no verdict: they only sign certificates, and as leaves they are rejected.
    struct Keys {
        let fixed = (0..<3).map { FixedKey("shaped \($0)") }
        let stranger: PrivateKey
        private let keys: [[PrivateKey]]

        static let kinds: [CertificateShape.KeyKind] = [.p256, .p384, .p521, .rsa(bits: 2048), .rsa(bits: 1024)]

        init() throws {
            stranger = try FixedKey("nobody").privateKey()
            let others = try Self.kinds.dropFirst().map { try PrivateKey(generating: $0.algorithm) }
            keys = try fixed.map { [try $0.privateKey()] + others }
        }

        func key(_ kind: CertificateShape.KeyKind, at place: Int) -> PrivateKey {
            keys[place][Self.kinds.firstIndex(of: kind) ?? 0]
        }
    }

    /// Leaf, intermediate, root.
    let shapes: [CertificateShape]
    let certificates: [[UInt8]]

    /// Reads the choices; returns nil if the builder rejects such a certificate.
    init?(_ keys: Keys, _ choices: inout Choices) {
        var shapes = [CertificateShape.leaf, .intermediate, .root]
        for index in shapes.indices { Self.change(&shapes[index], &choices) }
        self.shapes = shapes
        var certificates: [[UInt8]] = []
        for (place, shape) in shapes.enumerated() {
            let above = min(place + 1, 2)
            let key = keys.key(shape.key, at: place)
            let issuer = shape.isSignedByStranger ? keys.stranger : keys.key(shapes[above].key, at: above)
            guard let publicKey = try? key.publicKey(),
                let certificate = try? shape.certificate(
                    for: publicKey, issuer: shapes[above].subject, signedBy: issuer
                )
            else { return nil }
            certificates.append(certificate)
        }
        self.certificates = certificates
    }

    private static func change(_ shape: inout CertificateShape, _ choices: inout Choices) {
        // Each bit of the first two bytes selects one change.
        let bits = UInt16(choices.byte()) << 8 | UInt16(choices.byte())
        func has(_ bit: UInt16) -> Bool { bits & (1 << bit) != 0 }
        if has(0) { shape.commonName = String(decoding: choices.run(), as: UTF8.self) }
        if has(1) { shape.issuerName = String(decoding: choices.run(), as: UTF8.self) }
        if has(2) { shape.key = choices.element(of: Keys.kinds) }
        if has(3) { shape.hash = choices.element(of: [.sha256, .sha384, .sha512, .sha1]) }
        if has(4) { shape.notBefore = date(&choices) }
        if has(5) { shape.notAfter = date(&choices) }
        if has(6) { shape.isCA = choices.element(of: [nil, true, false]) }
        if has(7) { shape.pathLength = choices.element(of: [nil, 0, 1, 200]) }
        if has(8) {
            let usages = ["digitalSignature", "keyCertSign", "cRLSign", "keyEncipherment", "decipherOnly"]
            let chosen = choices.byte()
            shape.keyUsages = chosen == 0 ? nil : usages.indices.filter { chosen & (1 << $0) != 0 }.map { usages[$0] }
        }
        if has(9) { shape.rawExtensions = [] }
        if has(10) { shape.rawExtensions.append(rawExtension(&choices)) }
        if has(11) { shape.rawExtensions.append(rawExtension(&choices)) }
        if has(12) { shape.version = 1 + choices.number(below: 3) }
        if has(13) { shape.isSignedByStranger = true }
    }

    private static func date(_ choices: inout Choices) -> Timestamp {
        let milliseconds: Int64 =
            switch choices.number(below: 6) {
            case 0: SamplePayload.now
            case 1: SamplePayload.now - 1000
            case 2: SamplePayload.now - 1001
            case 3: -62_167_219_200_000
            case 4: 253_402_300_799_999
            default: Int64(truncatingIfNeeded: choices.word() % 253_402_300_800_000)
            }
        return Timestamp(milliseconds: milliseconds) ?? .minimum
    }

    private static func rawExtension(_ choices: inout Choices) -> CertificateShape.RawExtension {
        let oids = [
            "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1", "2.5.29.37", "2.5.29.19", "2.5.29.15", "2.5.29.30",
            "1.2.3.4", "2.999.1",
        ]
        let oid = choices.element(of: oids)
        let isCritical = choices.flag()
        let value = choices.run()
        return .init(oid: oid, isCritical: isCritical, value: value.isEmpty ? [0x05, 0x00] : value)
    }

    // MARK: Expected result

    /// The reason to reject the chain for a receipt signed one second before the clock; nil if there is none.
    var objection: String? {
        let time = SamplePayload.now - 1000
        for (index, shape) in shapes.enumerated() {
            if shape.notBefore.secondsSince1970 * 1000 > time { return "\(index) is not valid yet" }
            if shape.notAfter.secondsSince1970 * 1000 < time { return "\(index) has expired" }
        }
        for (index, shape) in shapes.prefix(2).enumerated() {
            if shape.isSignedByStranger { return "\(index) is signed by another key" }
            if shape.version != 3 { return "\(index) is of version \(shape.version)" }
            if shape.hash == .sha1 { return "\(index) is signed with SHA-1" }
            if shapes[index + 1].key == .rsa(bits: 1024) { return "\(index) is signed by a key of 1024 bits" }
            if !Self.isSame(shape.issuerName, shapes[index + 1].commonName) { return "\(index) names another issuer" }
            let unknown = shape.rawExtensions.first { $0.isCritical && !UnderstoodExtension.all.contains($0.oid) }
            if let unknown { return "\(index) has the critical extension \(unknown.oid)" }
        }
        return objectionToUse
    }

    private var objectionToUse: String? {
        let (leaf, intermediate) = (shapes[0], shapes[1])
        if leaf.key != .p256 { return "the leaf's key is not on P-256" }
        if leaf.isCA == true { return "the leaf is a CA" }
        if let usages = leaf.keyUsages, !usages.contains("digitalSignature") { return "the leaf may not sign" }
        if intermediate.isCA != true, !intermediate.rawExtensions.contains(where: { $0.oid == "2.5.29.19" }) {
            return "the intermediate is not a CA"
        }
        if let usages = intermediate.keyUsages, !usages.contains("keyCertSign") {
            return "the intermediate may not issue"
        }
        if !leaf.rawExtensions.contains(where: { $0.oid == MarkerOID.receiptSigning }) {
            return "the leaf has no marker"
        }
        if !intermediate.rawExtensions.contains(where: { $0.oid == MarkerOID.developerRelations }) {
            return "the intermediate has no marker"
        }
        if shapes[2].isCA != nil, shapes[2].pathLength == 0 { return "the root's path length allows no intermediate" }
        return nil
    }

    /// Compares names without regard to case and to the amount of white space (RFC 5280 7.1).
    private static func isSame(_ issuer: String?, _ subject: String) -> Bool {
        func plain(_ name: String) -> [Substring] { name.lowercased().split { $0.isWhitespace } }
        return issuer.map { plain($0) == plain(subject) } ?? true
    }
}
