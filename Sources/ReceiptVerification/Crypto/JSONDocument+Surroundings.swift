extension JSONDocument {
    /// Parses JSON around receipts, which may have what a receipt must not have: numbers of any size, escapes of NUL
    /// and of half a character, and, if allowed, a key more than once in an object.
    ///
    /// If the text has any of these, the document shows that the text is JSON, and not all of its values: such a number
    /// or character is another one, and of equal keys the last one counts.
    ///
    /// - Parameters:
    ///   - maximumDepth: The deepest nesting, which counts the outermost array or object as 1.
    ///   - allowsDuplicates: Whether an object may have a key more than once.
    static func readSurroundings(
        _ text: RawSpan, maximumDepth: Int, allowsDuplicates: Bool
    ) throws(Fault) -> JSONDocument {
        do throws(Fault) {
            return try JSONDocument(parsing: text, maximumDepth: maximumDepth)
        } catch {
            switch error.problem {
            case .byteOrderMark, .utf8, .tooDeep, .outOfMemory: throw error
            case .syntax, .nul, .duplicateKey, .duplicateAlgorithm, .numberRange: break
            }
        }
        let moderate = ModerateJSON.text(of: text)
        return try moderate.withRawSpan { (span) throws(Fault) in
            try JSONDocument(parsing: span, maximumDepth: maximumDepth, allowsDuplicates: allowsDuplicates)
        }
    }
}

/// Replaces the values of a JSON text that the parser cannot hold by others of the same type.
///
/// A run of digits stays a run of digits, and an escape an escape, so the result is JSON if and only if the text is.
private struct ModerateJSON {
    /// The most digits of a number that stay.
    private static let maximumDigits = 18
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let replacement = [UInt8](#"\ufffd"#.utf8)

    private var output: [UInt8] = []

    static func text(of text: RawSpan) -> [UInt8] {
        var moderate = ModerateJSON()
        moderate.output.reserveCapacity(text.byteCount)
        var index = 0
        while index < text.byteCount {
            let byte = text.byte(at: index)
            if byte == quote {
                moderate.appendString(at: &index, of: text)
            } else if isDigit(byte) {
                moderate.appendDigits(at: &index, of: text)
            } else {
                moderate.output.append(byte)
                index += 1
            }
        }
        return moderate.output
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func append(_ range: Range<Int>, of text: RawSpan) {
        unsafe text.extracting(range).withUnsafeBytes { unsafe output.append(contentsOf: $0) }
    }

    // MARK: Numbers

    private mutating func appendDigits(at index: inout Int, of text: RawSpan) {
        let start = index
        while index < text.byteCount, Self.isDigit(text.byte(at: index)) { index += 1 }
        if isAfterExponentSign {
            output.append(UInt8(ascii: "0"))
        } else {
            append(start..<min(index, start + Self.maximumDigits), of: text)
        }
    }

    /// Whether the digits that come next are an exponent.
    private var isAfterExponentSign: Bool {
        let isSigned = output.last == UInt8(ascii: "+") || output.last == UInt8(ascii: "-")
        let letter = isSigned ? output.dropLast().last : output.last
        return letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E")
    }

    // MARK: Strings

    /// Appends the string that begins at an index, or the rest of the text if nothing ends it.
    private mutating func appendString(at index: inout Int, of text: RawSpan) {
        var start = index
        index += 1
        // Searched again only behind an escaped quotation mark, so that each byte is visited once.
        var end = text.firstOffset(of: Self.quote, from: index) ?? text.byteCount
        while let escape = text.extracting(index..<end).firstOffset(of: Self.backslash).map({ $0 + index }) {
            if let count = Self.length(ofLoneUnitAt: escape, in: text) {
                append(start..<escape, of: text)
                output += Self.replacement
                index = escape + count
                start = index
            } else {
                index = min(escape + Self.length(ofEscapeAt: escape, in: text), text.byteCount)
            }
            if index > end { end = text.firstOffset(of: Self.quote, from: index) ?? text.byteCount }
        }
        index = min(end + 1, text.byteCount)
        append(start..<index, of: text)
    }

    /// Returns the length of an escape of NUL, or of half a character without the other half; nil for any other escape.
    private static func length(ofLoneUnitAt escape: Int, in text: RawSpan) -> Int? {
        guard let unit = unit(at: escape, in: text), unit == 0 || (0xd800...0xdfff).contains(unit) else { return nil }
        return length(ofEscapeAt: escape, in: text) == 12 ? nil : 6
    }

    /// Returns the length of an escape: 12 for a character of two halves.
    private static func length(ofEscapeAt escape: Int, in text: RawSpan) -> Int {
        guard let first = unit(at: escape, in: text), (0xd800...0xdbff).contains(first),
            let second = unit(at: escape + 6, in: text), (0xdc00...0xdfff).contains(second)
        else { return 2 }
        return 12
    }

    /// Returns the value of `\uXXXX` at an offset; nil if there is none.
    private static func unit(at offset: Int, in text: RawSpan) -> UInt32? {
        guard offset + 6 <= text.byteCount, text.byte(at: offset) == backslash,
            text.byte(at: offset + 1) == UInt8(ascii: "u")
        else { return nil }
        var value: UInt32 = 0
        for index in offset + 2..<offset + 6 {
            guard let digit = Hexadecimal.value(of: text.byte(at: index)) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
