/// Comma-separated values (RFC 4180).
enum CSV {
    private static let quote = UInt8(ascii: "\"")

    /// The fields of one record, without its line break.
    static func fields(of record: ArraySlice<UInt8>) -> [[UInt8]] {
        var fields: [[UInt8]] = []
        var field: [UInt8] = []
        var isQuoted = false
        var index = record.startIndex
        while index < record.endIndex {
            let byte = record[index]
            if byte == quote {
                let next = record.index(after: index)
                if isQuoted, next < record.endIndex, record[next] == quote {
                    field.append(quote)
                    index = next
                } else {
                    isQuoted.toggle()
                }
            } else if byte == UInt8(ascii: ","), !isQuoted {
                fields.append(field)
                field = []
            } else if !(byte == UInt8(ascii: "\r") && record.index(after: index) == record.endIndex) {
                field.append(byte)
            }
            index = record.index(after: index)
        }
        fields.append(field)
        return fields
    }

    /// Appends a field, in quotation marks where it needs them. A text that a spreadsheet would take for a formula gets
    /// an apostrophe before it, which spreadsheets do not show.
    static func append(_ text: String, to output: inout [UInt8]) {
        var bytes = [UInt8](text.utf8)
        if let first = bytes.first, "=+-@".utf8.contains(first) { bytes.insert(UInt8(ascii: "'"), at: 0) }
        guard bytes.contains(where: { [quote, UInt8(ascii: ","), 0x0A, 0x0D].contains($0) }) else {
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
