internal import CReceiptCrypto

/// Encodes elements of ASN.1 (X.690), for the containers of test receipts.
package enum ASN1 {
    /// The tag of an element.
    package enum Tag: Sendable, Hashable {
        case octetString, utf8String, ia5String, sequence, set
        /// A tag of its context, such as `[0]`.
        case context(UInt8)

        fileprivate var number: UInt8 {
            switch self {
            case .octetString: 4
            case .utf8String: 12
            case .sequence: 16
            case .set: 17
            case .ia5String: 22
            case .context(let number): number
            }
        }

        fileprivate var isOfContext: Bool { if case .context = self { true } else { false } }
    }

    /// The form of an element.
    package enum Form: Sendable, Hashable {
        /// The contents are a value.
        case primitive
        /// The contents are elements.
        case constructed
        /// The contents are elements, and two zero bytes end them, as in BER (X.690 8.1.3.6).
        case indefinite

        fileprivate var native: rc_asn1_form {
            switch self {
            case .primitive: .RC_ASN1_PRIMITIVE
            case .constructed: .RC_ASN1_CONSTRUCTED
            case .indefinite: .RC_ASN1_INDEFINITE
            }
        }
    }

    /// NULL.
    package static let null: [UInt8] = [0x05, 0x00]

    /// Returns an element with the given contents.
    package static func element(
        _ tag: Tag, _ contents: [UInt8], _ form: Form = .constructed
    ) throws(CryptoFault) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Int(RC_ASN1_HEADER_CAPACITY))
        var count = 0
        let status = unsafe header.withUnsafeMutableBufferPointer { buffer -> rc_status in
            guard let base = buffer.baseAddress else { return .RC_FAULT }
            return unsafe rc_asn1_header(form.native, tag.isOfContext, tag.number, contents.count, base, &count)
        }
        try status.orThrow()
        return header.prefix(count) + contents + (form == .indefinite ? [0, 0] : [])
    }

    /// Returns an INTEGER.
    package static func integer(_ value: Int64) throws(CryptoFault) -> [UInt8] {
        try unsafe bytes { out in unsafe rc_asn1_integer(value, &out) }
    }

    /// Returns an OBJECT IDENTIFIER from its dotted form.
    package static func objectIdentifier(_ oid: String) throws(CryptoFault) -> [UInt8] {
        try unsafe bytes { out in unsafe rc_asn1_object_identifier(oid, &out) }
    }

    /// Returns the issuer and the serial number that identify a certificate (RFC 5652 10.2.4).
    package static func issuerAndSerial(of certificate: Certificate) throws(CryptoFault) -> [UInt8] {
        try unsafe bytes { out in unsafe certificate.withRaw { unsafe rc_asn1_issuer_and_serial($0, &out) } }
    }

    private static func bytes(_ make: (inout OpaquePointer?) -> rc_status) throws(CryptoFault) -> [UInt8] {
        guard let bytes = try unsafe OwnedBytes(make) else { throw .libraryFailure }
        return bytes.array
    }
}
