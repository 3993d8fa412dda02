internal import ReceiptVerification

extension AppReceiptSigner {
    /// The PKCS#7 container of an app receipt (RFC 2315 9), correct or with flaws.
    ///
    /// ``AppReceiptSigner/container`` is the container that a signer makes; a test changes a copy.
    public struct Container: Sendable {
        /// What a container says of one signer.
        public struct SignerInfo: Sendable {
            /// The version; 1.
            public var version: Int64 = 1
            /// The certificate in DER whose issuer and serial number name the signer.
            public var certificate: [UInt8]
            /// The hash function that the container names.
            public var hash: CertificateShape.Hash
            /// The OID of the signature algorithm; rsaEncryption, and sha256WithRSAEncryption in Xcode's receipts.
            public var signatureAlgorithm = "1.2.840.113549.1.1.1"
            /// Whether attributes with the digest of the contents are signed in place of the contents (RFC 2315 9.2).
            public var hasSignedAttributes = false
            /// Whether a list of attributes without a signature follows.
            public var hasUnsignedAttributes = false
            let key: PrivateKey
        }

        /// The OID of the container; signedData.
        public var type = "1.2.840.113549.1.7.2"
        /// The version; 1.
        public var version: Int64 = 1
        /// The hash functions that the container names.
        public var hashes: [CertificateShape.Hash]
        /// The OID of the contents; data.
        public var contentType = "1.2.840.113549.1.7.1"
        /// The certificates in DER, in their order; without any, the list is absent.
        public var certificates: [[UInt8]]
        /// The signers.
        public var signers: [SignerInfo]
        /// Whether the outer elements have no length but an end, as in Xcode's receipts (X.690 8.1.3.6).
        public var isIndefinite = false
        /// Whether the attributes of the receipt are sorted as DER requires.
        public var isSorted = true

        /// Returns the container of a payload, signed by all signers.
        func encoded(_ payload: [UInt8]) throws(CryptoFault) -> [UInt8] {
            let form: ASN1.Form = isIndefinite ? .indefinite : .constructed
            var content = try ASN1.element(.octetString, payload, .primitive)
            if isIndefinite { content = try ASN1.element(.octetString, content, .indefinite) }
            var body = try ASN1.integer(version)
            var algorithms: [UInt8] = []
            for hash in hashes { algorithms += try Self.algorithm(hash.objectIdentifier) }
            body += try ASN1.element(.set, algorithms)
            body += try ASN1.element(
                .sequence, ASN1.objectIdentifier(contentType) + ASN1.element(.context(0), content, form), form)
            if !certificates.isEmpty { body += try ASN1.element(.context(0), [UInt8](certificates.joined())) }
            var signatures: [UInt8] = []
            for signer in signers { signatures += try encode(signer, payload) }
            body += try ASN1.element(.set, signatures)
            let container = try ASN1.element(.context(0), ASN1.element(.sequence, body, form), form)
            return try ASN1.element(.sequence, ASN1.objectIdentifier(type) + container, form)
        }

        private func encode(_ signer: SignerInfo, _ payload: [UInt8]) throws(CryptoFault) -> [UInt8] {
            guard let certificate = try Certificate(der: signer.certificate) else { throw .libraryFailure }
            var parts = try ASN1.integer(signer.version) + ASN1.issuerAndSerial(of: certificate)
            parts += try Self.algorithm(signer.hash.objectIdentifier)
            var message = payload
            if signer.hasSignedAttributes {
                let attributes = try signedAttributes(payload, signer.hash)
                parts += try ASN1.element(.context(0), attributes)
                message = try ASN1.element(.set, attributes)
            }
            parts += try Self.algorithm(signer.signatureAlgorithm)
            parts += try ASN1.element(
                .octetString, signer.key.signRSA(message, hash: signer.hash.algorithm), .primitive)
            if signer.hasUnsignedAttributes {
                parts += try ASN1.element(.context(1), Self.attribute("1.2.840.113549.1.9.13", ASN1.null))
            }
            return try ASN1.element(.sequence, parts)
        }

        /// Returns contentType and messageDigest (RFC 2315 9.2), sorted as DER requires.
        private func signedAttributes(_ payload: [UInt8], _ hash: CertificateShape.Hash) throws(CryptoFault) -> [UInt8]
        {
            let digest = try ASN1.element(.octetString, hash.algorithm.digest(of: payload), .primitive)
            return try Self.attribute("1.2.840.113549.1.9.3", ASN1.objectIdentifier(contentType))
                + Self.attribute("1.2.840.113549.1.9.4", digest)
        }

        private static func attribute(_ oid: String, _ value: [UInt8]) throws(CryptoFault) -> [UInt8] {
            try ASN1.element(.sequence, ASN1.objectIdentifier(oid) + ASN1.element(.set, value))
        }

        private static func algorithm(_ oid: String) throws(CryptoFault) -> [UInt8] {
            try ASN1.element(.sequence, ASN1.objectIdentifier(oid) + ASN1.null)
        }
    }
}

extension CertificateShape.Hash {
    /// The OID of the hash function in dotted form.
    fileprivate var objectIdentifier: String {
        switch self {
        case .sha1: "1.3.14.3.2.26"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        case .sha512: "2.16.840.1.101.3.4.2.3"
        }
    }
}
