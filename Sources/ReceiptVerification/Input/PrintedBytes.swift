/// The way in which a text prints the bytes of an app receipt.
///
/// Databases, debuggers and programs print bytes in different ways: as numbers or as words of several bytes, in
/// hexadecimal, decimal, octal or binary, in one word, in groups, with signs or with the number of each byte between
/// them, as the characters of a string, and as a dump with an offset before each line and characters after it.
struct PrintedBytes {
    private let notation: ByteNotation
    private let separator: Separator
    /// The number of bytes in a line of a dump, each of which begins with an offset; nil if the text is no dump.
    private let width: Int?
    /// The index of the first byte.
    private let start: Int

    /// What stands between two bytes, with white space around it.
    private enum Separator: Equatable {
        case signs([UInt8])
        /// The number of the byte, as of a member of an object or of an element of an array.
        case number

        static let none = signs([])
    }

    /// What a string of a programming language writes before each byte, and PostgreSQL before all of them. To remove it
    /// would take the first byte for an escaped one.
    private static let escape = [UInt8]("\\x".utf8)
    private static let backslash = [UInt8]("\\".utf8)
    private static let signs = [":", "-", ",", ";"].map { [UInt8]($0.utf8) }
    private static let notLineFeed = ByteSet("\n").inverted
    private static let longestLine = 512
    private static let longestOffset = 32
    private static let lengths: ClosedRange<UInt8> = 0x80...0x84

