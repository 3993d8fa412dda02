/// A minimal DER (X.690) writer and reader for certificates; it writes any tag with any content.
enum DER {
    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { sequence(parts) }
    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, [UInt8](parts.joined())) }
    static func set(_ part: [UInt8]) -> [UInt8] { value(0x31, part) }
    static func octetString(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }
    static func bitString(_ bytes: [UInt8], spareBits: UInt8 = 0) -> [UInt8] { value(0x03, [spareBits] + bytes) }
    static func utf8String(_ text: String) -> [UInt8] { value(0x0C, [UInt8](text.utf8)) }
    static func boolean(_ flag: Bool) -> [UInt8] { value(0x01, [flag ? 0xFF : 0]) }

    /// Returns a non-negative integer from its big-endian magnitude.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let digits = [UInt8](magnitude.drop { $0 == 0 })
        return value(0x02, digits.isEmpty || digits[0] >= 0x80 ? [0] + digits : digits)
    }

    /// Returns an object identifier from its dotted form.
    static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
        let first = arcs.count >= 2 ? [arcs[0] * 40 + arcs[1]] : []
        return value(0x06, (first + arcs.dropFirst(2)).flatMap(base128))
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var digits = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return digits
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        if count < 0x100 { return [0x81, UInt8(count)] }
        return [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    // MARK: Reading

    /// Returns the consecutive values in some bytes, each with its tag and length; nil if the bytes are not DER.
    static func values(in bytes: some Collection<UInt8>) -> [[UInt8]]? {
        var rest = ArraySlice([UInt8](bytes))
        var values: [[UInt8]] = []
        while !rest.isEmpty {
            guard let head = head(of: rest), rest.count >= head.count + head.length else { return nil }
            values.append([UInt8](rest.prefix(head.count + head.length)))
            rest = rest.dropFirst(head.count + head.length)
        }
        return values
    }

    /// Returns the content of a complete value.
    static func content(of value: [UInt8]) -> [UInt8] {
        head(of: value[...]).map { [UInt8](value.dropFirst($0.count)) } ?? []
    }

    private static func head(of bytes: ArraySlice<UInt8>) -> (count: Int, length: Int)? {
        let bytes = [UInt8](bytes.prefix(4))
        guard bytes.count >= 2 else { return nil }
        if bytes[1] < 0x80 { return (2, Int(bytes[1])) }
        let more = Int(bytes[1] & 0x7F)
        guard more == 1 || more == 2, bytes.count >= 2 + more else { return nil }
        return (2 + more, bytes[2..<2 + more].reduce(0) { $0 << 8 | Int($1) })
    }
}
