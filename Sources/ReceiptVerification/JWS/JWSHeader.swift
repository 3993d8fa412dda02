internal import ReceiptTypes

/// Reads the header segment of an App Store JWS (RFC 7515 4).
enum JWSHeader {
    /// Returns the certificates of `x5c`, leaf first; nil if the header is rejected, with the reason in `examination`.
    static func certificates(
        in segment: RawSpan,
        acceptingAlone: (Certificate) -> Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Certificate]? {
        var bytes = ReusableBytes()
        guard Base64.url.decode(segment, into: &bytes) else {
            examination.refuse(
                .encoding, "header-encoding", expected: "canonical base64url", actual: "not canonical base64url",
                hint: JWSChange(segment)?.hint ?? JWSTruncation(header: segment)?.hint
            )
            return nil
        }
        let parsed = try JSONDocument.read(bytes.bytes, maximumDepth: Budget.headerDepth)
        guard case .success(let document) = parsed else {
            if case .failure(let fault) = parsed { reject(fault, in: segment, &examination) }
            return nil
        }
        let header = document.root
        guard header.isObject else {
            examination.refuse(
                .headerMalformed, "header-json", expected: "a JSON object", actual: header.kind.name
            )
            return nil
        }
        try requireAlgorithm(in: header, &examination)
        try requireNoExtensions(in: header, &examination)
        guard let chain = header.member("x5c"), chain.isArray else {
            examination.refuse(
                .headerMalformed, "x5c", expected: "x5c with the certificate chain",
                actual: header.member("x5c")?.kind.name ?? "no x5c"
            )
            return nil
        }
        guard examination.continues else { return nil }
        return try certificates(in: chain, acceptingAlone: acceptingAlone, &examination)
    }

    private static func reject(
        _ fault: JSONDocument.Fault, in segment: RawSpan, _ examination: inout Examination
    ) {
        let isAboutAlgorithm = fault.problem == .duplicateAlgorithm
        examination.refuse(
            isAboutAlgorithm ? .algorithm : .headerMalformed, "header-json",
            expected: isAboutAlgorithm ? "a single alg" : "a JSON object in UTF-8", actual: fault.found,
            hint: JWSChange(segment)?.hint ?? JWSTruncation(header: segment)?.hint
        )
    }

    /// Requires ES256.
    ///
    /// The format fixes the algorithm, so that a header cannot choose a weak one (RFC 8725 3.1).
    private static func requireAlgorithm(
        in header: borrowing JSONNode,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let algorithm = header.member("alg")
        let text = algorithm?.text
        try examination.require(
            .algorithm, "algorithm", text == "ES256",
            expected: "ES256", actual: text ?? algorithm?.kind.name ?? "no alg"
        )
    }

    /// Rejects `crit` (RFC 7515 4.1.11), and a `b64` that announces an unencoded payload (RFC 7797 3).
    ///
    /// No App Store JWS has either.
    private static func requireNoExtensions(
        in header: borrowing JSONNode,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let hasCritical = header.member("crit") != nil
        try examination.require(
            .headerUnsupported, "critical-header-parameters", !hasCritical,
            expected: "no crit", actual: hasCritical ? "crit" : "no crit"
        )
        let isEncoded = !header.has("b64") || header.member("b64")?.boolean == true
        try examination.require(
            .headerUnsupported, "payload-encoding", isEncoded,
            expected: "an encoded payload", actual: isEncoded ? "an encoded payload" : "a b64 that is not true"
        )
    }

    private static func certificates(
        in chain: borrowing JSONNode,
        acceptingAlone: (Certificate) -> Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Certificate]? {
        let count = chain.count
        if count == 1, let only = try certificate(in: chain.element(0)), acceptingAlone(only) { return [only] }
        guard
            try examination.require(
                .chainLength, "chain-length", count == Budget.chainLength,
                expected: "\(Budget.chainLength) certificates", actual: "\(count)"
            )
        else { return nil }
        var certificates: [Certificate] = []
        for index in 0..<count {
            let certificate = try certificate(in: chain.element(index))
            try examination.require(
                .certificateMalformed, "certificate", certificate: index, certificate != nil,
                expected:
                    "one X.509 certificate in DER, of at most \(Certificate.maximumSize) bytes, as standard base64",
                actual: certificate.map { "\($0.subject), serial \($0.serialNumber)" } ?? "not such a certificate"
            )
            guard let certificate else { return nil }
            certificates.append(certificate)
        }
        return certificates
    }

    private static func certificate(in entry: consuming JSONNode?) throws(CryptoFault) -> Certificate? {
        guard let text = entry?.string, let der = Base64.standard.decode(text) else { return nil }
        return try Certificate(der: der)
    }
}
