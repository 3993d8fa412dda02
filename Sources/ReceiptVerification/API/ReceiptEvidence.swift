internal import CReceiptCrypto
package import ReceiptTypes

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
    /// The signing time in the payload.
    package let signingTime: EvidenceTime
    /// The receipts inside a notification that are verified with it, by the members that hold them.
    package let nested: [(name: String, receipt: [UInt8])]

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
        // OpenSSL makes a signature in DER of no other number of bytes.
        guard segments.signature.count == JWSTruncation.signatureByteCount,
            let leaf = try Certificate(der: certificates[0]), let key = try leaf.publicKey(),
            let signature = try OpenSSL.der(ofES256: segments.signature)
        else { return nil }
        payload = segments.payload
        signingInput = Array(jws.prefix(segments.signedCount))
        self.signature = signature
        self.certificates = certificates
        publicKey = try key.subjectPublicKeyInfo()
        let parsed = try segments.payload.withRawSpan { (span) throws(CryptoFault) in
            try JSONDocument.read(span, maximumDepth: Budget.payloadDepth)
        }
        guard case .success(let document) = parsed, document.root.isObject else {
            signingTime = .absent
            nested = []
            return
        }
        let kind = ReceiptKind(detecting: document.root)
        signingTime = EvidenceTime(AppStoreJWS.signingTime(of: document.root, kind))
        nested = kind == .notification ? AppStoreNotification.receipts(in: document.root) : []
    }
}

/// The signing time that a receipt names.
package enum EvidenceTime {
    case at(Timestamp)
    case absent
    /// It is not a time that a certificate can be valid at.
    case unreadable

    init(_ time: ValidityPolicy.SigningTime) {
        self =
            switch time {
            case .at(let timestamp): .at(timestamp)
            case .absent: .absent
            case .invalid: .unreadable
            }
    }
}

extension TrustAnchors {
    /// The roots under which JWS are verified.
    package var jwsRoots: [TrustAnchor] { anchors(for: .jws) }

    /// Returns the certificate of the root that the chain of a JWS ends at, in DER; nil if none of the roots is
    /// trusted.
    ///
    /// Of a built-in root only the fingerprint is kept, so its certificate is the chain's own.
    ///
    /// - Parameter preferred: The root that served the receipt, among several with one name and key.
    package func root(of chain: [[UInt8]], preferring preferred: SHA256Digest?) -> [UInt8]? {
        guard let der = chain.last, let last = try? Certificate(der: der) else { return nil }
        let matching = jwsRoots.filter { $0.anchors(last) }
        return (matching.first { $0.fingerprint == preferred } ?? matching.first).map { $0.certificate?.der ?? der }
    }
}

extension PlayKeyring {
    /// Returns the usable key of a package, or the only key if there is one; a SubjectPublicKeyInfo in DER.
    package func publicKey(forPackage package: String?) throws(CryptoFault) -> [UInt8]? {
        let key = package.map { self.key(forPackage: $0) } ?? onlyKey
        return try key?.usable?.subjectPublicKeyInfo()
    }
}
