/// Delimiter-separated values (RFC 4180).
enum CSV {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    static let comma = UInt8(ascii: ",")

    /// A field of a record.
    struct Cell {
        /// The place of the field, without the quotation marks around it if there are no others.
        let range: Range<Int>
        /// Whether the range contains quotation marks that are not part of the value.
        let hasQuotes: Bool

        /// Returns the value.
        func value(in record: RawSpan) -> [UInt8] {
            let text = record.extracting(range)
            return hasQuotes ? CSV.unquoted(text) : text.array
        }
    }

    // MARK: Reading

    /// Returns the record without the carriage return of its line break.
    @_lifetime(copy record)
    static func withoutReturn(_ record: RawSpan) -> RawSpan {
        let hasReturn = record.byteCount > 0 && record.byte(at: record.byteCount - 1) == UInt8(ascii: "\r")
        return hasReturn ? record.extracting(0..<record.byteCount - 1) : record
    }

    /// Returns the values of one record, which has no line feed at its end.
    static func fields(of record: RawSpan, delimiter: UInt8 = comma) -> [[UInt8]] {
        let record = withoutReturn(record)
        var fields: [[UInt8]] = []
        var start = 0
        while let field = nextField(of: record, delimiter, from: &start) { fields.append(field.value(in: record)) }
        return fields
    }

    /// Finds the next field and moves `start` past its delimiter, or past the end of the record after the last field.
    ///
    /// - Parameter record: A record without its line break.
    static func nextField(of record: RawSpan, _ delimiter: UInt8, from start: inout Int) -> Cell? {
        guard start <= record.byteCount else { return nil }
        let first = start
        var end = record.firstOffset(of: delimiter, from: first) ?? record.byteCount
        var position = first
        var quotes = 0
        // Each quotation mark opens or closes; a doubled one closes the field and opens it again.
        while let mark = record.extracting(position..<end).firstOffset(of: quote) {
            position += mark + 1
            let closing = record.firstOffset(of: quote, from: position)
            position = closing.map { $0 + 1 } ?? record.byteCount
            quotes += closing == nil ? 1 : 2
            if end < position { end = record.firstOffset(of: delimiter, from: position) ?? record.byteCount }
        }
        start = end + 1
        if quotes == 2, record.byte(at: first) == quote, record.byte(at: end - 1) == quote {
            return Cell(range: first + 1..<end - 1, hasQuotes: false)
        }
        return Cell(range: first..<end, hasQuotes: quotes > 0)
    }

    private static func unquoted(_ text: RawSpan) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(text.byteCount)
        var isQuoted = false
        var index = 0
        while index < text.byteCount {
            let byte = text.byte(at: index)
            index += 1
            guard byte == quote else {
                value.append(byte)
                continue
            }
            if isQuoted, index < text.byteCount, text.byte(at: index) == quote {
                value.append(quote)
                index += 1
            } else {
                isQuoted.toggle()
            }
        }
        return value
    }

    // MARK: Writing

    /// Appends a field, quoted if necessary.
    ///
    /// If a spreadsheet would read the field as a formula, it gets a leading apostrophe, which spreadsheets do not
    /// show. Some spreadsheets read the full-width forms of the first characters of a formula too, or skip a first tab or
    /// line break.
    static func append(_ text: String, to output: inout [UInt8]) {
        append(utf8: [UInt8](text.utf8), to: &output)
    }

    /// Appends the bytes of a field, quoted if necessary, with an apostrophe before what could be a formula.
    static func append(utf8 bytes: [UInt8], to output: inout [UInt8]) {
        let isFormula = beginsFormula(bytes)
        guard bytes.contains(where: { $0 == quote || $0 == comma || $0 == lineFeed || $0 == 0x0D }) else {
            if isFormula { output.append(UInt8(ascii: "'")) }
            output += bytes
            return
        }
        output.append(quote)
        if isFormula { output.append(UInt8(ascii: "'")) }
        for byte in bytes {
            if byte == quote { output.append(quote) }
            output.append(byte)
        }
        output.append(quote)
    }

    private static func beginsFormula(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return false }
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: return true
        // U+FF1D, U+FF0B, U+FF0D and U+FF20.
        case 0xEF:
            return [[0xBC, 0x9D], [0xBC, 0x8B], [0xBC, 0x8D], [0xBC, 0xA0]].contains(
                [UInt8](bytes.dropFirst().prefix(2)))
        default: return false
        }
    }
}
