extension UUIDText {
    /// A version 4 UUID in lower case (RFC 9562 5.4).
    package static func random(using generator: inout some RandomNumberGenerator) -> UUIDText {
        let high: UInt64 = generator.next() & ~0xf000 | 0x4000
        let low: UInt64 = generator.next() >> 2 | 0x8000_0000_0000_0000
        let digits = [high, low].map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, 16 - text.count)) + text
        }.joined()
        var rest = digits[...]
        return UUIDText(
            [8, 4, 4, 4, 12].map { length in
                defer { rest = rest.dropFirst(length) }
                return String(rest.prefix(length))
            }.joined(separator: "-")
        )
    }
}
