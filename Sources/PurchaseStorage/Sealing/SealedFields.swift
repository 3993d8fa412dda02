import SQLite

/// A list of fields as bytes that no other list of fields produces.
///
/// A seal binds such a list to its place, such as the columns of a row; a sealed value can also consist of one.
struct SealedFields {
    private(set) var bytes: [UInt8] = []

    /// Creates the fields of a row, or of another thing with a name of its own.
    init(of name: String, _ values: [SQLiteValue]) {
        append(.text(name))
        for value in values { append(value) }
    }

    mutating func append(_ value: SQLiteValue) {
        switch value {
        case .null: bytes.append(Kind.null.rawValue)
        case .integer(let integer): append(.integer, UInt64(bitPattern: integer))
        case .text(var text): text.withUTF8 { unsafe append(.text, UnsafeRawBufferPointer($0)) }
        case .blob(let blob): unsafe blob.withUnsafeBytes { unsafe append(.blob, $0) }
        }
    }

    mutating func append(_ value: BorrowedValue) {
        switch value {
        case .null: bytes.append(Kind.null.rawValue)
        case .integer(let integer): append(.integer, UInt64(bitPattern: integer))
        case .text(let text): unsafe text.withUnsafeBytes { unsafe append(.text, $0) }
        case .blob(let blob): unsafe blob.withUnsafeBytes { unsafe append(.blob, $0) }
        }
    }

    /// Removes the fields behind the first `count` bytes.
    mutating func truncate(to count: Int) {
        bytes.removeLast(max(bytes.count - count, 0))
    }

    private mutating func append(_ kind: Kind, _ number: UInt64) {
        bytes.append(kind.rawValue)
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ kind: Kind, _ content: UnsafeRawBufferPointer) {
        append(kind, UInt64(content.count))
        unsafe bytes.append(contentsOf: content)
    }

    /// The first byte of a field. The value of an integer, or the number of bytes of the others, follows as eight
    /// bytes.
    enum Kind: UInt8 {
        case null, integer, text, blob
    }
}
