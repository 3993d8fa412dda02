internal import ReceiptTypes

/// The rules for the container of an app receipt: one PKCS#7 SignedData (RFC 2315 9) in the form that the App Store
/// writes.
///
/// No signature covers the container itself, so nothing in it may differ from that form: every byte is either signed,
/// or compared with another byte, or fixed.
struct AppReceiptContainer {
    /// The bytes in DER.
    let der: [UInt8]
    let parts: SignedData
    let hash: HashAlgorithm

    /// Reads the container of a receipt in DER, BER or base64; nil if it is rejected, with the reason in `examination`.
    static func read(_ receipt: [UInt8], _ examination: inout Examination) throws(CryptoFault) -> Self? {
        guard let bytes = try decode(receipt, &examination) else { return nil }
        guard let (der, isXcode) = try der(bytes, &examination) else { return nil }
        let parts: SignedData
        do throws(SignedData.Malformed) {
            parts = try der.withRawSpan { (span) throws(SignedData.Malformed) in try SignedData(reading: span) }
        } catch {
            examination.refuse(
                .containerMalformed, "container", expected: form, actual: "\(error.part) cannot be read",
                hint: truncationHint(der)
            )
            return nil
        }
        examination.note(.structure, "container", "a SignedData of \(der.count) bytes")
        guard
            let hash = try der.withRawSpan({ (span) throws(CryptoFault) in
                try requireForm(of: parts, in: span, isXcode: isXcode, &examination)
            })
        else { return nil }
        return AppReceiptContainer(der: der, parts: parts, hash: hash)
    }

    private static let form = "one PKCS#7 SignedData in DER"

    // MARK: Encoding

    /// Returns the bytes of a receipt without their base64.
    static func decode(
        _ receipt: [UInt8],
        _ examination: inout Examination
    ) throws(CryptoFault) -> [UInt8]? {
        let limit = Budget.appReceiptSize
        let isBinary = receipt.first == 0x30
        // Four characters of base64 are three bytes; line breaks and white space come on top.
        guard
            try examination.require(
                .tooLarge, "size", receipt.count <= (isBinary ? limit : limit * 3 / 2),
                expected: "an app receipt of at most \(limit) bytes", actual: "\(receipt.count) bytes"
            )
        else { return nil }
        if isBinary { return receipt }
        let decoded = InputDetector.looseBase64(receipt)
        guard try requireIntactBase64(receipt, decoded: decoded, &examination) else { return nil }
        guard let decoded else { return nil }
        try examination.require(
            .tooLarge, "decoded-size", decoded.count <= limit,
            expected: "an app receipt of at most \(limit) bytes", actual: "\(decoded.count) bytes"
        )
        return examination.isPassing ? decoded : nil
    }

    private static func requireIntactBase64(
        _ receipt: [UInt8], decoded: [UInt8]?, _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        let damage = Base64Damage(of: receipt, decoded: decoded)
        return try examination.require(
            .encoding, "encoding", decoded != nil && damage == nil, expected: "DER, or base64 with nothing around it",
            actual: damage?.name ?? (decoded == nil ? "another encoding" : "base64"),
            hint: damage?.hint ?? (decoded == nil ? truncationHint(Base64Damage.wholeGroups(of: receipt)) : nil)
        )
    }

    /// Returns the container in DER, and whether it was in BER of indefinite length, which only Xcode writes.
    static func der(
        _ bytes: [UInt8],
        _ examination: inout Examination
    ) throws(CryptoFault) -> (der: [UInt8], isXcode: Bool)? {
        guard bytes.starts(with: [0x30, 0x80]) else { return (bytes, false) }
        let limit = Budget.berReceiptSize
        guard
            try examination.require(
                .tooLarge, "size-in-ber", bytes.count <= limit,
                expected: "an app receipt in BER, as Xcode writes it, of at most \(limit) bytes",
                actual: "\(bytes.count) bytes"
            )
        else { return nil }
        guard let der = try bytes.withRawSpan({ (span) throws(CryptoFault) in try SignedData.der(fromBER: span) })
        else {
            examination.refuse(
                .containerMalformed, "container", expected: "one PKCS#7 SignedData",
                actual: "bytes in BER that cannot be read"
            )
            return nil
        }
        return (der, true)
    }

    /// Returns a hint if the bytes end before the length that they begin with.
    private static func truncationHint(_ der: [UInt8]) -> String? {
        guard der.count > 6, der[0] == 0x30, (0x81...0x84).contains(der[1]) else { return nil }
        let lengthCount = Int(der[1] & 0x7F)
        let length = der[2..<2 + lengthCount].reduce(0) { $0 << 8 | Int($1) } + 2 + lengthCount
        guard length != der.count else { return nil }
        return der.count < length
            ? "the receipt is cut off or interrupted by other characters: "
                + "\(der.count) of \(length) bytes are in one piece"
            : "\(der.count - length) bytes follow the end of the receipt"
    }

    // MARK: Form

