/// Cuts a source into blocks of whole records, holding no more than one block and one record at a time.
struct BlockReader {
    /// Enough for a hundred receipts: small enough to share out, large enough to forget the cost of sharing.
    private static let blockSize = 524_288

    private let source: BatchSource
    private let recordLimit: Int
    /// Whether a block is made of what is there, rather than waiting for a full one.
    private let isImmediate: Bool
    private var pending: [UInt8] = []
    /// Where the bytes begin that no block has yet, in `pending` and in the source.
    private var start = 0
    private var offset = 0
    private var line = 1
    private var column = 0
    private var needsHeader: Bool
    private var isAtEnd = false

    init(_ source: BatchSource, recordLimit: Int, isImmediate: Bool = false) {
        self.source = source
        self.recordLimit = recordLimit
        self.isImmediate = isImmediate
        if case .csv = source.format { needsHeader = true } else { needsHeader = false }
    }

    /// The next block; nil at the end of the source.
    mutating func next() throws -> BatchBlock? {
        if source.format == .whole { return try wholeSource() }
        if needsHeader { try readHeader() }
        while true {
            let isEnough = isAtEnd || isImmediate || count >= Self.blockSize
            if isEnough, let end = endOfRecords() {
                // A record that is too long is refused the same way whether its bytes came at once or in pieces.
                return end - start > longest ? try skipOversizedRecord() : take(upTo: end)
            }
            if count > longest { return try skipOversizedRecord() }
            if isAtEnd { return count > 0 ? take(upTo: pending.count) : nil }
            try fill()
        }
    }

    /// Passes over what an earlier run has judged, and keeps none of it.
    mutating func skip(to position: BatchPosition) throws {
        if needsHeader { try readHeader() }
        while offset < position.offset {
            if count == 0 {
                guard !isAtEnd else { return }
                try fill()
            }
            advance(to: start + min(count, position.offset - offset))
        }
        line = position.lines + 1
        if source.format == .whole, position.lines > 0 { isAtEnd = true }
    }

    /// No block is longer than this: one record that is as long as any may be, or many short ones.
    private var longest: Int { max(recordLimit, Self.blockSize) }

    // MARK: Bytes

    /// The bytes that no block has yet.
    private var count: Int { pending.count - start }

    private mutating func fill() throws {
        if start > 0 {
            // A block may share these bytes, and then this makes a copy of what is left: less than one record.
            pending = [UInt8](pending[start...])
            start = 0
        }
        if try !source.read(&pending) { isAtEnd = true }
    }

    private mutating func advance(to end: Int) {
        offset += end - start
        start = end
    }

    private mutating func take(upTo end: Int) -> BatchBlock {
        let records = pending[start..<end]
        let lines = unsafe records.span.bytes.count(of: UInt8(ascii: "\n"))
        return makeBlock(.records(records), endingAt: end, lines: lines)
    }

    private mutating func makeBlock(_ content: BatchBlock.Content, endingAt end: Int, lines: Int) -> BatchBlock {
        let first = line
        advance(to: end)
        line += lines
        return BatchBlock(
            source: source.name, format: source.format, column: column, firstLine: first, content: content,
            end: BatchPosition(source: 0, offset: offset, lines: line - 1)
        )
    }

    /// Where the whole records end that make a block: at the last one that fits, or at the first one where none fits.
    private func endOfRecords() -> Int? {
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        let bytes = unsafe pending.span.bytes
        let window = min(start + Self.blockSize, pending.count)
        guard case .csv = source.format else {
            let feed = UInt8(ascii: "\n")
            let last = pending[start..<window].lastIndex(of: feed) ?? bytes.firstOffset(of: feed, from: window)
            return last.map { $0 + 1 }
        }
        // A line feed inside quotation marks belongs to a field, which only reading from the beginning can tell.
        var end: Int?
        while (end ?? start) < window, let next = CSV.endOfRecord(in: bytes, from: end ?? start) { end = next + 1 }
        return end
    }

    /// Reads on to the end of a line without keeping it.
    private mutating func skipOversizedRecord() throws -> BatchBlock {
        var skipped = 0
        while true {
            let feed = unsafe pending.span.bytes.firstOffset(of: UInt8(ascii: "\n"), from: start)
            let end = feed ?? pending.count
            skipped += end - start
            if feed != nil { return makeBlock(.oversized(byteCount: skipped), endingAt: end + 1, lines: 1) }
            if isAtEnd { return makeBlock(.oversized(byteCount: skipped), endingAt: end, lines: 0) }
            advance(to: end)
            try fill()
        }
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
        let content: BatchBlock.Content = skipped > 0 ? .oversized(byteCount: skipped) : .whole(pending)
        return makeBlock(content, endingAt: pending.count, lines: 1)
    }

    // MARK: CSV

    private mutating func readHeader() throws {
        guard case .csv(let name) = source.format else { return }
        needsHeader = false
        var feed: Int?
        while feed == nil, !isAtEnd, pending.count <= recordLimit {
            try fill()
            feed = unsafe pending.span.bytes.firstOffset(of: UInt8(ascii: "\n"))
        }
        let end = feed ?? pending.count
        let hasMark = pending.starts(with: [0xEF, 0xBB, 0xBF])
        let names = unsafe CSV.fields(of: pending.span.bytes.extracting((hasMark ? 3 : 0)..<end))
        guard let column = names.firstIndex(of: [UInt8](name.utf8)) else {
            throw BatchError(code: .noSuchColumn, source: source.name, detail: name)
        }
        self.column = column
        advance(to: min(end + 1, pending.count))
        line += 1
    }
}
