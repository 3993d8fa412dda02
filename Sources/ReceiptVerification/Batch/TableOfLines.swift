/// Tells whether lines that are no receipts are a table with receipts in one of its columns.
struct TableOfLines {
    private var delimiter: UInt8?
    private var header: [[UInt8]] = []
    private var isTable = true
    /// The number of receipts in each column.
    private var counts: [Int] = []

    /// The names of the columns.
    var names: [String] { header.map { String(decoding: $0, as: UTF8.self) } }

    /// The name of the column with the most receipts; nil if there are none. A line break in a cell shifts some cells.
    var columnOfReceipts: String? {
        guard let most = counts.max(), most > 0 else { return nil }
        return counts.firstIndex(of: most).map { names[$0] }
    }

    /// Adds a line; the first one is the header.
    mutating func add(_ line: RawSpan) {
        guard isTable else { return }
        guard let delimiter else { return readHeader(line) }
        for (index, cell) in CSV.fields(of: line, delimiter: delimiter).prefix(header.count).enumerated()
        where JWSForm.matchesSegments(cell) {
            counts[index] += 1
        }
    }

    private mutating func readHeader(_ line: RawSpan) {
        for delimiter in CSV.delimiters {
            let names = CSV.fields(of: line, delimiter: delimiter)
            guard names.count > max(header.count, 1) else { continue }
            (self.delimiter, header) = (delimiter, names)
        }
        isTable = delimiter != nil && !header.contains(where: JWSForm.matchesSegments)
        counts = header.map { _ in 0 }
    }
}
