extension RawSpan {
    /// The bytes without spaces, tabs and carriage returns at both ends.
    var trimmed: RawSpan {
        @_lifetime(copy self)
        get {
            var start = 0
            var end = byteCount
            while start < end, Self.isBlank(byte(at: start)) { start += 1 }
            while end > start, Self.isBlank(byte(at: end - 1)) { end -= 1 }
            return extracting(start..<end)
        }
    }

    /// The bytes without line breaks and blanks at the end.
    var withoutBreaks: RawSpan {
        @_lifetime(copy self)
        get {
            var end = byteCount
            while end > 0, byte(at: end - 1).isWhiteSpace { end -= 1 }
            return extracting(0..<end)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Whether the bytes begin with `eyJ`, as a JWS does if its header begins with `{"` and a letter.
    var looksLikeJWS: Bool {
        byteCount > 3 && byte(at: 0) == UInt8(ascii: "e") && byte(at: 1) == UInt8(ascii: "y")
            && byte(at: 2) == UInt8(ascii: "J")
    }
}
