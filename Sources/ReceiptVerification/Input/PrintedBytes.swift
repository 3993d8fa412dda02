/// The way in which a text writes the bytes of an app receipt as numbers.
///
/// Databases, debuggers and programs print bytes in different ways: in hexadecimal as one word, in groups, with a sign
/// between two bytes, and as a dump with an offset before each line and characters after it; in decimal as an array,
/// with or without signs.
struct PrintedBytes {
    /// The signs between two bytes, around which there can be white space.
    private let separator: [UInt8]
    private let isDecimal: Bool
    /// The number of bytes in a line of a dump, each of which begins with an offset; nil if the text is no dump.
    private let width: Int?

    /// The longest ones first: one can begin like another.
    private static let separators = [",0x", "\\x", ":", "-", ",", ";", ""].map { [UInt8]($0.utf8) }
    /// What a string of a programming language writes before each byte, and PostgreSQL before all of them. To remove it
    /// would take the first byte for an escaped one.
    private static let escape = [UInt8]("\\x".utf8)
    private static let notLineFeed = ByteSet("\n").inverted
    private static let longestLine = 512
    private static let longestOffset = 32

    /// Recognizes the style of an app receipt at an index; nil if none begins there.
    init?(at start: Int, in text: ScannedText) {
        guard let first = text[start], let second = text[start + 1],
            [0x3330, 0x3438].contains(UInt16(first) << 8 | UInt16(second))
        else { return nil }
        let isDecimal = first == UInt8(ascii: "4")
        let separator = Self.separators.first { separator in
            guard !isDecimal || separator.count < 2,
                let next = Self.index(after: separator, in: text, from: start + 2),
                let length = Self.byte(in: text, at: next, isDecimal: isDecimal)
            else { return false }
            return (0x80...0x84).contains(length.value)
        }
        guard let separator else { return nil }
        let line = PrintedBytes(separator: separator, isDecimal: isDecimal, width: nil)
        let head = line.read(from: start, count: AppReceiptForm.headCount, in: text).bytes
        guard AppReceiptForm.isPKCS7(head) else { return nil }
        let isDump = separator.isEmpty && !isDecimal
        self.init(
            separator: separator, isDecimal: isDecimal,
            width: isDump ? Self.widthOfDump(around: start, in: text) : nil)
    }

    private init(separator: [UInt8], isDecimal: Bool, width: Int?) {
        (self.separator, self.isDecimal, self.width) = (separator, isDecimal, width)
    }

    /// Collects the receipt that begins at an index.
    func candidate(from start: Int, in text: ScannedText) -> AppReceiptCandidate {
        let declared = AppReceiptForm.byteCount(read(from: start, count: AppReceiptForm.headCount, in: text).bytes)
        var reading = read(from: start, count: declared ?? Budget.berReceiptSize, in: text)
        if declared == nil, text.budget.spend(reading.bytes.count), let count = AppReceiptForm.berCount(reading.bytes) {
            reading = read(from: start, count: count, in: text)
        }
        // A word that goes on after the receipt is none.
        let isWord = separator.isEmpty && width == nil && !isDecimal
        let isContinued = isWord && Self.byte(in: text, at: reading.end, isDecimal: false) != nil
        if isContinued, PrintedBytes(at: reading.end, in: text) == nil {
            reading = read(from: start, count: .max, in: text)
        }
        let isComplete = text.budget.spend(reading.bytes.count) && AppReceiptScan.isContainer(reading.bytes)
        return AppReceiptCandidate(
            range: start..<max(reading.end, start + 1), receipt: reading.bytes, isComplete: isComplete,
            isUnwrapped: width != nil || separator == Self.escape || text.has(Self.escape, at: max(start - 2, 0)))
    }

    // MARK: Reading

    private struct Reading {
        var bytes: [UInt8] = []
        /// The index after the last digit.
        var end: Int
    }

    /// Collects bytes from an index on, until there are enough of them, or another receipt or something else begins.
    private func read(from start: Int, count: Int, in text: ScannedText) -> Reading {
        var reading = Reading(end: start)
        // The index after each byte: the beginning of another receipt is recognized at its end.
        var ends: [Int] = []
        var index = start
        while reading.bytes.count < count, let byte = Self.byte(in: text, at: index, isDecimal: isDecimal) {
            reading.bytes.append(byte.value)
            reading.end = byte.end
            ends.append(reading.end)
            if let other = AppReceiptForm.lastHead(in: reading.bytes), other > 0 {
                reading.bytes.removeLast(reading.bytes.count - other)
                reading.end = ends[other - 1]
                break
            }
            let isLineComplete = width.map { reading.bytes.count % $0 == 0 } ?? false
            let next =
                isLineComplete
                ? Self.firstByte(afterLineOf: reading.end, in: text)
                : Self.index(after: separator, in: text, from: reading.end, inLine: width != nil)
            guard let next else { break }
            index = next
        }
        return reading
    }

