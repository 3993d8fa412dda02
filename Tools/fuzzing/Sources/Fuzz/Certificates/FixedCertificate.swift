/// A certificate whose bytes depend on its fields only (RFC 5280 4.1), signed with ECDSA and SHA-256.
struct FixedCertificate {
    var subject: String
    var issuer: String
    var serial: [UInt8] = [0x42]
    /// The start of validity, a UTCTime.
    var notBefore = "200101000000Z"
    /// The end of validity, a UTCTime.
    var notAfter = "391231235959Z"
    /// The SubjectPublicKeyInfo.
    var key: [UInt8]
    /// The extensions, each a complete SEQUENCE.
    var extensions: [[UInt8]]

    static let signatureAlgorithm = DER.sequence(DER.objectIdentifier("1.2.840.10045.4.3.2"))

    /// The TBSCertificate.
    var toBeSigned: [UInt8] {
        DER.sequence(
            DER.value(0xA0, DER.integer([2])), DER.integer(serial), Self.signatureAlgorithm, Self.name(issuer),
            DER.sequence(DER.value(0x17, [UInt8](notBefore.utf8)), DER.value(0x17, [UInt8](notAfter.utf8))),
            Self.name(subject), key, DER.value(0xA3, DER.sequence(extensions))
        )
    }

    func signed(by key: FixedKey) -> [UInt8] { Self.sign(toBeSigned, by: key) }

    /// Returns a certificate with these bytes as its TBSCertificate and a valid signature over them.
    static func sign(_ toBeSigned: [UInt8], by key: FixedKey) -> [UInt8] {
        let signature = key.sign(toBeSigned)
        return DER.sequence(
            toBeSigned, signatureAlgorithm,
            DER.bitString(DER.sequence(DER.integer([UInt8](signature[..<32])), DER.integer([UInt8](signature[32...]))))
        )
    }

    private static func name(_ commonName: String) -> [UInt8] {
        DER.sequence(DER.set(DER.sequence(DER.objectIdentifier("2.5.4.3"), DER.utf8String(commonName))))
    }
}

extension FixedCertificate {
    static func `extension`(_ oid: String, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(
            DER.objectIdentifier(oid), isCritical ? DER.boolean(true) : [], DER.octetString(value)
        )
    }

    static func basicConstraints(isCA: Bool, pathLength: UInt8? = nil) -> [UInt8] {
        let limit = pathLength.map { DER.integer([$0]) } ?? []
        return Self.extension("2.5.29.19", isCritical: true, DER.sequence(isCA ? DER.boolean(true) : [], limit))
    }

    static let digitalSignature = Self.extension("2.5.29.15", isCritical: true, DER.bitString([0x80], spareBits: 7))
    static let certificateSigning = Self.extension("2.5.29.15", isCritical: true, DER.bitString([0x06], spareBits: 1))
    static let leafMarker = Self.extension("1.2.840.113635.100.6.11.1", [0x05, 0x00])
    static let intermediateMarker = Self.extension("1.2.840.113635.100.6.2.1", [0x05, 0x00])
}
