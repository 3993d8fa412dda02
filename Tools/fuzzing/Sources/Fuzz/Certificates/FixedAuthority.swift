@testable internal import ReceiptVerification

/// An authority like the App Store's that is the same in every process, so that receipts it signed can be seeds.
struct FixedAuthority {
    /// A leaf certificate with its key and chain.
    struct Signer {
        let key: FixedKey
        /// Leaf, intermediate and root in DER.
        let chain: [[UInt8]]
        /// The JSON of the `x5c` list.
        let x5c: [UInt8]
        /// The header as the App Store writes it.
        let header: [UInt8]

        init(key: FixedKey, chain: [[UInt8]]) {
            self.key = key
            self.chain = chain
            let texts = chain.map { "\"\(String(decoding: PlainBase64.standard.encode($0), as: UTF8.self))\"" }
            x5c = [UInt8]("[\(texts.joined(separator: ","))]".utf8)
            header = [UInt8]("{\"alg\":\"ES256\",\"x5c\":".utf8) + x5c + [UInt8(ascii: "}")]
        }

        /// Returns a compact JWS with a valid signature over any header and payload.
        func sign(header: String? = nil, payload: [UInt8]) -> [UInt8] {
            let header = header.map { [UInt8]($0.utf8) } ?? self.header
            let signingInput = Self.signingInput(header: header, payload: payload)
            return signingInput + [UInt8(ascii: ".")] + PlainBase64.url.encode(key.sign(signingInput))
        }

        static func signingInput(header: [UInt8], payload: [UInt8]) -> [UInt8] {
            PlainBase64.url.encode(header) + [UInt8(ascii: ".")] + PlainBase64.url.encode(payload)
        }
    }

    static let rootKey = FixedKey("root")
    static let intermediateKey = FixedKey("intermediate")

    static let root = FixedCertificate(
        subject: "Fuzz Root", issuer: "Fuzz Root", key: rootKey.subjectPublicKeyInfo,
        extensions: [FixedCertificate.basicConstraints(isCA: true), FixedCertificate.certificateSigning]
    )
    static let intermediate = FixedCertificate(
        subject: "Fuzz Intermediate", issuer: "Fuzz Root", serial: [0x43], key: intermediateKey.subjectPublicKeyInfo,
        extensions: [
            FixedCertificate.basicConstraints(isCA: true, pathLength: 0), FixedCertificate.certificateSigning,
            FixedCertificate.intermediateMarker,
        ]
    )

    /// Returns a leaf that may sign receipts, valid between these dates.
    static func leaf(
        _ name: String,
        notBefore: String = "200101000000Z",
        notAfter: String = "391231235959Z"
    ) -> FixedCertificate {
        FixedCertificate(
            subject: name, issuer: "Fuzz Intermediate", serial: [0x44], notBefore: notBefore, notAfter: notAfter,
            key: FixedKey(name).subjectPublicKeyInfo,
            extensions: [
                FixedCertificate.basicConstraints(isCA: false), FixedCertificate.digitalSignature,
                FixedCertificate.leafMarker,
            ]
        )
    }

    /// Two signers that are valid in the same years, and one that is valid in 2021 only.
    static let signers = [
        signer(leaf("Fuzz Leaf")), signer(leaf("Fuzz Other Leaf")),
        signer(leaf("Fuzz Old Leaf", notBefore: "210101000000Z", notAfter: "211231235959Z")),
    ]
    /// The validity of each signer's leaf in milliseconds since 1970.
    static let validities: [ClosedRange<Int64>] = [
        1_577_836_800_000...2_209_075_199_999, 1_577_836_800_000...2_209_075_199_999,
        1_609_459_200_000...1_640_995_199_999,
    ]

    static let rootDER = root.signed(by: rootKey)
    static let intermediateDER = intermediate.signed(by: rootKey)

    /// The root as the only trust anchor.
    static let anchors: TrustAnchors = {
        var anchors = TrustAnchors()
        require((try? anchors.add(rootDER)) != nil, "the fuzz target is broken: the root cannot be read")
        return anchors
    }()

    private static func signer(_ leaf: FixedCertificate) -> Signer {
        Signer(key: FixedKey(leaf.subject), chain: [leaf.signed(by: intermediateKey), intermediateDER, rootDER])
    }
}
