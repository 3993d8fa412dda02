/// Base64 in its two alphabets, in canonical form only (RFC 4648 3.5, 4 and 5).
///
/// Each sequence of bytes has exactly one encoding. A decoder that also accepted unexpected padding, white space, or
/// spare bits that are not zero would accept many different encodings of one receipt.
package struct Base64: Sendable {
    /// The bits of each byte as the first, second, third and last digit of a group, where they stand in the three
    /// decoded bytes, the first byte lowest. The highest byte is 0 for digits only.
    private let values: [UInt32]
    private let digits: [UInt8]
    private let isPadded: Bool

    /// Base64url without padding, as in a JWS (RFC 7515 2).
    package static let url = Base64(lastDigits: "-_", isPadded: false)
    /// Standard base64 with padding, as in `x5c` (RFC 7515 4.1.6).
    package static let standard = Base64(lastDigits: "+/", isPadded: true)

    private static let invalid: UInt32 = 0xFF00_0000

    private init(lastDigits: String, isPadded: Bool) {
        digits = [UInt8](("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
        var values = [UInt32](repeating: Self.invalid, count: 4 * 256)
        for (value, digit) in digits.enumerated() {
            let (value, digit) = (UInt32(value), Int(digit))
            values[digit] = value << 2
            values[256 + digit] = (value >> 4) | (value & 0b1111) << 12
            values[512 + digit] = (value >> 2) << 8 | (value & 0b11) << 22
            values[768 + digit] = value << 16
        }
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
        guard let digitCount = digitCount(of: text) else { return nil }
        let byteCount = Self.byteCount(of: digitCount)
        guard byteCount > 0 else { return [] }
        var isCanonical = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { (buffer, count) in
            guard let base = buffer.baseAddress else { return }
            isCanonical = unsafe decode(text, digitCount, into: base)
            count = isCanonical ? byteCount : 0
        }
        return isCanonical ? bytes : nil
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
        _ values: UnsafeBufferPointer<UInt32>,
        into target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // Safe: `source` has `count` bytes, `values` has four for every UInt8, and `target` has room for what `decode`
        // computed from `count`. The offsets below are within these bounds.
        var read = 0
        var written = 0
        var seen: UInt32 = 0
        // A group is written as four bytes; the next one overwrites the fourth.
        while read + 8 <= count {
            let group = unsafe group(source + read, values)
            seen |= group
            unsafe UnsafeMutableRawPointer(target + written).storeBytes(of: group.littleEndian, as: UInt32.self)
            read += 4
            written += 3
        }
        while read + 4 <= count {
            let group = unsafe group(source + read, values)
            seen |= group
            unsafe target[written] = UInt8(truncatingIfNeeded: group)
            unsafe target[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
            unsafe target[written + 2] = UInt8(truncatingIfNeeded: group >> 16)
            read += 4
            written += 3
        }
        let rest = count - read
        if rest >= 2 {
            let third = rest == 3 ? unsafe values[512 + Int(source[read + 2])] : 0
            let group = unsafe values[Int(source[read])] | values[256 + Int(source[read + 1])] | third
            seen |= group
            unsafe target[written] = UInt8(truncatingIfNeeded: group)
            if rest == 3 { unsafe target[written + 1] = UInt8(truncatingIfNeeded: group >> 8) }
            let spare = rest == 3 ? group >> 16 : group >> 8
            if spare & 0xFF != 0 { return false }
        }
        return seen & invalid == 0
    }

    private static func group(_ digits: UnsafePointer<UInt8>, _ values: UnsafeBufferPointer<UInt32>) -> UInt32 {
        unsafe values[Int(digits[0])] | values[256 + Int(digits[1])] | values[512 + Int(digits[2])]
            | values[768 + Int(digits[3])]
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
