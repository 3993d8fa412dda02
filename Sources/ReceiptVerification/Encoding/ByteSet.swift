internal import CReceiptCrypto

/// A set of bytes, for scanning texts of any size at the speed of C.
struct ByteSet: Sendable {
    private let members: [UInt8]

    /// The digits of base64url.
    static let urlDigits = ByteSet { Base64.isURLDigit($0) }
    /// The digits of both alphabets of base64, without padding.
    static let base64Digits = ByteSet { Base64.isURLDigit($0) || "+/".utf8.contains($0) }
    /// The bytes of a JWS, correct or not.
    ///
    /// Padding and digits of standard base64 are not around a JWS but in it, so that it is rejected.
    static let partsOfJWS = ByteSet { Base64.isURLDigit($0) || ".=+/".utf8.contains($0) }
    /// Line breaks, blanks and tabs.
    static let spaces = ByteSet { $0.isWhiteSpace }
    static let ascii = ByteSet { $0 < 0x80 }
    static let withoutLineBreaks = ByteSet { !$0.isLineBreak }

    init(_ contains: (UInt8) -> Bool) {
        members = (0...255).map { contains($0) ? 1 : 0 }
    }

    init(_ bytes: String) {
        let bytes = [UInt8](bytes.utf8)
        self.init { bytes.contains($0) }
    }

    /// The set of all other bytes.
    var inverted: ByteSet { ByteSet { !contains($0) } }

    func contains(_ byte: UInt8) -> Bool { members[Int(byte)] != 0 }

    /// Returns whether all bytes of a text are in the set.
    func containsAll(of text: [UInt8]) -> Bool { end(in: text, from: 0) == text.count }

    /// Returns the index of the first byte at or after `start` that is not in the set; the number of bytes if there is
    /// none.
    func end(in text: [UInt8], from start: Int) -> Int { end(in: text, from: start, to: text.count) }

    /// Returns the index of the first byte from `start` up to `limit` that is not in the set; the limit if there is
    /// none.
    ///
    /// A caller that needs no byte behind the limit must not search there: repeated for each word, that takes quadratic
    /// time.
    func end(in text: [UInt8], from start: Int, to limit: Int) -> Int {
        let limit = min(limit, text.count)
        guard 0 <= start, start < limit else { return limit }
        return text.withRawSpan { span in
            unsafe span.withPointer { (pointer, _) in
                unsafe members.withUnsafeBufferPointer { members in
                    // Safe: the table has an entry for every byte, and `start` and `limit` are within the text.
                    guard let table = members.baseAddress else { return limit }
                    return unsafe start + rc_skip_members(pointer + start, limit - start, table)
                }
            }
        }
    }
}

extension [UInt8] {
    /// Returns the index of the first `byte` at or after `start`; nil if there is none.
    package func firstIndex(of byte: Unicode.Scalar, from start: Int) -> Int? {
        withRawSpan { $0.firstOffset(of: UInt8(ascii: byte), from: start) }
    }

    /// The byte at an index; nil beyond the end.
    subscript(safe index: Int) -> UInt8? { index < count ? self[index] : nil }
}

extension UInt8 {
    var isLineBreak: Bool { self == 0x0A || self == 0x0D }

    /// Whether the byte is a line break, a blank or a tab.
    var isWhiteSpace: Bool { isLineBreak || self == 0x20 || self == 0x09 }
}