    /// Returns the byte that is written at an index, and the index after it.
    private static func byte(in text: ScannedText, at index: Int, isDecimal: Bool) -> (value: UInt8, end: Int)? {
        guard !isDecimal else { return decimalByte(in: text, at: index) }
        guard let high = text[index].flatMap(Hexadecimal.value(of:)),
            let low = text[index + 1].flatMap(Hexadecimal.value(of:))
        else { return nil }
        return (high << 4 | low, index + 2)
    }

    private static func decimalByte(in text: ScannedText, at index: Int) -> (value: UInt8, end: Int)? {
        let start = text[index] == UInt8(ascii: "-") ? index + 1 : index
        let end = text.end(of: decimalDigits, from: start, to: start + 4)
        guard (1...3).contains(end - start) else { return nil }
        let value = text.part(start..<end).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        // Languages without unsigned bytes print those from 128 on as negative numbers.
        return start == index
            ? UInt8(exactly: value).map { ($0, end) } : Int8(exactly: -value).map { (UInt8(bitPattern: $0), end) }
    }

    private static let decimalDigits = ByteSet("0123456789")

    /// Returns the index after a separator with white space around it.
    private static func index(
        after separator: [UInt8], in text: ScannedText, from start: Int, inLine: Bool = false
    ) -> Int? {
        let (spaces, gap) = inLine ? (blanks, 3) : (ByteSet.spaces, AppReceiptScan.maximumGap)
        var index = text.end(of: spaces, from: start, to: start + gap)
        guard !separator.isEmpty else { return index }
        // The string of a programming language can end, and go on in another one.
        if separator == escape, let quote = text[index], quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            index = text.end(of: joints, from: index, to: start + gap)
            if text[index] == UInt8(ascii: "b"), text[index + 1] == quote { index += 2 }
        }
        for sign in separator {
            // There can be a blank within ", 0x", and a line break as well.
            if sign == UInt8(ascii: "0") { index = text.end(of: spaces, from: index, to: index + gap) }
            guard text[index] == sign else { return nil }
            index += 1
        }
        return text.end(of: spaces, from: index, to: index + gap)
    }

    private static let blanks = ByteSet(" \t")
    /// What stands between two strings that are one.
    private static let joints = ByteSet(" \t\r\n\"'+")

    // MARK: Dumps

    /// Returns the number of bytes in a line, if an offset stands before the beginning of a receipt, and another one
    /// before the next line.
    private static func widthOfDump(around start: Int, in text: ScannedText) -> Int? {
        let before = max(start - longestOffset, 0)
        let lineStart = text.part(before..<start).lastIndex(of: 0x0A).map { $0 + 1 } ?? before
        guard lineStart == 0 || text[lineStart - 1] == 0x0A, let offset = offset(in: text, at: lineStart),
            offset.end == start
        else { return nil }
        let end = text.end(of: notLineFeed, from: start, to: start + longestLine)
        guard text[end] == 0x0A, let next = Self.offset(in: text, at: end + 1), next.value > offset.value,
            next.value - offset.value <= longestLine
        else { return nil }
        let width = Int(next.value - offset.value)
        // Octal offsets look like twice as many bytes as the line has.
        return width == 32 && end - start < 64 ? 16 : width
    }

    /// Returns the index of the first byte in the line of a dump that follows the line of an index.
    private static func firstByte(afterLineOf index: Int, in text: ScannedText) -> Int? {
        let end = text.end(of: notLineFeed, from: index, to: index + longestLine)
        return text[end] == 0x0A ? offset(in: text, at: end + 1)?.end : nil
    }

    /// Returns the index after the offset at the beginning of a line of a dump.
    static func endOfOffset(in text: ScannedText, at start: Int) -> Int? { offset(in: text, at: start)?.end }

    /// Returns the offset at the beginning of a line, of 4 to 16 digits with or without `0x`, and the index of the
    /// first byte after it.
    private static func offset(in text: ScannedText, at start: Int) -> (value: UInt64, end: Int)? {
        var first = text.end(of: blanks, from: start, to: start + 8)
        if text[first] == UInt8(ascii: "0"), let sign = text[first + 1], sign | 0x20 == UInt8(ascii: "x") { first += 2 }
        var index = first
        var value: UInt64 = 0
        while index - first < 16, let digit = text[index].flatMap(Hexadecimal.value(of:)) {
            value = value << 4 | UInt64(digit)
            index += 1
        }
        guard index - first >= 4 else { return nil }
        if text[index] == UInt8(ascii: ":") { index += 1 }
        let end = text.end(of: blanks, from: index, to: index + 8)
        return end > index ? (value, end) : nil
    }
}
