internal import CReceiptCrypto

/// Reads elements of DER (X.690), each of which takes up all of the given bytes.
package enum DER {
    /// The identifier of an element.
    package enum Identifier: Sendable {
        case integer, utf8String, ia5String, set

        var octet: UInt8 {
            switch self {
            case .integer: UInt8(RC_DER_INTEGER)
            case .utf8String: UInt8(RC_DER_UTF8_STRING)
            case .ia5String: UInt8(RC_DER_IA5_STRING)
            case .set: UInt8(RC_DER_SET)
            }
        }
    }

    /// An INTEGER as far as it can be read.
    package enum Integer: Sendable, Hashable {
        case value(Int64)
        /// More than 8 bytes.
        case tooLong
        case malformed
    }

    /// Returns the place of an element's contents; nil unless the bytes are exactly one such element.
    package static func contents(of identifier: Identifier, in bytes: RawSpan) -> Range<Int>? {
        var contents = rc_span()
        let status = unsafe bytes.withPointer { (pointer, count) in
            unsafe rc_der_read(pointer, count, identifier.octet, &contents)
        }
        return status == .RC_OK ? contents.range : nil
    }

    /// Reads an INTEGER.
    package static func integer(in bytes: RawSpan) -> Integer {
        var value: Int64 = 0
        let status = unsafe bytes.withPointer { (pointer, count) in unsafe rc_der_integer(pointer, count, &value) }
        switch status {
        case .RC_OK: return .value(value)
        case .RC_UNSUPPORTED: return .tooLong
        default: return .malformed
        }
    }
}

extension rc_span {
    /// The place as a range of offsets; the C functions return places within the bytes that they were given.
    var range: Range<Int> { offset..<offset + count }
}
