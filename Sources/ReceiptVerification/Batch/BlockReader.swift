/// Cuts a source into blocks of whole records, holding no more than one block and one record at a time.
struct BlockReader {
    /// Enough for some fifty receipts: small enough to share out, large enough to forget the cost of sharing.
    private static let blockSize = 262_144

    private let source: BatchSource
    private let recordLimit: Int
    private var pending: [UInt8] = []
    /// Where the bytes begin that no block has yet.
    private var start = 0
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
            let isEnough = isAtEnd || pending.count - start >= Self.blockSize
            if isEnough, let end = endOfRecords() {
                // A record that is too long is refused the same way whether its bytes came at once or in pieces.
                return end - start > longest ? try skipOversizedRecord() : take(upTo: end)
            }
            if pending.count - start > longest { return try skipOversizedRecord() }
            if isAtEnd { return start < pending.count ? take(upTo: pending.count) : nil }
            try fill()
        }
    }

    /// No block is longer than this: one record that is as long as any may be, or many short ones.
    private var longest: Int { max(recordLimit, Self.blockSize) }

    // MARK: Bytes

    private mutating func fill() throws {
        if start > pending.count / 2 {
            pending.removeSubrange(..<start)
            start = 0
        }
        guard let bytes = try source.read() else {
            isAtEnd = true
            return
        }
        pending += bytes
    }

    private mutating func take(upTo end: Int) -> BatchBlock {
        let records = pending[start..<end]
        let block = makeBlock(.records([UInt8](records)))
        line += records.reduce(into: 0) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
        start = end
        return block
    }

    private func makeBlock(_ content: BatchBlock.Content) -> BatchBlock {
        BatchBlock(source: source.name, format: source.format, column: column, firstLine: line, content: content)
    }

    /// Where the whole records end that make a block: at the last one that fits, or at the first one where none fits.
    private func endOfRecords() -> Int? {
        let window = min(start + Self.blockSize, pending.count)
        guard case .csv = source.format else {
            let feed = UInt8(ascii: "\n")
            let last = pending[start..<window].lastIndex(of: feed) ?? pending[window...].firstIndex(of: feed)
            return last.map { $0 + 1 }
        }
        // A line feed inside quotation marks belongs to a field, which only CSV knows.
        var isQuoted = false
        var end: Int?
        for index in start..<pending.count {
            if index >= window, end != nil { break }
            if pending[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if pending[index] == UInt8(ascii: "\n"), !isQuoted { end = index + 1 }
        }
        return end
    }

    /// Reads on to the end of a line without keeping it.
    private mutating func skipOversizedRecord() throws -> BatchBlock {
        var block = makeBlock(.oversized(byteCount: 0))
        var skipped = 0
        while true {
            if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
                skipped += end - start
                start = end + 1
                line += 1
                break
            }
            skipped += pending.count - start
            pending = []
            start = 0
            try fill()
            if isAtEnd { break }
        }
        block.content = .oversized(byteCount: skipped)
        return block
    }

    private mutating func wholeSource() throws -> BatchBlock? {
        guard !isAtEnd else { return nil }
        var skipped = 0
        while !isAtEnd {
            try fill()
            if pending.count > recordLimit || skipped > 0 {
                skipped += pending.count
                pending = []
            }
        }
        return makeBlock(skipped > 0 ? .oversized(byteCount: skipped) : .whole(pending))
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
        start = min((end ?? pending.count) + 1, pending.count)
        line += 1
    }
}
