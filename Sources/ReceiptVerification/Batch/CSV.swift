/// Delimiter-separated values (RFC 4180).
enum CSV {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    static let comma = UInt8(ascii: ",")
    /// The delimiters that a header line can show.
    static let delimiters = [comma, UInt8(ascii: ";"), UInt8(ascii: "\t")]

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
        var closed = first
        var isPlain = false
        // Only a quotation mark at the beginning of a field opens it; anywhere else it is a character.
        if first < record.byteCount, record.byte(at: first) == quote {
            let quotation = endOfQuotation(in: record, from: first)
            closed = quotation.end
            isPlain = quotation.isClosed && !quotation.isDoubled
        }
        let end = record.firstOffset(of: delimiter, from: closed) ?? record.byteCount
        start = end + 1
        guard closed > first else { return Cell(range: first..<end, hasQuotes: false) }
        if isPlain, closed == end { return Cell(range: first + 1..<end - 1, hasQuotes: false) }
        return Cell(range: first..<end, hasQuotes: true)
    }

    /// Returns the offset after the quotation mark that closes a field, and whether there are doubled ones before it.
    ///
    /// - Parameter first: The offset of the quotation mark that opens it. A field that nothing closes ends with the
    ///   record.
    private static func endOfQuotation(
        in record: RawSpan, from first: Int
    ) -> (end: Int, isDoubled: Bool, isClosed: Bool) {
        var position = first + 1
        var isDoubled = false
        while let mark = record.firstOffset(of: quote, from: position) {
            guard mark + 1 < record.byteCount, record.byte(at: mark + 1) == quote else {
                return (mark + 1, isDoubled, true)
            }
            isDoubled = true
            position = mark + 2
        }
        return (record.byteCount, isDoubled, false)
    }

    /// Returns whether each field of a record that begins with a quotation mark also ends with the one that closes it.
    ///
    /// In any other record with a line break, a quotation mark that belongs to no pair can have joined several rows.
    static func isWellFormed(_ record: RawSpan, _ delimiter: UInt8) -> Bool {
        var start = 0
        while start <= record.byteCount {
            let first = start
            guard nextField(of: record, delimiter, from: &start) != nil else { return true }
            let end = start - 1
            guard first < end, record.byte(at: first) == quote else { continue }
            let quotation = endOfQuotation(in: record, from: first)
            guard quotation.isClosed, quotation.end == end else { return false }
        }
        return true
    }

    /// Returns the value of a field that begins with a quotation mark; what follows the closing one is part of it.
    private static func unquoted(_ text: RawSpan) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(text.byteCount)
        var isQuoted = true
        var index = 1
        while index < text.byteCount {
            let byte = text.byte(at: index)
            index += 1
            guard isQuoted, byte == quote else {
                value.append(byte)
                continue
            }
            if index < text.byteCount, text.byte(at: index) == quote {
                value.append(quote)
                index += 1
            } else {
                isQuoted = false
            }
        }
        return value
    }

    // MARK: Writing

    /// Appends a field, quoted if necessary.
    ///
    /// If a spreadsheet would read the field as a formula, it gets a leading apostrophe, which spreadsheets do not
    /// show; so does a field that has apostrophes before a formula, so that two fields never become one. Some
    /// spreadsheets read the full-width forms of the first characters of a formula too, or skip a first tab or line
    /// break.
    static func append(_ text: String, keepsDigits: Bool = false, to output: inout [UInt8]) {
        append(utf8: [UInt8](text.utf8), keepsDigits: keepsDigits, to: &output)
    }

    /// Appends the bytes of a field, quoted if necessary, with an apostrophe before what could be a formula.
    ///
    /// Where lists are written with semicolons, a spreadsheet separates cells at semicolons even within the quotation
    /// marks of this field, and reads a row after each line break in it. So what is after one of them could be a
    /// formula too.
    ///
    /// - Parameter keepsDigits: Whether a number that a spreadsheet would shorten becomes a formula whose value is the
    ///   text of the field. It consists of digits, so it is the only formula that is ever written.
    static func append(utf8 bytes: [UInt8], keepsDigits: Bool = false, to output: inout [UInt8]) {
        if keepsDigits, isShortenedNumber(bytes) {
            output += [UInt8](#""=""#.utf8) + [quote] + bytes + [quote, quote, quote]
            return
        }
        guard bytes.contains(where: isSpecial) else {
            if beginsFormula(bytes[...], isFirst: true) { output.append(apostrophe) }
            output += bytes
            return
        }
        output.append(quote)
        // Whether a cell begins here, or a cell that is cut off at a separator.
        var isBeginning = true
        for (index, byte) in bytes.enumerated() {
            if isBeginning, beginsFormula(bytes[index...], isFirst: index == 0) {
                output.append(apostrophe)
                isBeginning = false
            }
            if byte == quote { output.append(quote) }
            output.append(byte)
            // A quotation mark before the rest of a cell can disappear.
            isBeginning = isSeparator(byte) || isBeginning && byte == quote && index > 0
        }
        output.append(quote)
    }

    /// Returns whether a spreadsheet reads a field as a number and does not show it as it is written.
    ///
    /// It shows numbers of twelve digits and more with an exponent, and keeps fifteen digits of them; it removes zeros
    /// at the beginning, and takes an E between digits for an exponent.
    private static func isShortenedNumber(_ bytes: [UInt8]) -> Bool {
        // A text in a formula has at most 255 characters.
        guard bytes.count <= 255, let first = bytes.first, let last = bytes.last, isDigit(first), isDigit(last)
        else { return false }
        let others = bytes.filter { !isDigit($0) }
        if others.isEmpty { return bytes.count >= 12 || first == UInt8(ascii: "0") && bytes.count > 1 }
        return others == [UInt8(ascii: "E")] || others == [UInt8(ascii: "e")]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static let apostrophe = UInt8(ascii: "'")

    /// Returns whether a field with a byte is quoted.
    static func isSpecial(_ byte: UInt8) -> Bool { byte == quote || byte == comma || isSeparator(byte) }

    /// Returns whether a spreadsheet can begin another cell after a byte that is no comma.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == 0x09 || byte == lineFeed || byte == 0x0D
    }

    /// Returns whether a formula is at the beginning of some bytes, or behind apostrophes there.
    ///
    /// - Parameter isFirst: Whether they are the beginning of the field.
    private static func beginsFormula(_ bytes: ArraySlice<UInt8>, isFirst: Bool) -> Bool {
        let bytes = bytes.drop { $0 == apostrophe }
        guard let first = bytes.first else { return false }
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
        case 0x09, lineFeed, 0x0D: return isFirst
        // U+FF1D, U+FF0B, U+FF0D and U+FF20.
        case 0xEF:
            return [[0xBC, 0x9D], [0xBC, 0x8B], [0xBC, 0x8D], [0xBC, 0xA0]].contains(
                [UInt8](bytes.dropFirst().prefix(2)))
        default: return false
        }
    }
}
