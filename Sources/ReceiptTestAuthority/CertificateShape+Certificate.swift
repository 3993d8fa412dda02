internal import ReceiptTypes
internal import ReceiptVerification

extension CertificateShape {
    /// Makes a certificate of this shape and returns it in DER.
    ///
    /// - Parameters:
    ///   - issuer: The name of the issuer, unless the shape names another.
    ///   - signingKey: The key that signs the certificate.
    ///   - authorityKey: The key that authorityKeyIdentifier names; nil for the key that signs.
    func certificate(
        for key: PublicKey, issuer: [NameAttribute], signedBy signingKey: PrivateKey, authorityKey: PublicKey? = nil
    ) throws(CryptoFault) -> [UInt8] {
        let builder = try CertificateBuilder()
        try builder.setVersion(version)
        let randomSerial = try Self.randomSerial()
        try builder.setSerial(serial ?? randomSerial)
        try builder.setValidity(from: notBefore, to: notAfter)
        for (name, isIssuer) in [(subject, false), (issuerName.map(Self.name) ?? issuer, true)] {
            for attribute in name {
                try builder.addName(
                    attribute.type, attribute.value, isPrintable: attribute.isPrintable, toIssuer: isIssuer)
            }
        }
        try builder.setPublicKey(key)
        let signingPublicKey = try signingKey.publicKey()
        if version == 3 {
            for name in extensionNames {
                try addExtension(name, to: builder, authorityKey: authorityKey ?? signingPublicKey)
            }
        }
        for item in rawExtensions where !extensionNames.contains(item.oid) { try add(item, to: builder) }
        return try builder.sign(with: signingKey, hash: hash.algorithm)
    }

    private func addExtension(
        _ name: String, to builder: borrowing CertificateBuilder, authorityKey: PublicKey
    ) throws(CryptoFault) {
        switch name {
        case "subjectKeyIdentifier":
            if hasKeyIdentifiers { try builder.addSubjectKeyIdentifier() }
        case "authorityKeyIdentifier":
            if hasKeyIdentifiers { try builder.addAuthorityKeyIdentifier(of: authorityKey) }
        default:
            if let item = rawExtensions.first(where: { $0.oid == name }) {
                try add(item, to: builder)
            } else if let value = value(ofExtension: name) {
                try builder.addExtension(name, value)
            }
        }
    }

    private func add(_ item: RawExtension, to builder: borrowing CertificateBuilder) throws(CryptoFault) {
        try builder.addExtension(oid: item.oid, isCritical: item.isCritical, value: item.value)
    }

    /// A random serial number, positive and of full length (RFC 5280 4.1.2.2).
    private static func randomSerial() throws(CryptoFault) -> [UInt8] {
        var serial = try OpenSSL.randomBytes(16)
        serial[0] = serial[0] & 0x3F | 0x40
        return serial
    }

    /// The value of an extension in OpenSSL's configuration syntax; nil for a certificate without the extension.
    private func value(ofExtension name: String) -> String? {
        switch name {
        case "basicConstraints":
            isCA.map { "critical,CA:\($0 ? "TRUE" : "FALSE")" + (pathLength.map { ",pathlen:\($0)" } ?? "") }
        case "keyUsage": keyUsages.map { (["critical"] + $0).joined(separator: ",") }
        default: extensionValues[name]
        }
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
