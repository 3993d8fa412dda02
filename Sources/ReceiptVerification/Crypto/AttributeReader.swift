internal import CReceiptCrypto

/// Reads the attributes of an app receipt, or of an in-app purchase in it, one after another.
package struct AttributeReader: ~Escapable {
    /// An attribute: its number, its version, and its value.
    package struct Attribute {
        fileprivate let attribute: rc_attribute

        package var type: Int64 { attribute.type }
        package var version: Int64 { attribute.version }
        /// The place of the value in the bytes.
        package var value: Range<Int> { attribute.value.range }
        /// The value as a number; nil unless it is one INTEGER of at most 8 bytes.
        package var integer: Int64? { attribute.is_number ? attribute.number : nil }

        /// Returns the place of the contents of the element that is the whole value; nil for any other value.
        package func contents(of identifier: DER.Identifier) -> Range<Int>? {
            attribute.identifier == identifier.octet ? attribute.contents.range : nil
        }
    }

    /// The end or the next attribute.
    package enum Next {
        case attribute(Attribute)
        case end
        /// The bytes at the place are not an attribute, or its type or version has more than 8 bytes.
        case malformed(at: Int)
    }

    /// Room for attributes that are read ahead, which several readers can use one after another.
    package final class Buffer {
        fileprivate var attributes: [rc_attribute]
        fileprivate var count = 0

        package init() {
            // The attributes of a purchase, and less than a kilobyte: the C library keeps such blocks for reuse.
            attributes = Array(repeating: rc_attribute(), count: 15)
        }
    }

    private let bytes: RawSpan
    private let buffer: Buffer
    private var index = 0
    private var offset = 0

    /// Creates a reader of attributes that follow each other, which is what the SET of a receipt contains.
    ///
    /// - Parameter buffer: A buffer that no other reader uses at the same time.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan, _ buffer: Buffer) {
        self.bytes = bytes
        self.buffer = buffer
        buffer.count = 0
    }

    /// Reads the next attribute.
    package mutating func next() -> Next {
        if index == buffer.count {
            index = 0
            switch fill() {
            case .RC_OK: break
            case .RC_NO: return .end
            default: return .malformed(at: offset)
            }
        }
        defer { index += 1 }
        return .attribute(Attribute(attribute: buffer.attributes[index]))
    }

    private mutating func fill() -> rc_status {
        var offset = offset
        var found = 0
        let status = unsafe bytes.withPointer { (pointer, count) in
            unsafe buffer.attributes.withUnsafeMutableBufferPointer { attributes in
                unsafe rc_attributes_read(
                    pointer, count, &offset, attributes.baseAddress, attributes.count, &found)
            }
        }
        self.offset = offset
        buffer.count = found
        return status
    }
}
