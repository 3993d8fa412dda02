internal import ReceiptTypes

// The way of one App Store JWS: structure, key, signature, payload, dates, claims. Nothing of a payload is read before
// its signature has verified; that is why dates come after it. Signatures are judged many at a time, so the way has
// three parts: `begin` up to the signature, `judge` for the signatures of all that have begun, `finish` for the rest.
extension ReceiptVerifier {
    /// Looks at one compact JWS.
    ///
    /// - Parameter kind: The kind that was asked for; nil to take any.
    func check(
        _ jws: RawSpan,
        expecting kind: ReceiptKind? = nil,
        isTracing: Bool = false,
        _ workspace: inout Workspace
    ) -> CheckedReceipt {
        var round = [begin(jws, expecting: kind, isTracing: isTracing, &workspace)]
        judge(&round, &workspace)
        return finish(round[0], &workspace)
    }

    /// Takes the steps before the signature is judged.
    ///
    /// - Parameter isNested: Whether the JWS came inside a notification.
    func begin(
        _ jws: RawSpan,
        expecting kind: ReceiptKind? = nil,
        isTracing: Bool = false,
        isNested: Bool = false,
        _ workspace: inout Workspace
    ) -> PendingReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        do throws(CryptoFault) {
            let judgement = try prepare(jws, expecting: kind, isNested: isNested, &receipt.examination, &workspace)
            return PendingReceipt(receipt: receipt, judgement: judgement)
        } catch {
            receipt.examination.refuse(error)
            return PendingReceipt(receipt: receipt)
        }
    }

    /// Judges the signatures of all receipts that have begun since the last time.
    func judge(_ round: inout [PendingReceipt], _ workspace: inout Workspace) {
        workspace.signatures.verify()
        for index in round.indices {
            guard let signature = round[index].judgement?.signature else { continue }
            round[index].judgement?.verdict = workspace.signatures.verdict(signature)
        }
        workspace.signatures.removeAll()
    }

    /// Takes the steps after the signature was judged.
    func finish(_ pending: PendingReceipt, _ workspace: inout Workspace) -> CheckedReceipt {
        guard let judgement = pending.judgement else { return pending.receipt }
        var receipt = pending.receipt
        do throws(CryptoFault) {
            try requireSignature(judgement, &receipt.examination)
            if receipt.examination.holds { try examinePayload(judgement, &receipt, &workspace) }
        } catch {
            receipt.examination.refuse(error)
        }
        return receipt
    }

    // MARK: Before the signature

    private func prepare(
        _ jws: RawSpan,
        expecting kind: ReceiptKind?,
        isNested: Bool,
        _ examination: inout Examination,
        _ workspace: inout Workspace
    ) throws(CryptoFault) -> PendingReceipt.Judgement? {
        guard
            try examination.require(
                .tooLarge, "size", jws.byteCount <= policy.maximumSize,
                expected: "at most \(policy.maximumSize) bytes", actual: "\(jws.byteCount) bytes"
            )
        else { return nil }
        guard let parts = CompactJWS(jws) else {
            examination.refuse(
                .segmentCount, "segments", expected: "header.payload.signature",
                actual: "\(CompactJWS.segmentCount(of: jws)) segments, or an empty one"
            )
            return nil
        }
        let payload = Base64.url.decode(parts.payload, appendingTo: &workspace.payloads)
        let isEncoded = payload != nil && Base64.url.decode(parts.signature, into: &workspace.signature)
        try examination.require(
            .encoding, "encoding", isEncoded, expected: "canonical base64url",
            actual: isEncoded ? "canonical base64url" : "another encoding in payload or signature"
        )
        guard isEncoded, let payload, let signer = try signer(of: parts.header, &examination, &workspace)
        else { return nil }
        let digest = try signer.digest(of: parts, &workspace.digest)
        let number = workspace.signatures.add(
            workspace.signature, over: digest, by: signer.source.publicKey, signer.table
        )
        guard let number else { throw .refused }
        return PendingReceipt.Judgement(
            signer: signer, expectedKind: kind, isNested: isNested, payload: payload,
            signatureByteCount: workspace.signature.count, signature: number
        )
    }

    /// Finds whoever signs with a header, in what this thread knows, in the cache, or by validating the chain; nil when
    /// the chain is refused.
    private func signer(
        of header: RawSpan,
        _ examination: inout Examination,
        _ workspace: inout Workspace
    ) throws(CryptoFault) -> Signer? {
        guard let anchorSet else { throw .outOfMemory }
        // An explanation shows the whole chain, so it judges it anew.
        guard !examination.isTracing else {
            return try keySource(for: header, anchorSet, &examination).map { Signer(header: header, $0) }
        }
        if let known = workspace.signers.signer(of: header) { return known }
        let source: KeySource
        if let cached = keyCache.key(forHeader: header, anchorSet: anchorSet) {
            source = .cache(cached)
        } else if let found = try keySource(for: header, anchorSet, &examination) {
            source = found
        } else {
            return nil
        }
        let signer = Signer(header: header, source)
        workspace.signers.remember(signer)
        return signer
    }

    // MARK: After the signature

    private func requireSignature(
        _ judgement: PendingReceipt.Judgement,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard let result = judgement.verdict else { throw .refused }
        let verdict = try result.get()
        let count = judgement.signatureByteCount
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
        _ judgement: PendingReceipt.Judgement,
        _ receipt: inout CheckedReceipt,
        _ workspace: inout Workspace
    ) throws(CryptoFault) {
        guard
            let document = try JSONDocument.read(
                workspace.payloads.bytes(judgement.payload), maximumDepth: Budget.payloadDepth,
                orRefuse: .payloadMalformed, "payload-json", &receipt.examination
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
        guard try settleKey(of: judgement.signer, signedAt: time, &receipt.examination) else { return }
        receipt.kind = detected
        try examineClaims(
            of: payload, detected, expecting: judgement.expectedKind,
            isLocalTesting: judgement.signer.source.isLocalTesting, isNested: judgement.isNested, &receipt
        )
        let isReceiptWhole = receipt.examination.holds || receipt.examination.isTracing
        if !judgement.isNested, detected == .notification, isReceiptWhole {
            try examineNested(in: payload, &receipt, &workspace)
        }
        receipt.document = document
    }

    /// Judges the dates, and keeps the key where they are good; false when the receipt is refused.
    private func settleKey(
        of signer: Signer,
        signedAt time: ValidityPolicy.SigningTime,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        guard let anchorSet else { throw .outOfMemory }
        guard let date = try validityPolicy.effectiveDate(signedAt: time, &examination),
            examination.holds || examination.isTracing
        else { return false }
        switch signer.source {
        case .cache(let cached):
            if cached.key.validity.contains(date.flooredToSecond) {
                signer.unreportedHits += 1
                signer.countSignature()
                return true
            }
            // Outside the dates of the cached key: validated anew, to say which certificate it is.
            let source = try signer.header.withRawSpan { (header) throws(CryptoFault) in
                try keySource(for: header, anchorSet, usingCache: false, &examination)
            }
            guard case .chain(let chain)? = source else { return false }
            try validityPolicy.requireValidity(of: chain, at: date, &examination)
            keyCache.countMiss()
        case .chain(let chain):
            try validityPolicy.requireValidity(of: chain, at: date, &examination)
            guard !examination.isTracing else { break }
            keyCache.countMiss()
            if examination.holds, let key = VerificationKey(chain, anchorSet: anchorSet) {
                signer.source = .cache(keyCache.insert(key, header: signer.header))
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

extension Examination {
    /// Refuses because the machine could not decide.
    mutating func refuse(_ fault: CryptoFault) {
        refuse(.internalError, "resources", expected: "memory and a working OpenSSL", actual: fault.description)
    }
}
