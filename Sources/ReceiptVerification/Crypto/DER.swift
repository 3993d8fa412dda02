internal import CReceiptCrypto

/// Reads elements of DER (X.690), each of which takes up all of the given bytes.
package enum DER {
    /// The identifier of an element.
    package enum Identifier: Sendable {
        case utf8String, ia5String, set

        fileprivate var octet: UInt8 {
            switch self {
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

/// Reads the attributes of an app receipt, or of an in-app purchase in it, one after another.
package struct AttributeReader: ~Escapable {
    /// An attribute: its number, its version, and the place of its value in the bytes.
    package struct Attribute: Sendable, Hashable {
        package let type: Int64
        package let version: Int64
        package let value: Range<Int>
    }

    /// The end or the next attribute.
    package enum Next: Sendable, Hashable {
        case attribute(Attribute)
        case end
        /// The bytes at the place are not an attribute, or a number of it has more than 8 bytes.
        case malformed(at: Int)
    }

    private let bytes: RawSpan
    private var offset = 0

    /// Creates a reader of attributes that follow each other, which is what the SET of a receipt contains.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// Reads the next attribute.
    package mutating func next() -> Next {
        var attribute = rc_attribute()
        var next = offset
        let status = unsafe bytes.withPointer { (pointer, count) in
            unsafe rc_attribute_next(pointer, count, &next, &attribute)
        }
        switch status {
        case .RC_OK:
            offset = next
            return .attribute(
                Attribute(type: attribute.type, version: attribute.version, value: attribute.value.range))
        case .RC_NO: return .end
        default: return .malformed(at: offset)
        }
    }
}

extension rc_span {
    /// The place as a range of offsets; the C functions return places within the bytes that they were given.
    var range: Range<Int> { offset..<offset + count }
}
