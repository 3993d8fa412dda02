public import ReceiptTypes

/// A signer's key whose certificate chain has been validated and under which a receipt has verified.
///
/// Only the verifier creates keys, so every key in a cache has passed these checks.
public struct VerificationKey: Sendable {
    /// The public key.
    let key: PublicKey
    /// The SHA-256 over the certificates of the chain, each preceded by its length in four bytes.
    public let chain: SHA256Digest
    /// The time in which all certificates of the chain are valid, both ends included.
    public let validity: ClosedRange<Timestamp>
    /// The fingerprint of the root that the chain ends at.
    public let anchor: SHA256Digest
    /// The digests of that root's certificate.
    private let anchorDigests: [SHA256Digest]
    /// The further roots under which the chain is valid: trusted roots with the same subject and key.
    let otherRoots: [Root]
    /// The identity of the set of roots under which the chain was validated.
    let anchorSet: SHA256Digest
    /// Whether the chain is the single certificate of a local testing environment.
    public let isLocalTesting: Bool
    /// The common name of the signer's certificate.
    public let leafSubject: String
    /// The serial number of the signer's certificate in hexadecimal.
    public let leafSerial: String
    /// The SHA-256 of the signer's certificate in DER.
    public let leafFingerprint: SHA256Digest
    /// The digests of each certificate below the root, leaf first; none for a chain of one certificate.
    let digests: [[SHA256Digest]]

    /// A root that the chain ends at, and the time in which all certificates are valid under it.
    struct Root: Sendable, Hashable {
        var anchor: SHA256Digest
        var validity: ClosedRange<Timestamp>
        /// The digests of the root's certificate; see ``Certificate/digests``.
        var digests: [SHA256Digest]
    }

    /// The public key of a signer of JWS; nil for a signer of app receipts, whose key is an RSA key.
    public var publicKey: ES256PublicKey? { purpose == .jws ? ES256PublicKey(key) : nil }

    /// The public key of any type as a PEM block labelled `PUBLIC KEY`.
    package var pemRepresentation: String {
        PEM.encode((try? key.subjectPublicKeyInfo()) ?? [], label: "PUBLIC KEY")
    }

    /// What the key verifies; the rules for chains allow each type of key for one purpose only.
    var purpose: ChainPurpose { key.kind == .rsa ? .appReceipts : .jws }

    /// All roots under which the chain is valid, in the order of the chain's validation.
    var roots: [Root] { [Root(anchor: anchor, validity: validity, digests: anchorDigests)] + otherRoots }

    init?(_ chain: ValidatedChain, anchorSet: SHA256Digest) {
        let roots = chain.roots.compactMap { root in
            chain.interval(under: root).map {
                Root(anchor: root.anchor.fingerprint, validity: $0, digests: root.digests)
            }
        }
        guard let first = roots.first else { return nil }
        key = chain.publicKey
        self.chain = chain.fingerprint
        validity = first.validity
        anchor = first.anchor
        anchorDigests = first.digests
        otherRoots = [Root](roots.dropFirst())
        self.anchorSet = anchorSet
        isLocalTesting = chain.isLocalTesting
        leafSubject = chain.leafSubject
        leafSerial = chain.leafSerial
        leafFingerprint = chain.leafFingerprint
        digests = chain.digests
    }
}

extension VerificationKey: Hashable {
    /// Returns whether two keys belong to the same chain under the same roots.
    public static func == (left: Self, right: Self) -> Bool {
        left.chain == right.chain && left.anchorSet == right.anchorSet
    }

    /// Hashes the chain and the roots.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(chain)
        hasher.combine(anchorSet)
    }
}

extension VerificationKey {
    /// The key as an entry of the cache file.
    var json: JSONValue {
        var object: JSONObject = [
            "chain": .string(chain.description),
            "publicKey": .string(Base64.standard.encode((try? key.subjectPublicKeyInfo()) ?? [])),
            "notBefore": validity.lowerBound.json,
            "notAfter": validity.upperBound.json,
            "anchor": .string(anchor.description),
            "anchorDigests": .array(anchorDigests.map(\.json)),
            "anchorSet": .string(anchorSet.description),
            "localTesting": .boolean(isLocalTesting),
            "leafSubject": .string(leafSubject),
            "leafSerial": .string(leafSerial),
            "leaf": .string(leafFingerprint.description),
            "digests": .array(digests.map { .array($0.map(\.json)) }),
            "otherRoots": .array(otherRoots.map(\.json)),
        ]
        if purpose == .appReceipts { object["purpose"] = Self.appReceipts }
        return .object(object)
    }

    /// The member `purpose` of a key that verifies app receipts; a key for JWS has none.
    private static let appReceipts = JSONValue.string("app-receipts")

    /// Reads an entry of the cache file; nil if a member is missing or has a wrong value.
    init?(json: JSONValue) {
        guard let object = json.object,
            let chain = object["chain"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let spki = object["publicKey"]?.text.flatMap(Base64.standard.decode),
            let key = try? spki.withRawSpan({ (span) throws(CryptoFault) in try PublicKey(subjectPublicKeyInfo: span) }
            ),
            object["purpose"] == Self.appReceipts
                ? key.kind == .rsa && Budget.receiptKeyBits.contains(key.bits)
                : object["purpose"] == nil && key.kind == .p256,
            let notBefore = object["notBefore"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            let notAfter = object["notAfter"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            notBefore <= notAfter,
            let anchor = object["anchor"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let anchorSet = object["anchorSet"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            case .boolean(let isLocalTesting)? = object["localTesting"],
            let leafSubject = object["leafSubject"]?.text,
            let leafSerial = object["leafSerial"]?.text,
            let leafFingerprint = object["leaf"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let digests = object["digests"]?.elements?.map(\.digests),
            let anchorDigests = object["anchorDigests"]?.digests,
            let others = object["otherRoots"]?.elements
        else { return nil }
        self.key = key
        self.chain = chain
        validity = notBefore...notAfter
        self.anchor = anchor
        self.anchorSet = anchorSet
        self.isLocalTesting = isLocalTesting
        self.leafSubject = leafSubject
        self.leafSerial = leafSerial
        self.leafFingerprint = leafFingerprint
        self.anchorDigests = anchorDigests
        self.digests = digests.compactMap(\.self)
        guard self.digests.count == digests.count, digests.count == (isLocalTesting ? 0 : 2) else { return nil }
        otherRoots = others.compactMap(Root.init(json:))
        guard otherRoots.count == others.count else { return nil }
    }
}

extension VerificationKey.Root {
    fileprivate var json: JSONValue {
        .object([
            "anchor": .string(anchor.description), "notBefore": validity.lowerBound.json,
            "notAfter": validity.upperBound.json, "digests": .array(digests.map(\.json)),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let object = json.object,
            let anchor = object["anchor"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let notBefore = object["notBefore"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            let notAfter = object["notAfter"]?.integer.flatMap(Timestamp.init(milliseconds:)),
            notBefore <= notAfter, let digests = object["digests"]?.digests
        else { return nil }
        self.anchor = anchor
        validity = notBefore...notAfter
        self.digests = digests
    }
}

extension SHA256Digest {
    fileprivate var json: JSONValue { .string(description) }
}

extension JSONValue {
    /// The digests of a certificate; nil if the value is none, or has fewer than each certificate.
    fileprivate var digests: [SHA256Digest]? {
        guard let elements else { return nil }
        let digests = elements.compactMap { $0.text.flatMap(SHA256Digest.init(hexadecimal:)) }
        return digests.count == elements.count && digests.count >= Certificate.minimumDigestCount ? digests : nil
    }
}