    /// The notations and separators in which the first byte of a receipt begins with two characters, longest first: one
    /// can begin like another.
    private static func styles(beginningWith first: UInt8, _ second: UInt8) -> [(ByteNotation, Separator)] {
        switch (first, second) {
        case (UInt8(ascii: "3"), UInt8(ascii: "0")): hexadecimal
        case (UInt8(ascii: "4"), UInt8(ascii: "8")): decimal
        case (UInt8(ascii: "0"), UInt8(ascii: "6")): octal
        case (UInt8(ascii: "0"), UInt8(ascii: "0")): [(.binary, .none)]
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): [(.octalPairs, .none)]
        case (UInt8(ascii: "8"), UInt8(ascii: "0")...UInt8(ascii: "4")):
            [(.hexadecimalPairs, .none), (.hexadecimalQuadruples, .none)]
        default: []
        }
    }

    private static let hexadecimal: [(ByteNotation, Separator)] =
        [(.shortHexadecimal, .signs([UInt8](",0x".utf8))), (.hexadecimal, .signs(escape))]
        + signs.map { (.shortHexadecimal, .signs($0)) } + [(.hexadecimal, .none)]
    private static let decimal: [(ByteNotation, Separator)] =
        signs.map { (.decimal, .signs($0)) } + [(.decimal, .none), (.decimal, .number)]
    private static let octal: [(ByteNotation, Separator)] = [(.octal, .signs(backslash)), (.octal, .none)]

    /// Recognizes the style of an app receipt at an index; nil if none begins there.
    init?(at place: Int, in text: ScannedText) {
        guard let first = text[place], let second = text[place + 1] else { return nil }
        var styles = Self.styles(beginningWith: first, second)
        if first == UInt8(ascii: "0"), second == UInt8(ascii: "\\") {
            let quote = text[place - 1].flatMap { "\"'`".utf8.contains($0) ? $0 : nil }
            styles = [(.characters(quote: quote), .none)]
        }
        for (notation, separator) in styles {
            // Of a word of four bytes, the first two are in its second half.
            let start = notation == .hexadecimalQuadruples ? place - 4 : place
            let style = PrintedBytes(notation: notation, separator: separator, width: nil, start: start)
            guard style.hasFirstBytes(in: text) else { continue }
            let isDump = separator == .none && !style.isString
            let printed = PrintedBytes(
                notation: notation, separator: separator, width: isDump ? style.widthOfDump(in: text) : nil,
                start: start)
            guard AppReceiptForm.isPKCS7(printed.read(AppReceiptForm.headCount, in: text).bytes) else { continue }
            self = printed
            return
        }
        return nil
    }

    private init(notation: ByteNotation, separator: Separator, width: Int?, start: Int) {
        (self.notation, self.separator, self.width, self.start) = (notation, separator, width, start)
    }

    private var isString: Bool { if case .characters = notation { true } else { false } }
    private var isWord: Bool { if case .words = notation { true } else { false } }

    /// Returns whether the first two bytes are those of a receipt.
    private func hasFirstBytes(in text: ScannedText) -> Bool {
        guard let first = notation.unit(in: text, at: start), first.value & 0xFF == 0x30,
            !isWord || text[start - 1].flatMap(Hexadecimal.value(of:)) == nil
        else { return false }
        if first.count > 1 { return Self.lengths.contains(UInt8(truncatingIfNeeded: first.value >> 8)) }
        guard let next = index(after: first.end, number: 1, notation, in: text),
            let second = notation.unit(in: text, at: next)
        else { return false }
        return Self.lengths.contains(UInt8(truncatingIfNeeded: second.value))
    }

    /// Collects the receipt.
    func candidate(in text: ScannedText) -> AppReceiptCandidate {
        let declared = AppReceiptForm.byteCount(read(AppReceiptForm.headCount, in: text).bytes)
        var reading = read(declared ?? Budget.berReceiptSize, in: text)
        if declared == nil, text.budget.spend(reading.bytes.count), let count = AppReceiptForm.berCount(reading.bytes) {
            reading = read(count, in: text)
        }
        // A word that goes on after the receipt is none.
        let isJoined = separator == .none && width == nil && notation == .hexadecimal
        let isContinued = isJoined && notation.unit(in: text, at: reading.end) != nil
        if isContinued, PrintedBytes(at: reading.end, in: text) == nil { reading = read(.max, in: text) }
        let isComplete = text.budget.spend(reading.bytes.count) && AppReceiptScan.isContainer(reading.bytes)
        let isEscaped = separator == .signs(Self.escape) || separator == .signs(Self.backslash) || isString
        return AppReceiptCandidate(
            range: start..<max(reading.end, start + 1), receipt: reading.bytes, isComplete: isComplete,
            isUnwrapped: width != nil || isEscaped || text.has(Self.escape, at: max(start - 2, 0)))
    }

    // MARK: Reading

    private struct Reading {
        var bytes: [UInt8] = []
        /// The index after the last digit.
        var end: Int
    }

    /// Collects bytes until there are enough of them, or another receipt or something else begins.
    private func read(_ count: Int, in text: ScannedText) -> Reading {
        var reading = Reading(end: start)
        // The index after each byte: the beginning of another receipt is recognized at its end.
        var ends: [Int] = []
        var index = start
        var notation = notation
        while reading.bytes.count < count, let unit = notation.unit(in: text, at: index) {
            for place in 0..<unit.count where reading.bytes.count < count {
                reading.bytes.append(UInt8(truncatingIfNeeded: unit.value >> (8 * UInt32(place))))
                ends.append(unit.end)
                if let other = AppReceiptForm.lastHead(in: reading.bytes), other > 0 {
                    reading.bytes.removeLast(reading.bytes.count - other)
                    reading.end = ends[other - 1]
                    return reading
                }
            }
            reading.end = unit.end
            let isLineComplete = width.map { reading.bytes.count % $0 == 0 } ?? false
            let next =
                isLineComplete
                ? Self.firstByte(afterLineOf: reading.end, in: text)
                : self.index(after: reading.end, number: reading.bytes.count, notation, in: text)
            guard let next else { break }
            if next > reading.end, case .characters = notation { notation = .characters(quote: text[next - 1]) }
            index = next
        }
        return reading
    }

    /// Returns the index of the byte with a number, after what separates it from the byte before; nil if something else
    /// stands there.
    private func index(after end: Int, number: Int, _ notation: ByteNotation, in text: ScannedText) -> Int? {
        if case .characters(let quote) = notation {
            let isEnd = quote != nil && text[end] == quote && text[end + 1] != quote
            return isEnd ? Self.index(afterEndOfStringAt: end, in: text) : end
        }
        guard case .signs(let separator) = separator else { return Self.index(after: end, number: number, in: text) }
        let (spaces, gap) = width == nil ? (ByteSet.spaces, AppReceiptScan.maximumGap) : (Self.blanks, 3)
        var index = text.end(of: spaces, from: end, to: end + gap)
        guard !separator.isEmpty else { return index }
        if separator.first == UInt8(ascii: "\\") { index = Self.index(afterEndOfStringAt: index, in: text) }
        for sign in separator {
            // There can be a blank within ", 0x", and a line break as well.
            if sign == UInt8(ascii: "0") { index = text.end(of: spaces, from: index, to: index + gap) }
            guard text[index] == sign else { return nil }
            index += 1
        }
        return text.end(of: spaces, from: index, to: index + gap)
    }

    /// Returns the index after the number of a byte and the signs around it: `,"12":`, or `[12] =>`.
    private static func index(after end: Int, number: Int, in text: ScannedText) -> Int? {
        let gap = AppReceiptScan.maximumGap
        let first = text.end(of: signsOfMembers, from: end, to: end + gap)
        let last = text.end(of: decimalDigits, from: first, to: first + 8)
        guard last > first, Int(String(decoding: text.part(first..<last), as: UTF8.self)) == number else { return nil }
        let next = text.end(of: signsOfMembers, from: last, to: last + gap)
        return next > last ? next : nil
    }

    private static let decimalDigits = ByteSet("0123456789")
    private static let signsOfMembers = ByteSet(" \t\r\n,;:\"'[]()=>")

    /// Returns the index after the end of a string and the beginning of the next one, if both stand at an index, and
    /// otherwise the index: the string of a programming language can go on in another one.
    private static func index(afterEndOfStringAt index: Int, in text: ScannedText) -> Int {
        guard text[index].map(quotes.contains) == true else { return index }
        var next = text.end(of: joints, from: index + 1, to: index + AppReceiptScan.maximumGap)
        if text[next] == UInt8(ascii: "b") { next += 1 }
        return text[next].map(quotes.contains) == true ? next + 1 : index
    }

    private static let quotes = ByteSet("\"'")
    private static let blanks = ByteSet(" \t")
    /// What stands between two strings that are one.
    private static let joints = ByteSet(" \t\r\n+")

    // MARK: Dumps

    /// Returns the number of bytes in a line, if an offset stands before the beginning of a receipt, and another one
    /// before the next line.
    private func widthOfDump(in text: ScannedText) -> Int? {
        let before = max(start - Self.longestOffset, 0)
        let lineStart = text.part(before..<start).lastIndex(of: 0x0A).map { $0 + 1 } ?? before
        guard lineStart == 0 || text[lineStart - 1] == 0x0A, let offset = Self.offset(in: text, at: lineStart),
            offset.end == start
        else { return nil }
        let end = text.end(of: Self.notLineFeed, from: start, to: start + Self.longestLine)
        guard text[end] == 0x0A, let next = Self.offset(in: text, at: end + 1) else { return nil }
        // What is read up to the end of the line; the characters at its end can look like further bytes.
        let line = PrintedBytes(notation: notation, separator: separator, width: .max, start: start)
        let count = line.read(Self.longestLine, in: text).bytes.count
        // Offsets are hexadecimal, decimal or octal.
        return [16, 10, 8].lazy.compactMap { base -> Int? in
            guard let here = Int(offset.digits, radix: base), let there = Int(next.digits, radix: base),
                there > here, there - here <= count
            else { return nil }
            return there - here
        }.first
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
    private static func offset(in text: ScannedText, at start: Int) -> (digits: String, end: Int)? {
        var first = text.end(of: blanks, from: start, to: start + 8)
        if text[first] == UInt8(ascii: "0"), let sign = text[first + 1], sign | 0x20 == UInt8(ascii: "x") { first += 2 }
        var index = text.end(of: hexadecimalDigits, from: first, to: first + 16)
        guard index - first >= 4 else { return nil }
        let digits = String(decoding: text.part(first..<index), as: UTF8.self)
        if text[index] == UInt8(ascii: ":") { index += 1 }
        let end = text.end(of: blanks, from: index, to: index + 8)
        return end > index ? (digits, end) : nil
    }

    private static let hexadecimalDigits = ByteSet { Hexadecimal.value(of: $0) != nil }
}
