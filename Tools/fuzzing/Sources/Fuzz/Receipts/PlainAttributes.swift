/// The attributes of an app receipt, read a second time on purpose: with none of the verifier's code, and without
/// OpenSSL.
struct PlainAttributes {
    /// An attribute with the contents of its OCTET STRING.
    struct Attribute {
        let type: Int64
        let version: Int64
        let value: [UInt8]
    }

    let list: [Attribute]

    /// Reads a SET of attributes in DER that takes up all of the bytes; nil for anything else.
    init?(_ set: [UInt8]) {
        var outer = Reader(rest: set[...])
        guard let contents = outer.element(0x31), outer.rest.isEmpty else { return nil }
        var reader = Reader(rest: contents)
        var list: [Attribute] = []
        while !reader.rest.isEmpty {
            guard let attribute = reader.element(0x30) else { return nil }
            var inside = Reader(rest: attribute)
            guard let type = inside.integer(), let version = inside.integer(), let value = inside.element(0x04),
                inside.rest.isEmpty
            else { return nil }
            list.append(Attribute(type: type, version: version, value: [UInt8](value)))
        }
        self.list = list
    }

    /// Returns the text of a value that is exactly one string with this identifier.
    static func text(_ value: [UInt8], _ identifier: UInt8) -> String? {
        var reader = Reader(rest: value[...])
        guard let contents = reader.element(identifier), reader.rest.isEmpty else { return nil }
        return String(validating: contents, as: UTF8.self)
    }

    /// Returns the number of a value that is exactly one INTEGER.
    static func integer(_ value: [UInt8]) -> Int64? {
        var reader = Reader(rest: value[...])
        guard let number = reader.integer(), reader.rest.isEmpty else { return nil }
        return number
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// Reads an element with this identifier and its shortest length; returns its contents.
        mutating func element(_ identifier: UInt8) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == identifier, let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count, rest.first != 0 else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
                guard length >= 0x80 else { return nil }
            }
            guard length <= rest.count else { return nil }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }

        mutating func integer() -> Int64? {
            guard let bytes = element(0x02), let first = bytes.first, bytes.count <= 8 else { return nil }
            if bytes.count > 1, let second = bytes.dropFirst().first {
                guard !(first == 0 && second < 0x80), !(first == 0xFF && second >= 0x80) else { return nil }
            }
            return bytes.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
        }
    }
}
