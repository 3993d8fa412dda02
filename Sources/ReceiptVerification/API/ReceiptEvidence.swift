internal import CReceiptCrypto
internal import ReceiptTypes

/// The parts of an App Store JWS that another program needs to check it, as they are, verified or not.
package struct JWSEvidence {
    /// The decoded bytes of the payload.
    package let payload: [UInt8]
    /// The bytes that are signed: header, dot and payload, still encoded (RFC 7515 5.1).
    package let signingInput: [UInt8]
    /// The signature as ECDSA-Sig-Value in DER.
    package let signature: [UInt8]
    /// The certificates of `x5c` in DER, leaf first.
    package let certificates: [[UInt8]]
    /// The leaf's public key, a SubjectPublicKeyInfo in DER.
    package let publicKey: [UInt8]

    /// Reads the parts of a JWS; nil if it has no three segments, no signature of 64 bytes, or neither three
    /// certificates nor a single one.
    package init?(_ jws: [UInt8]) throws(CryptoFault) {
        let segments: (header: [UInt8], payload: [UInt8], signature: [UInt8], signedCount: Int)? = jws.withRawSpan {
            span in
            guard let parts = CompactJWS(span), let header = Base64.url.decode(parts.header),
                let payload = Base64.url.decode(parts.payload), let signature = Base64.url.decode(parts.signature)
            else { return nil }
            return (header, payload, signature, parts.signingInput.byteCount)
        }
        guard let segments, let header = (try? JSONDocument.value(of: segments.header))?.object,
            let chain = header["x5c"]?.elements, [1, Budget.chainLength].contains(chain.count)
        else { return nil }
        var certificates: [[UInt8]] = []
        for element in chain {
            let digits = element.text.map { [UInt8]($0.utf8) }
            guard let der = digits?.withRawSpan({ Base64.standard.decode($0) }) else { return nil }
            certificates.append(der)
        }
        guard let leaf = try Certificate(der: certificates[0]), let key = try leaf.publicKey(),
            let signature = try OpenSSL.der(ofES256: segments.signature)
        else { return nil }
        payload = segments.payload
        signingInput = Array(jws.prefix(segments.signedCount))
        self.signature = signature
        self.certificates = certificates
        publicKey = try key.subjectPublicKeyInfo()
    }
}

extension TrustAnchors {
    /// Returns the certificate of the root that a chain ends at, in DER; nil if none of the roots is trusted.
    ///
    /// Of a built-in root only the fingerprint is kept, so its certificate is the chain's own.
    package func root(of chain: [[UInt8]]) -> [UInt8]? {
        guard let der = chain.last, let last = try? Certificate(der: der) else { return nil }
        return anchors.first { $0.anchors(last) }.map { $0.certificate?.der ?? der }
    }
}

extension PlayKeyring {
    /// Returns the usable key of a package, or the only key if there is one; a SubjectPublicKeyInfo in DER.
    package func publicKey(forPackage package: String?) throws(CryptoFault) -> [UInt8]? {
        let key = package.map { self.key(forPackage: $0) } ?? onlyKey
        return try key?.usable?.subjectPublicKeyInfo()
    }
}
