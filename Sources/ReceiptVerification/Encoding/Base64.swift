/// Base64 in its two alphabets, in canonical form only (RFC 4648 3.5, 4 and 5).
///
/// Each sequence of bytes has exactly one encoding. A decoder that also accepted unexpected padding, white space, or
/// spare bits that are not zero would accept many different encodings of one receipt.
package struct Base64: Sendable {
    private let values: [UInt8]
    private let digits: [UInt8]
    private let isPadded: Bool

    /// Base64url without padding, as in a JWS (RFC 7515 2).
    package static let url = Base64(lastDigits: "-_", isPadded: false)
    /// Standard base64 with padding, as in `x5c` (RFC 7515 4.1.6).
    package static let standard = Base64(lastDigits: "+/", isPadded: true)

    private static let invalid: UInt8 = 0xFF

    private init(lastDigits: String, isPadded: Bool) {
        digits = [UInt8](("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    /// Returns whether a byte is a digit of base64url.
    static func isURLDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // MARK: Decoding

    /// Decodes into a buffer.
    ///
    /// Returns false and empties the buffer if the text is not canonical.
    func decode(_ text: RawSpan, into output: inout ReusableBytes) -> Bool {
        guard let digitCount = digitCount(of: text) else { return unsafe output.replace(capacity: 0) { _ in nil } }
        let byteCount = Self.byteCount(of: digitCount)
        return unsafe output.replace(capacity: byteCount) { target in
            unsafe decode(text, digitCount, into: target) ? byteCount : nil
        }
    }

    /// Decodes to the end of an arena.
    ///
    /// Returns nil and adds nothing if the text is not canonical.
    func decode(_ text: RawSpan, appendingTo arena: inout ByteArena) -> Range<Int>? {
        guard let digitCount = digitCount(of: text) else { return nil }
        return unsafe arena.append(capacity: Self.byteCount(of: digitCount)) { target in
            unsafe decode(text, digitCount, into: target)
        }
    }

    private static func byteCount(of digitCount: Int) -> Int {
        digitCount / 4 * 3 + max(digitCount % 4 - 1, 0)
    }

    @unsafe
    private func decode(_ text: RawSpan, _ digitCount: Int, into target: UnsafeMutablePointer<UInt8>) -> Bool {
        unsafe text.withPointer { (source, _) in
            unsafe values.withUnsafeBufferPointer { values in
                unsafe Self.decode(source, digitCount, values, into: target)
            }
        }
    }

    /// Returns the decoded bytes; nil if the text is not canonical.
    func decode(_ text: RawSpan) -> [UInt8]? {
        var output = ReusableBytes()
        return decode(text, into: &output) ? output.bytes.array : nil
    }

    /// Returns the decoded bytes; nil if the text is not canonical.
    package func decode(_ text: String) -> [UInt8]? {
        [UInt8](text.utf8).withRawSpan { decode($0) }
    }

    /// Returns the number of digits, without padding; nil if length or padding is wrong.
    private func digitCount(of text: RawSpan) -> Int? {
        var count = text.byteCount
        if isPadded {
            guard count % 4 == 0 else { return nil }
            let padding = UInt8(ascii: "=")
            for _ in 0..<2 where count > 0 && text.byte(at: count - 1) == padding { count -= 1 }
        }
        return count % 4 == 1 ? nil : count
    }

    /// Writes `count / 4 * 3` bytes and up to 2 more.
    ///
    /// Returns false for a wrong character or a spare bit that is set.
    private static func decode(
        _ source: UnsafePointer<UInt8>,
        _ count: Int,
        _ values: UnsafeBufferPointer<UInt8>,
        into target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // Safe: `source` has `count` bytes, `values` has one for every UInt8, and `target` has room for what `decode`
        // computed from `count`. The offsets below are within these bounds.
        var read = 0
        var written = 0
        var seen: UInt8 = 0
        while read + 4 <= count {
            let a = unsafe values[Int(source[read])]
            let b = unsafe values[Int(source[read + 1])]
            let c = unsafe values[Int(source[read + 2])]
            let d = unsafe values[Int(source[read + 3])]
            seen |= a | b | c | d
            unsafe target[written] = a << 2 | b >> 4
            unsafe target[written + 1] = b << 4 | c >> 2
            unsafe target[written + 2] = c << 6 | d
            read += 4
            written += 3
        }
        let rest = count - read
        if rest >= 2 {
            let a = unsafe values[Int(source[read])]
            let b = unsafe values[Int(source[read + 1])]
            let c = rest == 3 ? unsafe values[Int(source[read + 2])] : 0
            seen |= a | b | c
            unsafe target[written] = a << 2 | b >> 4
            if rest == 3 { unsafe target[written + 1] = b << 4 | c >> 2 }
            let spare = rest == 3 ? c & 0b11 : b & 0b1111
            if spare != 0 { return false }
        }
        // Values of digits are less than 64; only the value of a wrong character has higher bits.
        return seen < 64
    }

    // MARK: Encoding

    /// Returns the canonical encoding of bytes.
    package func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var iterator = bytes.makeIterator()
        while let first = iterator.next() {
            let second = iterator.next()
            let third = second == nil ? nil : iterator.next()
            text.append(digits[Int(first >> 2)])
            text.append(digits[Int((first & 0b11) << 4 | (second ?? 0) >> 4)])
            if let second {
                text.append(digits[Int((second & 0b1111) << 2 | (third ?? 0) >> 6)])
            } else if isPadded {
                text.append(UInt8(ascii: "="))
            }
            if let third {
                text.append(digits[Int(third & 0b11_1111)])
            } else if isPadded {
                text.append(UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension RawSpan {
    /// Returns the byte at an offset, which must be in bounds.
    func byte(at offset: Int) -> UInt8 {
        // Checked: the load traps out of bounds, and every bit pattern is a UInt8.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
