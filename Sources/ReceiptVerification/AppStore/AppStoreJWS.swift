internal import ReceiptTypes

/// The checks of one App Store JWS, in their order: structure, signer, signature, payload, dates, claims.
///
/// No byte of a payload is parsed before its signature has verified; therefore dates come after the signature.
/// Signatures are verified many at a time, so the checks are split: `begin` up to the signature, `finish` after it.
enum AppStoreJWS {
    private static let lookup = SignerLookup(JWSCertificates())

    /// The certificates in the header segment of a JWS.
    private struct JWSCertificates: CertificateSource {
        let purpose = ChainPurpose.jws

        func certificates(
            in bytes: RawSpan,
            acceptingAlone: (Certificate) -> Bool,
            _ examination: inout Examination
        ) throws(CryptoFault) -> [Certificate]? {
            try JWSHeader.certificates(in: bytes, acceptingAlone: acceptingAlone, &examination)
        }
    }

    /// Checks one compact JWS.
    ///
    /// - Parameter kind: The expected kind; nil accepts every kind.
    static func check(
        _ jws: RawSpan,
        expecting kind: ReceiptKind? = nil,
        _ session: inout VerificationSession
    ) -> CheckedReceipt {
        var round = [begin(jws, expecting: kind, &session)]
        session.verifySignatures(of: &round)
        return finish(round[0], &session)
    }

    /// Runs the checks before the signature, and adds the signature to the session's batch.
    ///
    /// - Parameter isNested: Whether the JWS is part of a notification.
    static func begin(
        _ jws: RawSpan,
        expecting kind: ReceiptKind? = nil,
        isTracing: Bool = false,
        isNested: Bool = false,
        _ session: inout VerificationSession
    ) -> PendingReceipt {
        var pending = PendingReceipt(receipt: CheckedReceipt(isTracing: isTracing))
        do throws(CryptoFault) {
            pending.signature = try addSignature(
                of: jws, expecting: kind, isNested: isNested, &pending.payload, &pending.receipt.examination, &session
            )
        } catch {
            pending.receipt.examination.refuse(error)
        }
        return pending
    }

    /// Runs the checks from the result of the signature verification to the claims.
    static func finish(_ pending: PendingReceipt, _ session: inout VerificationSession) -> CheckedReceipt {
        guard let signature = pending.signature else { return pending.receipt }
        var receipt = pending.receipt
        do throws(CryptoFault) {
            guard let payload = pending.payload else { throw .libraryFailure }
            try requireValidity(of: signature, &receipt.examination)
            if receipt.examination.isPassing { try check(payload, of: signature, &receipt, &session) }
        } catch {
            receipt.examination.refuse(error)
        }
        return receipt
    }

    // MARK: Before the signature

    private static func addSignature(
        of jws: RawSpan,
        expecting kind: ReceiptKind?,
        isNested: Bool,
        _ payload: inout Range<Int>?,
        _ examination: inout Examination,
        _ session: inout VerificationSession
    ) throws(CryptoFault) -> PendingSignature? {
        let maximumSize = session.rules.maximumSize
        guard
            try examination.require(
                .tooLarge, "size", jws.byteCount <= maximumSize,
                expected: "at most \(maximumSize) bytes", actual: "\(jws.byteCount) bytes"
            )
        else { return nil }
        guard let parts = CompactJWS(jws) else {
            examination.refuse(
                .segmentCount, "segments", expected: "header.payload.signature",
                actual: CompactJWS.found(in: jws),
                hint: JWSTruncation(jws)?.hint ?? JWSChange(jws)?.hint
            )
            return nil
        }
        payload = Base64.url.decode(parts.payload, appendingTo: &session.workspace.payloads)
        let isEncoded = payload != nil && Base64.url.decode(parts.signature, into: &session.workspace.signature)
        try examination.require(
            .encoding, "encoding", isEncoded, expected: "canonical base64url",
            actual: isEncoded ? "canonical base64url" : "another encoding in payload or signature",
            hint: JWSTruncation(jws)?.hint ?? JWSChange(jws)?.hint
        )
        guard isEncoded, let signer = try lookup.signer(of: parts.header, &examination, &session)
        else { return nil }
        let digest = try signer.digest(of: parts, &session.workspace.digest)
        let number = session.workspace.signatures.add(
            session.workspace.signature, over: digest, by: signer.publicKey, signer.table
        )
        guard let number else { throw .libraryFailure }
        return PendingSignature(
            signer: signer, expectedKind: kind, isNested: isNested,
            byteCount: session.workspace.signature.count, number: number
        )
    }