    // AlgorithmIdentifiers in DER, with NULL for parameters (RFC 3279 2.2.1, RFC 5754 2).
    private static let sha1: [UInt8] = [0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00]
    private static let sha256: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    ]
    private static let rsa: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    private static let rsaWithSHA256: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B, 0x05, 0x00,
    ]
    /// The OBJECT IDENTIFIER 1.2.840.113549.1.7.1, data.
    private static let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// Returns the name of the hash function that an AlgorithmIdentifier names; nil for any other.
    static func hashName(of algorithm: [UInt8]) -> String? {
        algorithm == sha256 ? "SHA-256" : algorithm == sha1 ? "SHA-1" : nil
    }

    /// Requires the form that the App Store and Xcode write; returns the hash function of the signature.
    private static func requireForm(
        of parts: SignedData,
        in der: RawSpan,
        isXcode: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> HashAlgorithm? {
        try require(
            "versions", parts.version == 1 && parts.signerVersion == 1, "version 1 of container and signer",
            "versions \(parts.version) and \(parts.signerVersion)", &examination)
        try require(
            "content-type", der.has(data, at: parts.contentType), "content of the type data", "another type",
            &examination)
        try require("signers", parts.signerCount == 1, "one signer", "\(parts.signerCount) signers", &examination)
        let extra = [
            parts.hasRevocationLists ? "revocation lists" : nil,
            parts.hasSignedAttributes ? "signed attributes" : nil,
            parts.hasUnsignedAttributes ? "unsigned attributes" : nil,
        ].compactMap(\.self)
        try require(
            "optional-parts", extra.isEmpty, "no revocation lists and no attributes of the signer",
            extra.isEmpty ? "none" : extra.joined(separator: ", "), &examination)
        let count = isXcode ? 1 : Budget.chainLength
        try examination.require(
            .chainLength, "chain-length", parts.certificateCount == count,
            expected: isXcode ? "1 certificate, in a container in BER as Xcode writes it" : "\(count) certificates",
            actual: "\(parts.certificateCount)"
        )
        let namesFirst =
            der.isEqual(parts.signerIssuer, parts.firstIssuer) && der.isEqual(parts.signerSerial, parts.firstSerial)
        try examination.require(
            .signerMismatch, "signer-certificate", namesFirst,
            expected: "a signer that names the first certificate, byte for byte",
            actual: namesFirst ? "the first certificate" : "another issuer or serial number"
        )
        let hash: HashAlgorithm? =
            der.has(sha256, at: parts.digestAlgorithm)
            ? .sha256 : !isXcode && der.has(sha1, at: parts.digestAlgorithm) ? .sha1 : nil
        let isRSA =
            der.has(rsa, at: parts.signatureAlgorithm)
            || isXcode && der.has(rsaWithSHA256, at: parts.signatureAlgorithm)
        let isListed = der.isEqual(parts.digestAlgorithms, parts.digestAlgorithm)
        try examination.require(
            .receiptAlgorithm, "algorithms", hash != nil && isRSA && isListed,
            expected: "RSA with SHA-1 or SHA-256, in the same form in container and signer",
            actual: hash == nil
                ? "another digest" : isRSA ? (isListed ? "RSA" : "different digests") : "another signature algorithm"
        )
        return examination.isPassing ? hash : nil
    }

    private static func require(
        _ check: StaticString,
        _ condition: Bool,
        _ expected: @autoclosure () -> String,
        _ actual: @autoclosure () -> String,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try examination.require(
            .containerUnsupported, check, condition, expected: expected(), actual: actual())
    }
}

extension RawSpan {
    /// Returns whether the bytes at a place are the given ones.
    fileprivate func has(_ bytes: [UInt8], at place: Range<Int>) -> Bool {
        bytes.withRawSpan { extracting(place).isEqual(to: $0) }
    }

    /// Returns whether the bytes at two places are the same.
    fileprivate func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        extracting(left).isEqual(to: extracting(right))
    }
}

// MARK: - Certificates

/// The certificates of an app receipt, leaf first.
struct ContainerCertificates: CertificateSource {
    let purpose = ChainPurpose.appReceipts
    /// The places of the certificates in the element with all of them.
    let places: [Range<Int>]

    init(_ parts: SignedData) {
        let start = parts.certificates.lowerBound
        places = parts.certificatePlaces.map { $0.lowerBound - start..<$0.upperBound - start }
    }

    func certificates(
        in bytes: RawSpan,
        acceptingAlone: (Certificate) -> Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Certificate]? {
        var certificates: [Certificate] = []
        for (index, place) in places.enumerated() {
            let certificate = try Certificate(der: bytes.extracting(place).array)
            try examination.require(
                .certificateMalformed, "certificate", certificate: index, certificate != nil,
                expected: "one X.509 certificate in DER, of at most \(Certificate.maximumSize) bytes",
                actual: certificate.map { "\($0.subject), serial \($0.serialNumber)" } ?? "not such a certificate"
            )
            guard let certificate else { return nil }
            certificates.append(certificate)
        }
        guard certificates.count == 1 else { return certificates }
        let isAccepted = acceptingAlone(certificates[0])
        try examination.require(
            .chainLength, "chain-length", isAccepted,
            expected: "\(Budget.chainLength) certificates, or one certificate that was added as a root",
            actual: "1 certificate: \(certificates[0].subject)"
        )
        return isAccepted ? certificates : nil
    }
}
