/// How a text writes the bytes of an app receipt: as numbers, as words of several bytes, or as the characters of a
/// string.
enum ByteNotation: Equatable {
    /// One number for each byte.
    case numbers(base: UInt32, digits: ClosedRange<Int>)
    /// One number for several bytes, with the first byte in its lowest digits (little endian).
    case words(base: UInt32, digits: ClosedRange<Int>)
    /// The characters of a string, some of them escaped, up to its quotation mark if it has one.
    case characters(quote: UInt8?)

    static let hexadecimal = numbers(base: 16, digits: 2...2)
    /// Hexadecimal without leading zeros.
    static let shortHexadecimal = numbers(base: 16, digits: 1...2)
    static let octal = numbers(base: 8, digits: 3...3)
    static let binary = numbers(base: 2, digits: 8...8)
    /// Decimal; languages without unsigned bytes print those from 128 on as negative numbers.
    static let decimal = numbers(base: 10, digits: 1...3)
    static let hexadecimalPairs = words(base: 16, digits: 2...4)
    static let hexadecimalQuadruples = words(base: 16, digits: 2...8)
    static let octalPairs = words(base: 8, digits: 6...6)

    /// What a text writes as one: some bytes, the first of them lowest, and the index after them.
    struct Unit {
        let value: UInt32
        let count: Int
        let end: Int
    }

    /// Returns what is written at an index; nil if that are no bytes.
    func unit(in text: ScannedText, at index: Int) -> Unit? {
        switch self {
        case .numbers(let base, let digits): number(base, digits, in: text, at: index)
        case .words(let base, let digits): word(base, digits, in: text, at: index)
        case .characters(let quote): character(before: quote, in: text, at: index)
        }
    }

    // MARK: Numbers

    private func number(_ base: UInt32, _ digits: ClosedRange<Int>, in text: ScannedText, at index: Int) -> Unit? {
        let isNegative = base == 10 && text[index] == UInt8(ascii: "-")
        guard let (value, end) = value(base, digits, in: text, at: isNegative ? index + 1 : index),
            value <= (isNegative ? 128 : 255)
        else { return nil }
        return Unit(value: isNegative ? 256 - value & 255 : value, count: 1, end: end)
    }

    private func word(_ base: UInt32, _ digits: ClosedRange<Int>, in text: ScannedText, at index: Int) -> Unit? {
        guard let (value, end) = value(base, digits, in: text, at: index) else { return nil }
        guard base == 16 else { return value <= 0xFFFF ? Unit(value: value, count: 2, end: end) : nil }
        // The last word of a dump can have fewer bytes.
        return (end - index) % 2 == 0 ? Unit(value: value, count: (end - index) / 2, end: end) : nil
    }

    private func value(
        _ base: UInt32, _ digits: ClosedRange<Int>, in text: ScannedText, at index: Int
    ) -> (value: UInt32, end: Int)? {
        var (value, end): (UInt32, Int) = (0, index)
        while end - index < digits.upperBound, let digit = Self.digit(text[end], base) {
            let (product, isLarge) = value.multipliedReportingOverflow(by: base)
            let (next, isLarger) = product.addingReportingOverflow(digit)
            guard !isLarge, !isLarger else { return nil }
            (value, end) = (next, end + 1)
        }
        guard digits.contains(end - index), digits.count == 1 || Self.digit(text[end], base) == nil else { return nil }
        return (value, end)
    }

    private static func digit(_ byte: UInt8?, _ base: UInt32) -> UInt32? {
        guard let value = byte.flatMap(Hexadecimal.value(of:)), value < base else { return nil }
        return UInt32(value)
    }

    // MARK: Characters

    /// The characters after a backslash that stand for another one.
    private static let escapes: [UInt8: UInt32] = [
        UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10, UInt8(ascii: "v"): 11,
        UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13, UInt8(ascii: "e"): 27,
    ]

    private func character(before quote: UInt8?, in text: ScannedText, at index: Int) -> Unit? {
        guard let byte = text[index], (0x20...0x7E).contains(byte) else { return nil }
        guard byte == UInt8(ascii: "\\") else {
            guard byte == quote else { return Unit(value: UInt32(byte), count: 1, end: index + 1) }
            // SQL and CSV write a quotation mark twice.
            return text[index + 1] == quote ? Unit(value: UInt32(byte), count: 1, end: index + 2) : nil
        }
        guard let next = text[index + 1] else { return nil }
        if let value = Self.escapes[next] { return Unit(value: value, count: 1, end: index + 2) }
        let number: (value: UInt32, end: Int)?
        switch next {
        case UInt8(ascii: "x"): number = value(16, 2...2, in: text, at: index + 2)
        case UInt8(ascii: "u"): number = value(16, 4...4, in: text, at: index + 2)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            number =
                value(8, 3...3, in: text, at: index + 1) ?? value(8, 2...2, in: text, at: index + 1)
                ?? value(8, 1...1, in: text, at: index + 1)
        default: return (0x21...0x7E).contains(next) ? Unit(value: UInt32(next), count: 1, end: index + 2) : nil
        }
        return number.flatMap { $0.value < 256 ? Unit(value: $0.value, count: 1, end: $0.end) : nil }
    }
}
