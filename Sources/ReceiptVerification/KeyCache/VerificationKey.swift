public import ReceiptTypes

/// A signer's key whose certificate chain has been validated, and under which a receipt has been verified.
///
/// Nobody outside can make one: that is what makes it worth keeping.
public struct VerificationKey: Sendable {
    /// The key that signs.
    public let publicKey: ES256PublicKey
    /// The SHA-256 over the chain's certificates, each led by its length in four bytes.
    public let chain: SHA256Digest
    /// When all certificates of the chain are valid, both ends included.
    public let validity: ClosedRange<Timestamp>
    /// The fingerprint of the root that the chain ends at.
    public let anchor: SHA256Digest
    /// The set of roots that was trusted when the chain was validated.
    let anchorSet: SHA256Digest
    /// Whether the chain is the single certificate of a local testing environment.
    public let isLocalTesting: Bool
    /// The common name of the signer's certificate.
    public let leafSubject: String
    /// The serial number of the signer's certificate, hexadecimal.
    public let leafSerial: String

    init?(_ chain: ValidatedChain, anchorSet: SHA256Digest) {
        guard let interval = chain.interval else { return nil }
        publicKey = ES256PublicKey(chain.publicKey)
        self.chain = chain.fingerprint
        validity = interval
        anchor = chain.anchor
        self.anchorSet = anchorSet
        isLocalTesting = chain.isLocalTesting
        leafSubject = chain.leafSubject
        leafSerial = chain.leafSerial
    }
}

extension VerificationKey: Hashable {
    /// Whether both stand for the same chain under the same roots.
    public static func == (left: Self, right: Self) -> Bool {
        left.chain == right.chain && left.anchorSet == right.anchorSet
    }

    /// Feeds chain and roots into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(chain)
        hasher.combine(anchorSet)
    }
}

extension VerificationKey {
    /// The key as the cache file has it.
    var json: JSONValue {
        .object([
            "chain": .string(chain.description),
            "publicKey": .string(Base64.standard.encode(publicKey.derRepresentation)),
            "notBefore": validity.lowerBound.json,
            "notAfter": validity.upperBound.json,
            "anchor": .string(anchor.description),
            "anchorSet": .string(anchorSet.description),
            "localTesting": .boolean(isLocalTesting),
            "leafSubject": .string(leafSubject),
            "leafSerial": .string(leafSerial),
        ])
    }

    /// Reads what ``json`` gives; nil when anything in it is not as it should be.
    init?(json: JSONValue) {
        guard let object = json.object,
            let chain = object["chain"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let spki = object["publicKey"]?.text.flatMap(Base64.standard.decode),
            let publicKey = try? ES256PublicKey(derRepresentation: spki),
            let notBefore = object["notBefore"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            let notAfter = object["notAfter"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            notBefore <= notAfter,
            let anchor = object["anchor"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let anchorSet = object["anchorSet"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            case .boolean(let isLocalTesting)? = object["localTesting"],
            let leafSubject = object["leafSubject"]?.text,
            let leafSerial = object["leafSerial"]?.text
        else { return nil }
        self.publicKey = publicKey
        self.chain = chain
        validity = notBefore...notAfter
        self.anchor = anchor
        self.anchorSet = anchorSet
        self.isLocalTesting = isLocalTesting
        self.leafSubject = leafSubject
        self.leafSerial = leafSerial
    }
}
