internal import CReceiptCrypto

/// The parts of a PKCS#7 SignedData in DER (RFC 2315 9.1), by their places in its bytes.
///
/// Reading a container verifies nothing.
package struct SignedData: Sendable, Hashable {
    /// The part of a container that cannot be read.
    package struct Malformed: Error, Hashable {
        /// The part in words.
        package let part: String
    }

    package let version: Int64
    /// The contents of the SET of digest algorithms.
    let digestAlgorithms: Range<Int>
    /// The OBJECT IDENTIFIER of the type of the content.
    let contentType: Range<Int>
    /// What the signature is over.
    package let content: Range<Int>
    /// The element with all certificates.
    package let certificates: Range<Int>
    package let certificateCount: Int
    /// The first certificates, of which there are at most four.
    package let certificatePlaces: [Range<Int>]
    let firstIssuer: Range<Int>
    let firstSerial: Range<Int>
    let hasRevocationLists: Bool
    let signerCount: Int
    let signerVersion: Int64
    let signerIssuer: Range<Int>
    let signerSerial: Range<Int>
    let digestAlgorithm: Range<Int>
    let hasSignedAttributes: Bool
    let signatureAlgorithm: Range<Int>
    package let signature: Range<Int>
    let hasUnsignedAttributes: Bool

    /// Finds the parts of a container that takes up all of the bytes.
    package init(reading der: RawSpan) throws(Malformed) {
        var parts = rc_signed_data()
        var part = rc_signed_data_part.RC_PART_CONTAINER
        let status = unsafe der.withPointer { (pointer, count) in
            unsafe rc_signed_data_read(pointer, count, &parts, &part)
        }
        guard status == .RC_OK else { throw Malformed(part: part.name) }
        version = parts.version
        digestAlgorithms = parts.digest_algorithms.range
        contentType = parts.content_type.range
        content = parts.content.range
        certificates = parts.certificates.range
        certificateCount = parts.certificate_count
        let places = parts.certificate
        certificatePlaces = [places.0, places.1, places.2, places.3].prefix(parts.certificate_count).map(\.range)
        firstIssuer = parts.first_issuer.range
        firstSerial = parts.first_serial.range
        hasRevocationLists = parts.has_revocation_lists
        signerCount = parts.signer_count
        signerVersion = parts.signer_version
        signerIssuer = parts.signer_issuer.range
        signerSerial = parts.signer_serial.range
        digestAlgorithm = parts.digest_algorithm.range
        hasSignedAttributes = parts.has_signed_attributes
        signatureAlgorithm = parts.signature_algorithm.range
        signature = parts.signature.range
        hasUnsignedAttributes = parts.has_unsigned_attributes
    }

    /// Returns the number of bytes of the element in BER that the bytes begin with; nil if it does not end.
    static func byteCount(ofBER ber: RawSpan) -> Int? {
        var count = 0
        let status = unsafe ber.withPointer { (pointer, length) in unsafe rc_ber_count(pointer, length, &count) }
        return status == .RC_OK ? count : nil
    }

    /// Returns a container in BER as DER, by OpenSSL's own parser; nil unless the bytes are exactly one container.
    package static func der(fromBER ber: RawSpan) throws(CryptoFault) -> [UInt8]? {
        try unsafe OwnedBytes { out in
            unsafe ber.withPointer { (pointer, count) in unsafe rc_signed_data_to_der(pointer, count, &out) }
        }?.array
    }
}

extension rc_signed_data_part {
    fileprivate var name: String {
        switch self {
        case .RC_PART_CONTAINER: "the container"
        case .RC_PART_VERSION: "the version"
        case .RC_PART_DIGEST_ALGORITHMS: "the digest algorithms"
        case .RC_PART_CONTENT: "the content"
        case .RC_PART_CERTIFICATES: "the certificates"
        case .RC_PART_REVOCATION_LISTS: "the revocation lists"
        case .RC_PART_SIGNER: "the signer"
        case .RC_PART_SIGNER_VERSION: "the signer's version"
        case .RC_PART_SIGNER_CERTIFICATE: "the name of the signer's certificate"
        case .RC_PART_DIGEST_ALGORITHM: "the signer's digest algorithm"
        case .RC_PART_SIGNED_ATTRIBUTES: "the signed attributes"
        case .RC_PART_SIGNATURE_ALGORITHM: "the signature algorithm"
        case .RC_PART_SIGNATURE: "the signature"
        case .RC_PART_UNSIGNED_ATTRIBUTES: "the unsigned attributes"
        case .RC_PART_END: "bytes after the end"
        }
    }
}
