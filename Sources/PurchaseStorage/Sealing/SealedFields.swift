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

    private mutating func append(_ value: SQLiteValue) {
        switch value {
        case .null: bytes.append(Kind.null.rawValue)
        case .integer(let integer):
            bytes.append(Kind.integer.rawValue)
            append(UInt64(bitPattern: integer))
        case .text(let text): append(.text, Array(text.utf8))
        case .blob(let blob): append(.blob, blob)
        }
    }

    private mutating func append(_ kind: Kind, _ content: [UInt8]) {
        bytes.append(kind.rawValue)
        append(UInt64(content.count))
        bytes += content
    }

    private mutating func append(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private enum Kind: UInt8 {
        case null, integer, text, blob
    }

    /// Returns the fields in bytes that ``init(of:_:)`` made for the same name; nil for other bytes.
    static func decode(_ bytes: [UInt8], of name: String) -> [SQLiteValue]? {
        var rest = bytes[...]
        guard decodeValue(&rest) == .text(name) else { return nil }
        var values: [SQLiteValue] = []
        while !rest.isEmpty {
            guard let value = decodeValue(&rest) else { return nil }
            values.append(value)
        }
        return values
    }

    private static func decodeValue(_ rest: inout ArraySlice<UInt8>) -> SQLiteValue? {
        guard let kind = rest.popFirst().flatMap(Kind.init) else { return nil }
        if kind == .null { return .null }
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest.removeFirst(8)
        if kind == .integer { return .integer(Int64(bitPattern: number)) }
        guard let count = Int(exactly: number), count <= rest.count else { return nil }
        let content = rest.prefix(count)
        rest.removeFirst(count)
        if kind == .blob { return .blob([UInt8](content)) }
        return String(validating: content, as: UTF8.self).map(SQLiteValue.text)
    }
}
