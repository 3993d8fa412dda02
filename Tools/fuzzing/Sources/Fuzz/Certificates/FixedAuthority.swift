@testable internal import ReceiptVerification

/// An authority of the store's shape, the same in every process, so that what it has signed can lie in files.
struct FixedAuthority {
    /// A leaf and what it signs with.
    struct Signer {
        let key: FixedKey
        /// Leaf, intermediate and root in DER.
        let chain: [[UInt8]]
        /// The list of certificates as `x5c` has it.
        let x5c: [UInt8]
        /// The header as the store writes it.
        let header: [UInt8]

        init(key: FixedKey, chain: [[UInt8]]) {
            self.key = key
            self.chain = chain
            let texts = chain.map { "\"\(String(decoding: PlainBase64.standard.encode($0), as: UTF8.self))\"" }
            x5c = [UInt8]("[\(texts.joined(separator: ","))]".utf8)
            header = [UInt8]("{\"alg\":\"ES256\",\"x5c\":".utf8) + x5c + [UInt8(ascii: "}")]
        }

        /// A compact JWS with a genuine signature under any header and payload.
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

    /// A leaf that may sign, in dates of its own.
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

    /// Two signers for the same years, and one for the year 2021 alone.
    static let signers = [
        signer(leaf("Fuzz Leaf")), signer(leaf("Fuzz Other Leaf")),
        signer(leaf("Fuzz Old Leaf", notBefore: "210101000000Z", notAfter: "211231235959Z")),
    ]
    /// The dates of each signer's leaf in milliseconds since 1970, both ends included.
    static let validities: [ClosedRange<Int64>] = [
        1_577_836_800_000...2_209_075_199_999, 1_577_836_800_000...2_209_075_199_999,
        1_609_459_200_000...1_640_995_199_999,
    ]

    static let rootDER = root.signed(by: rootKey)
    static let intermediateDER = intermediate.signed(by: rootKey)

    /// The root, trusted.
    static let anchors: TrustAnchors = {
        var anchors = TrustAnchors()
        require((try? anchors.add(rootDER)) != nil, "the fuzz target is broken: the root cannot be read")
        return anchors
    }()

    private static func signer(_ leaf: FixedCertificate) -> Signer {
        Signer(key: FixedKey(leaf.subject), chain: [leaf.signed(by: intermediateKey), intermediateDER, rootDER])
    }
}
