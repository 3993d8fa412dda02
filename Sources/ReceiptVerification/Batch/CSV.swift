/// Comma-separated values (RFC 4180).
enum CSV {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")

    // MARK: Reading

    /// Returns the fields of one record, which has no line break at its end.
    static func fields(of record: RawSpan) -> [[UInt8]] {
        var fields: [[UInt8]] = []
        var start = 0
        while let field = nextField(of: record, from: &start) { fields.append(field) }
        return fields
    }

    /// Returns the field at an index; nil if the record has fewer fields.
    static func field(_ column: Int, of record: RawSpan) -> [UInt8]? {
        var start = 0
        for _ in 0..<column { guard nextField(of: record, from: &start) != nil else { return nil } }
        return nextField(of: record, from: &start)
    }

    /// Reads a field and moves `start` past its comma, or past the end of the record after the last field.
    private static func nextField(of record: RawSpan, from start: inout Int) -> [UInt8]? {
        guard start <= record.byteCount else { return nil }
        let comma = record.firstOffset(of: UInt8(ascii: ","), from: start) ?? record.byteCount
        let plain = record.extracting(start..<comma)
        guard plain.firstOffset(of: quote) != nil else {
            start = comma + 1
            return plain.withoutReturn(ifLast: comma == record.byteCount).array
        }
        var field: [UInt8] = []
        var isQuoted = false
        while start < record.byteCount {
            let byte = record.byte(at: start)
            start += 1
            if byte == quote {
                if isQuoted, start < record.byteCount, record.byte(at: start) == quote {
                    field.append(quote)
                    start += 1
                } else {
                    isQuoted.toggle()
                }
            } else if byte == UInt8(ascii: ","), !isQuoted {
                return field
            } else if !(byte == UInt8(ascii: "\r") && start == record.byteCount) {
                field.append(byte)
            }
        }
        start = record.byteCount + 1
        return field
    }

    // MARK: Writing

    /// Appends a field, quoted if necessary.
    ///
    /// If a spreadsheet would read the field as a formula, it gets a leading apostrophe, which spreadsheets do not
    /// show. Some spreadsheets read the full-width forms of the first characters of a formula too.
    static func append(_ text: String, to output: inout [UInt8]) {
        var bytes = [UInt8](text.utf8)
        if let first = text.unicodeScalars.first, "=+-@＝＋－＠".unicodeScalars.contains(first) {
            bytes.insert(UInt8(ascii: "'"), at: 0)
        }
        guard bytes.contains(where: { [quote, UInt8(ascii: ","), lineFeed, 0x0D].contains($0) }) else {
            output += bytes
            return
        }
        output.append(quote)
        for byte in bytes {
            if byte == quote { output.append(quote) }
            output.append(byte)
        }
        output.append(quote)
    }
}

extension RawSpan {
    /// Returns the field without a carriage return at the end of the record.
    @_lifetime(copy self)
    fileprivate func withoutReturn(ifLast isLast: Bool) -> RawSpan {
        let hasReturn = isLast && byteCount > 0 && byte(at: byteCount - 1) == UInt8(ascii: "\r")
        return hasReturn ? extracting(0..<byteCount - 1) : self
    }
}