    // MARK: After the signature

    private static func requireValidity(
        of signature: PendingSignature,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard let result = signature.verdict else { throw .libraryFailure }
        let verdict = try result.get()
        let count = signature.byteCount
        try examination.require(
            .signatureMalformed, "signature-form", verdict != .malformed,
            expected: "64 bytes, r and s each from 1 to n-1",
            actual: count == 64 ? (verdict == .malformed ? "r or s out of range" : "64 bytes") : "\(count) bytes",
            hint: JWSTruncation(signatureByteCount: count)?.hint
        )
        guard verdict != .malformed else { return }
        try examination.require(
            .signatureInvalid, "signature", verdict == .valid,
            expected: "a signature over header and payload with the leaf's key",
            actual: verdict == .valid
                ? "a valid signature with the leaf's key" : "a signature that does not match the leaf's key"
        )
    }

    private static func check(
        _ place: Range<Int>,
        of signature: PendingSignature,
        _ receipt: inout CheckedReceipt,
        _ session: inout VerificationSession
    ) throws(CryptoFault) {
        let parsed = try JSONDocument.read(
            session.workspace.payloads.bytes(place), maximumDepth: Budget.payloadDepth
        )
        guard case .success(let document) = parsed else {
            if case .failure(let fault) = parsed {
                receipt.examination.refuse(
                    .payloadMalformed, "payload-json", expected: "JSON in UTF-8", actual: fault.found
                )
            }
            return
        }
        let payload = document.root
        receipt.isPayloadNull = payload.isNull && place.count == 4
        guard
            try receipt.examination.require(
                .payloadNotAnObject, "payload-object", payload.isObject, expected: "a JSON object",
                actual: payload.kind.name
            )
        else { return }
        let detected = ReceiptKind(detecting: payload)
        let time = signingTime(of: payload, detected)
        if case .at(let timestamp) = time { receipt.signingTime = timestamp }
        var environment: String?
        if let detected, signature.signer.roots.count > 1 {
            environment = ReceiptClaims(payload, kind: detected).environment
        }
        guard
            let root = try lookup.requireDates(
                of: signature.signer, signedAt: time, in: environment, &receipt, session.rules
            )
        else { return }
        receipt.kind = detected
        try session.rules.claimsPolicy.check(
            payload, detected, expecting: signature.expectedKind,
            trust: root.trust, root: root.anchor, isNested: signature.isNested, &receipt
        )
        if !signature.isNested, detected == .notification, receipt.examination.continues {
            try AppStoreNotification.checkReceipts(in: payload, &receipt, &session)
        }
        if !signature.isNested { try session.rules.claimsPolicy.requireStrictness(of: &receipt) }
        receipt.document = document
    }

    static func signingTime(
        of payload: borrowing JSONNode,
        _ kind: ReceiptKind?
    ) -> ValidityPolicy.SigningTime {
        let field = kind?.signingTimeField ?? "signedDate"
        guard let node = payload.member(named: field), !node.isNull else { return .absent }
        guard let timestamp = node.time, Budget.signingTimes.contains(timestamp.millisecondsSince1970) else {
            return .invalid(node.kind.detail)
        }
        return .at(timestamp)
    }
}
