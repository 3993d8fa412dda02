internal import ReceiptTypes
internal import ReceiptVerification

extension CertificateShape {
    /// Makes a certificate of this shape and returns it in DER.
    ///
    /// - Parameters:
    ///   - issuerName: The common name of the issuer, unless the shape names another.
    ///   - signingKey: The key that signs the certificate.
    ///   - authorityKey: The key that authorityKeyIdentifier names; nil for the key that signs.
    func certificate(
        for key: PublicKey, issuerName: String, signedBy signingKey: PrivateKey, authorityKey: PublicKey? = nil
    ) throws(CryptoFault) -> [UInt8] {
        let builder = try CertificateBuilder()
        try builder.setVersion(version)
        try builder.setSerial(try Self.randomSerial())
        try builder.setValidity(from: notBefore, to: notAfter)
        for (name, isIssuer) in [(commonName, false), (self.issuerName ?? issuerName, true)] {
            try builder.addName("CN", name, toIssuer: isIssuer)
            try builder.addName("O", "Receipt Test Authority", toIssuer: isIssuer)
        }
        try builder.setPublicKey(key)
        for (name, value) in standardExtensions { try builder.addExtension(name, value) }
        if version == 3, hasKeyIdentifiers {
            let signingPublicKey = try signingKey.publicKey()
            try addKeyIdentifiers(to: builder, of: key, authorityKey: authorityKey ?? signingPublicKey)
        }
        for item in rawExtensions {
            try builder.addExtension(oid: item.oid, isCritical: item.isCritical, value: item.value)
        }
        return try builder.sign(with: signingKey, hash: hash.algorithm)
    }

    /// Adds subjectKeyIdentifier and, unless the certificate is self-signed, authorityKeyIdentifier.
    ///
    /// A self-signed certificate needs no authorityKeyIdentifier (RFC 5280 4.2.1.1), and Apple's roots have none.
    private func addKeyIdentifiers(
        to builder: borrowing CertificateBuilder, of key: PublicKey, authorityKey: PublicKey
    ) throws(CryptoFault) {
        try builder.addSubjectKeyIdentifier()
        guard try authorityKey.subjectPublicKeyInfo() != key.subjectPublicKeyInfo() else { return }
        try builder.addAuthorityKeyIdentifier(of: authorityKey)
    }

    /// A random serial number, positive and of full length (RFC 5280 4.1.2.2).
    private static func randomSerial() throws(CryptoFault) -> [UInt8] {
        var serial = try OpenSSL.randomBytes(16)
        serial[0] = serial[0] & 0x3F | 0x40
        return serial
    }

    /// The extensions of version 3 certificates, in OpenSSL's configuration syntax.
    private var standardExtensions: [(name: String, value: String)] {
        guard version == 3 else { return [] }
        var extensions: [(name: String, value: String)] = []
        if let isCA {
            let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
            extensions.append(("basicConstraints", "critical,CA:\(isCA ? "TRUE" : "FALSE")\(limit)"))
        }
        if let keyUsages { extensions.append(("keyUsage", (["critical"] + keyUsages).joined(separator: ","))) }
        return extensions
    }
}

extension CertificateShape.KeyKind {
    var algorithm: KeyAlgorithm {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .rsa(let bits): .rsa(bits: bits)
        }
    }
}

extension CertificateShape.Hash {
    var algorithm: HashAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
