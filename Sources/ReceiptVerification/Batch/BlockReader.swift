/// Cuts a source into blocks of whole records, holding no more than one block and one record at a time.
struct BlockReader {
    /// Enough for some fifty receipts: small enough to share out, large enough to forget the cost of sharing.
    private static let blockSize = 262_144

    private let source: BatchSource
    private let recordLimit: Int
    private var pending: [UInt8] = []
    private var line = 1
    private var column = 0
    private var needsHeader: Bool
    private var isAtEnd = false

    init(_ source: BatchSource, recordLimit: Int) {
        self.source = source
        self.recordLimit = recordLimit
        if case .csv = source.format { needsHeader = true } else { needsHeader = false }
    }

    /// The next block; nil at the end of the source.
    mutating func next() throws -> BatchBlock? {
        if source.format == .whole { return try wholeSource() }
        if needsHeader { try readHeader() }
        while true {
            let end = endOfRecords()
            if end > 0, end >= Self.blockSize || isAtEnd || end == pending.count && pending.count >= Self.blockSize {
                return take(end)
            }
            if isAtEnd { return pending.isEmpty ? nil : take(pending.count) }
            if pending.count - end > recordLimit { return end > 0 ? take(end) : try skipOversizedRecord() }
            if end >= Self.blockSize { return take(end) }
            try fill()
        }
    }

    // MARK: Bytes

    private mutating func fill() throws {
        guard let bytes = try source.read() else {
            isAtEnd = true
            return
        }
        pending += bytes
    }

    private mutating func take(_ count: Int) -> BatchBlock {
        let block = makeBlock(.records([UInt8](pending[..<count])))
        line += Self.lineFeeds(in: pending[..<count])
        pending.removeSubrange(..<count)
        return block
    }

    private func makeBlock(_ content: BatchBlock.Content) -> BatchBlock {
        BatchBlock(source: source.name, format: source.format, column: column, firstLine: line, content: content)
    }

    /// Where the last whole record ends: behind a line feed outside quotation marks, which only CSV gives a meaning.
    private func endOfRecords() -> Int {
        guard case .csv = source.format else {
            return (pending.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        }
        var isQuoted = false
        var end = 0
        for (index, byte) in pending.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { end = index + 1 }
        }
        return end
    }

    /// Reads on to the end of a record without keeping it.
    private mutating func skipOversizedRecord() throws -> BatchBlock {
        let start = line
        var skipped = 0
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                skipped += end
                line += 1
                pending.removeSubrange(...end)
                break
            }
            skipped += pending.count
            pending = []
            try fill()
            if isAtEnd { break }
        }
        var block = makeBlock(.oversized(byteCount: skipped))
        block.firstLine = start
        return block
    }

    private mutating func wholeSource() throws -> BatchBlock? {
        guard !isAtEnd else { return nil }
        var count = 0
        while !isAtEnd {
            try fill()
            count += pending.count > recordLimit ? pending.count : 0
            if pending.count > recordLimit { pending = [] }
        }
        return makeBlock(count > 0 ? .oversized(byteCount: count) : .whole(pending))
    }

    // MARK: CSV

    private mutating func readHeader() throws {
        guard case .csv(let name) = source.format else { return }
        needsHeader = false
        var end: Int?
        while end == nil, !isAtEnd, pending.count <= recordLimit {
            try fill()
            end = pending.firstIndex(of: UInt8(ascii: "\n"))
        }
        let header = pending[..<(end ?? pending.count)]
        let names = CSV.fields(of: header.starts(with: [0xEF, 0xBB, 0xBF]) ? header.dropFirst(3) : header)
        guard let column = names.firstIndex(of: [UInt8](name.utf8)) else {
            throw BatchError(code: .noSuchColumn, source: source.name, detail: name)
        }
        self.column = column
        pending.removeSubrange(..<min((end ?? pending.count) + 1, pending.count))
        line += 1
    }

    private static func lineFeeds(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(into: 0) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
    }
}
