internal import CReceiptCrypto
internal import ReceiptTypes

/// An X.509 certificate and its facts (RFC 5280).
///
/// Reading a certificate does not make it trusted.
@safe
package final class Certificate: Sendable {
    /// An extension of a certificate.
    ///
    /// A verifier that does not know a critical extension must reject the certificate.
    struct Extension: Sendable, Hashable {
        /// The OID in dotted form.
        var oid: String
        var isCritical: Bool
    }

    // Safe to share: every C function takes the certificate as const. The pointer is written once, before the object is
    // shared.
    private nonisolated(unsafe) let raw: OpaquePointer
    private let facts: rc_certificate_facts

    /// The maximum size in bytes; genuine certificates have up to 1,600.
    ///
    /// OpenSSL needs up to 45 times the size, and reads a certificate before its issuer is known to be trusted.
    static let maximumSize = 65_536
    /// Real certificates have about ten extensions.
    private static let maximumExtensionCount = 64

    /// The bytes from which the certificate was read.
    package let der: [UInt8]
    /// The SHA-256 of the certificate in DER.
    let fingerprint: SHA256Digest
    let extensions: [Extension]

    /// Reads a certificate; nil unless the bytes are exactly one certificate in DER, in every field that is used.
    ///
    /// A certificate of more than 65,536 bytes, with more than 64 extensions, or with one extension twice
    /// (RFC 5280 4.2) is rejected too.
    package init?(der: [UInt8]) throws(CryptoFault) {
        guard der.count <= Self.maximumSize else { return nil }
        var pointer: OpaquePointer?
        let status = der.withRawSpan { span in
            unsafe span.withPointer { (bytes, count) in unsafe rc_certificate_parse(bytes, count, &pointer) }
        }
        if status == .RC_MALFORMED { return nil }
        try status.orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        var facts = rc_certificate_facts()
        unsafe rc_certificate_get_facts(pointer, &facts)
        let count = Int(facts.extension_count)
        guard count <= Self.maximumExtensionCount,
            let extensions = unsafe Self.readExtensions(of: pointer, count: count),
            Set(extensions.map(\.oid)).count == count,
            case let digests = Self.digests(of: facts), let fingerprint = digests.first
        else {
            unsafe rc_certificate_free(pointer)
            return nil
        }
        self.facts = facts
        self.digests = digests
        self.fingerprint = fingerprint
        self.extensions = extensions
        self.der = der
        unsafe raw = pointer
    }

    deinit { unsafe rc_certificate_free(raw) }

    // MARK: Facts

    var version: Int { Int(facts.version) }
    var notBefore: Timestamp { Timestamp(clampingSeconds: facts.not_before) }
    var notAfter: Timestamp { Timestamp(clampingSeconds: facts.not_after) }
    var keyKind: PublicKey.Kind { PublicKey.Kind(facts.key_type) }
    var keyBits: Int { Int(facts.key_bits) }
    var isCA: Bool { facts.is_ca }
    var pathLength: Int64? { facts.has_path_length ? facts.path_length : nil }
    var hasKeyUsage: Bool { facts.has_key_usage }
    var allowsDigitalSignature: Bool { facts.key_usage & UInt32(RC_KEY_USAGE_DIGITAL_SIGNATURE) != 0 }
    var allowsCertificateSigning: Bool { facts.key_usage & UInt32(RC_KEY_USAGE_KEY_CERT_SIGN) != 0 }
    /// Whether extendedKeyUsage names codeSigning or anyExtendedKeyUsage.
    var hasCodeSigningPurpose: Bool { facts.has_code_signing_purpose }
    /// Whether the issuer's name is the subject's, as in a root.
    var isSelfIssued: Bool { unsafe rc_certificate_is_self_issued(raw) }
    /// Whether the certificate may issue others: it is a CA and, if it has keyUsage, may sign certificates.
    var mayIssue: Bool { isCA && (!hasKeyUsage || allowsCertificateSigning) }
    /// Whether the certificate was signed with ECDSA or RSA over SHA-256, SHA-384 or SHA-512.
    var hasAcceptedSignatureAlgorithm: Bool {
        switch facts.signature_algorithm {
        case .RC_SIGNATURE_ECDSA_SHA256, .RC_SIGNATURE_ECDSA_SHA384, .RC_SIGNATURE_ECDSA_SHA512: true
        case .RC_SIGNATURE_RSA_SHA256, .RC_SIGNATURE_RSA_SHA384, .RC_SIGNATURE_RSA_SHA512: true
        case .RC_SIGNATURE_RSA_SHA1, .RC_SIGNATURE_OTHER: false
        }
    }
    /// Whether the certificate was signed with RSA over SHA-1.
    var hasSHA1Signature: Bool { facts.signature_algorithm == .RC_SIGNATURE_RSA_SHA1 }

    /// The SHA-256 digests by which the certificate can be named: of the certificate in DER, of its TBSCertificate, of
    /// its SubjectPublicKeyInfo, of its IssuerAndSerialNumber (RFC 5652 10.2.4), and of the certificate with the other
    /// form of its ECDSA signature.
    ///
    /// No signature covers the signature of a certificate, and with (r, s) the pair (r, n - s) is valid too. So the
    /// first digest alone does not name a certificate whose key an adversary has.
    let digests: [SHA256Digest]

    /// The number of digests that each certificate has at least.
    static let minimumDigestCount = 4

    /// The digests that do not change with the signature of the certificate: those of its TBSCertificate, its key, and
    /// its issuer and serial number.
    var signedDigests: ArraySlice<SHA256Digest> { digests.dropFirst().prefix(3) }

    /// The subject's common name, or the complete name if it has no common name.
    ///
    /// Ill-formed UTF-8 is replaced.
    package var subject: String { unsafe describe { unsafe rc_certificate_subject(raw, &$0) } }
    /// The issuer's name in the same form.
    var issuer: String { unsafe describe { unsafe rc_certificate_issuer(raw, &$0) } }
    /// The serial number in upper-case hexadecimal.
    var serialNumber: String { unsafe describe { unsafe rc_certificate_serial(raw, &$0) } }

    var signatureAlgorithmName: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress,
                unsafe rc_certificate_signature_name(raw, base, buffer.count) == .RC_OK
            else { return "unknown" }
            return unsafe String(cString: base)
        }
    }

    func hasExtension(_ oid: String) -> Bool {
        extensions.contains { $0.oid == oid }
    }

    /// Returns the public key; nil if OpenSSL cannot read it.
    package func publicKey() throws(CryptoFault) -> PublicKey? {
        try unsafe PublicKey { out in unsafe rc_certificate_public_key(raw, &out) }
    }

    // MARK: Relations

    /// Returns whether the issuer name of this certificate is the subject name of `other`.
    package func namesIssuer(_ other: Certificate) -> Bool {
        unsafe rc_certificate_names_issuer(raw, other.raw)
    }

    /// Returns whether both certificates have the same subject name and the same public key.
    func isSameEntity(as other: Certificate) -> Bool {
        unsafe rc_certificate_is_same_entity(raw, other.raw)
    }

    /// Returns whether this certificate is signed by the key of `issuer`.
    package func isSigned(by issuer: Certificate) throws(CryptoFault) -> Bool {
        let status = unsafe rc_certificate_is_signed_by(raw, issuer.raw)
        switch status {
        case .RC_OK: return true
        case .RC_NO, .RC_UNSUPPORTED: return false
        default: throw CryptoFault(status)
        }
    }

    func withRaw<Result, Failure: Error>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(raw)
    }

    // MARK: Reading

    private func describe(_ make: (inout OpaquePointer?) -> rc_status) -> String {
        guard let bytes = try? unsafe OwnedBytes(make) else { return "" }
        return bytes.text
    }

    private static func digests(of facts: rc_certificate_facts) -> [SHA256Digest] {
        var bytes = facts.digests
        return unsafe withUnsafeBytes(of: &bytes) { source in
            (0..<Int(facts.digest_count)).compactMap { index in
                let start = index * Int(RC_SHA256_COUNT)
                return unsafe SHA256Digest(bytes: [UInt8](source[start..<start + Int(RC_SHA256_COUNT)]))
            }
        }
    }

    private static func readExtensions(of raw: OpaquePointer, count: Int) -> [Extension]? {
        var extensions: [Extension] = []
        // The OIDs in certificates of receipts are far shorter; a certificate with a longer one is rejected.
        let read = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> Bool in
            guard let base = buffer.baseAddress else { return false }
            for index in 0..<count {
                var isCritical = false
                let status = unsafe rc_certificate_extension(raw, Int32(index), base, buffer.count, &isCritical)
                guard status == .RC_OK else { return false }
                extensions.append(Extension(oid: unsafe String(cString: base), isCritical: isCritical))
            }
            return true
        }
        return read ? extensions : nil
    }
}
