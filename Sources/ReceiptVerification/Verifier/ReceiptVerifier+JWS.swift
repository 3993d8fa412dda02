internal import ReceiptTypes

// The way of one App Store JWS: structure, key, signature, payload, dates, claims. Nothing of a payload is read before
// its signature has verified; that is why dates come after it.
extension ReceiptVerifier {
    /// Looks at one compact JWS.
    ///
    /// - Parameters:
    ///   - kind: The kind that was asked for; nil to take any.
    ///   - isNested: Whether the JWS came inside a notification.
    func check(
        _ jws: RawSpan,
        expecting kind: ReceiptKind? = nil,
        isTracing: Bool = false,
        isNested: Bool = false,
        _ workspace: inout Workspace
    ) -> CheckedReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        do throws(CryptoFault) {
            try examine(jws, expecting: kind, isNested: isNested, &receipt, &workspace)
        } catch {
            receipt.examination.refuse(
                .internalError, "resources", expected: "memory and a working OpenSSL", actual: error.description
            )
        }
        return receipt
    }

    private func examine(
        _ jws: RawSpan,
        expecting kind: ReceiptKind?,
        isNested: Bool,
        _ receipt: inout CheckedReceipt,
        _ workspace: inout Workspace
    ) throws(CryptoFault) {
        guard let anchorSet else { throw .outOfMemory }
        guard
            try receipt.examination.require(
                .tooLarge, "size", jws.byteCount <= policy.maximumSize,
                expected: "at most \(policy.maximumSize) bytes", actual: "\(jws.byteCount) bytes"
            )
        else { return }
        guard let parts = CompactJWS(jws) else {
            receipt.examination.refuse(
                .segmentCount, "segments", expected: "header.payload.signature",
                actual: "\(CompactJWS.segmentCount(of: jws)) segments, or an empty one"
            )
            return
        }
        let isEncoded =
            Base64.url.decode(parts.payload, into: &workspace.payload)
            && Base64.url.decode(parts.signature, into: &workspace.signature)
        guard
            try receipt.examination.require(
                .encoding, "encoding", isEncoded, expected: "canonical base64url",
                actual: isEncoded ? "canonical base64url" : "another encoding in payload or signature"
            )
        else { return }

        // An explanation shows the whole chain, so it judges it anew.
        let known = receipt.examination.isTracing ? nil : keyCache.key(forHeader: parts.header, anchorSet: anchorSet)
        let source: KeySource
        if let known {
            source = .cache(known)
        } else if let found = try keySource(for: parts.header, anchorSet, &receipt.examination) {
            source = found
        } else {
            return
        }
        try requireSignature(of: parts, by: source.publicKey, &receipt.examination, &workspace)
        guard receipt.examination.holds else { return }
        try examinePayload(
            of: parts, expecting: kind, source, anchorSet, isNested: isNested, &receipt, &workspace
        )
    }

    private func requireSignature(
        of parts: borrowing CompactJWS,
        by key: PublicKey,
        _ examination: inout Examination,
        _ workspace: inout Workspace
    ) throws(CryptoFault) {
        try workspace.digest.reset()
        try workspace.digest.update(parts.signingInput)
        let digest = try workspace.digest.finish()
        let verdict = try key.verifyES256(workspace.signature.bytes, digest: digest)
        let count = workspace.signature.count
        try examination.require(
            .signatureMalformed, "signature-form", verdict != .malformed,
            expected: "64 bytes, r and s each from 1 to n-1",
            actual: count == 64 ? (verdict == .malformed ? "r or s out of range" : "64 bytes") : "\(count) bytes"
        )
        guard verdict != .malformed else { return }
        try examination.require(
            .signatureInvalid, "signature", verdict == .valid,
            expected: "a signature over header and payload with the leaf's key",
            actual: verdict == .valid ? "it is" : "it does not fit"
        )
    }

    private func examinePayload(
        of parts: borrowing CompactJWS,
        expecting kind: ReceiptKind?,
        _ source: KeySource,
        _ anchorSet: SHA256Digest,
        isNested: Bool,
        _ receipt: inout CheckedReceipt,
        _ workspace: inout Workspace
    ) throws(CryptoFault) {
        guard
            let document = try JSONDocument.read(
                workspace.payload.bytes, maximumDepth: Budget.payloadDepth, orRefuse: .payloadMalformed, "payload-json",
                &receipt.examination
            )
        else { return }
        let payload = document.root
        guard
            try receipt.examination.require(
                .payloadNotAnObject, "payload-object", payload.isObject, expected: "a JSON object",
                actual: payload.kind.name
            )
        else { return }
        let detected = ReceiptKind(detecting: payload)
        let time = Self.signingTime(of: payload, detected)
        if case .at(let timestamp) = time { receipt.signingTime = timestamp }
        guard try settleKey(source, for: parts.header, signedAt: time, anchorSet, &receipt.examination) else { return }
        receipt.kind = detected
        try examineClaims(
            of: payload, detected, expecting: kind, isLocalTesting: source.isLocalTesting, isNested: isNested, &receipt
        )
        if !isNested, detected == .notification, receipt.examination.holds || receipt.examination.isTracing {
            try examineNested(in: payload, &receipt, &workspace)
        }
        receipt.document = document
    }

    /// Judges the dates, and keeps the key where they are good; false when the receipt is refused.
    private func settleKey(
        _ source: KeySource,
        for header: RawSpan,
        signedAt time: ValidityPolicy.SigningTime,
        _ anchorSet: SHA256Digest,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        guard let date = try validityPolicy.effectiveDate(signedAt: time, &examination),
            examination.holds || examination.isTracing
        else { return false }
        switch source {
        case .cache(let key):
            if key.validity.contains(date.flooredToSecond) {
                keyCache.count(hit: true)
                return true
            }
            // Outside the dates of the cached key: validated anew, to say which certificate it is.
            guard case .chain(let chain)? = try keySource(for: header, anchorSet, usingCache: false, &examination)
            else { return false }
            try validityPolicy.requireValidity(of: chain, at: date, &examination)
            keyCache.count(hit: false)
        case .chain(let chain):
            try validityPolicy.requireValidity(of: chain, at: date, &examination)
            guard !examination.isTracing else { break }
            keyCache.count(hit: false)
            if examination.holds, let key = VerificationKey(chain, anchorSet: anchorSet) {
                keyCache.insert(key, header: header.array)
            }
        }
        return examination.holds || examination.isTracing
    }

    static func signingTime(of payload: borrowing JSONNode, _ kind: ReceiptKind?) -> ValidityPolicy.SigningTime {
        let field = kind?.signingTimeField ?? "signedDate"
        guard let node = payload.member(named: field), !node.isNull else { return .absent }
        let timestamp: Timestamp? =
            switch node.kind {
            case .integer(let milliseconds): Timestamp(milliseconds: milliseconds)
            case .decimal(let milliseconds): Timestamp(decimalMilliseconds: milliseconds)
            default: nil
            }
        guard let timestamp, Budget.signingTimes.contains(timestamp.millisecondsSince1970) else {
            return .invalid(node.kind.detail)
        }
        return .at(timestamp)
    }
}
