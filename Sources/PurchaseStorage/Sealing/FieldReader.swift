import ReceiptTypes
import SQLite

/// Reads the fields of ``SealedFields`` from its start to its end; a field of another type reads as nil.
///
/// The bytes must be ones whose seal is right. A copy of the reader continues from the same field.
struct FieldReader: ~Escapable {
    private let bytes: RawSpan
    private var offset: Int

    /// Creates a reader that begins at the field with an offset.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, from offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Creates a reader of fields; nil if they are not those of a thing with this name.
    @_lifetime(copy bytes)
    init?(_ bytes: RawSpan, of name: String) {
        self.init(bytes, from: 0)
        guard let field = next(), field.kind == .text,
            unsafe bytes.extracting(field.content).withUnsafeBytes({ unsafe name.utf8.elementsEqual($0) })
        else { return nil }
    }

    var isEmpty: Bool { offset == bytes.byteCount }

    mutating func text() -> String? {
        guard let field = next(), field.kind == .text else { return nil }
        // The bytes are those of a string, because their seal is right.
        return unsafe bytes.extracting(field.content).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    mutating func integer() -> Int64? {
        guard let field = next(), field.kind == .integer else { return nil }
        return Int64(bitPattern: field.number)
    }

    mutating func int() -> Int? { integer().flatMap { Int(exactly: $0) } }

    mutating func blob() -> [UInt8]? {
        guard let field = next(), field.kind == .blob else { return nil }
        return unsafe bytes.extracting(field.content).withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Reads the next field if it is bytes, and otherwise leaves it.
    mutating func nextBlob() -> [UInt8]? {
        let start = offset
        if let bytes = blob() { return bytes }
        offset = start
        return nil
    }

    mutating func timestamp() -> Timestamp? { integer().flatMap(Timestamp.init(milliseconds:)) }

    mutating func skip(_ count: Int = 1) {
        for _ in 0..<count { _ = next() }
    }

    /// Returns the fields from here to the end.
    mutating func values() -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        while !isEmpty {
            var field = self
            switch next()?.kind {
            case .null?, nil: values.append(.null)
            case .integer?: values.append(SQLiteValue(field.integer()))
            case .text?: values.append(SQLiteValue(field.text()))
            case .blob?: values.append(field.blob().map(SQLiteValue.blob) ?? .null)
            }
        }
        return values
    }

    private struct Field {
        let kind: SealedFields.Kind
        let number: UInt64
        let content: Range<Int>
    }

    /// Returns the next field; nil at the end. What is no field ends the list.
    private mutating func next() -> Field? {
        guard offset < bytes.byteCount else { return nil }
        // Safe: each load is within the bytes, by the guard before it; any bytes are an integer.
        let kind = unsafe SealedFields.Kind(rawValue: bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        if kind == .null {
            offset += 1
            return Field(kind: .null, number: 0, content: offset..<offset)
        }
        let start = offset + 9
        guard let kind, start <= bytes.byteCount else { return end() }
        let number = unsafe UInt64(
            bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
        offset = start
        if kind == .integer { return Field(kind: kind, number: number, content: start..<start) }
        guard let count = Int(exactly: number), count <= bytes.byteCount - start else { return end() }
        offset = start + count
        return Field(kind: kind, number: number, content: start..<offset)
    }

    private mutating func end() -> Field? {
        offset = bytes.byteCount
        return nil
    }
}

extension RawSpan {
    /// A copy of the bytes.
    var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

    /// Calls `read` with a reader of the fields in these bytes; nil if they are not those of a thing with this name.
    func readFields<Value>(of name: String, _ read: (FieldReader) -> Value?) -> Value? {
        guard let fields = FieldReader(self, of: name) else { return nil }
        return read(fields)
    }
}

extension [UInt8] {
    /// Calls `read` with a reader of the fields in these bytes; nil if they are not those of a thing with this name.
    func readFields<Value>(of name: String, _ read: (FieldReader) -> Value?) -> Value? {
        // Safe: the bytes of an array of UInt8 are initialised and have no padding.
        unsafe span.bytes.readFields(of: name, read)
    }
}
