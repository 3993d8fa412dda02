/// Splits a source into blocks of complete records.
///
/// At most one block and one record are in memory.
struct BlockReader {
    private let source: BatchSource
    private let recordLimit: Int
    /// The number of bytes after which a block is full.
    private let blockSize: Int
    /// The capacity of a buffer: a block and the bytes read with its last record.
    ///
    /// Reserving it avoids copies.
    private let roomSize: Int
    /// Whether a block is returned as soon as it has a record, instead of waiting for a full block.
    private let isImmediate: Bool
    private var pending: [UInt8] = []
    private var scanner: RecordScanner
    /// The offset of the first byte that no block contains, in `pending` and in the source.
    private var start = 0
    private var offset = 0
    /// The end of the complete records for the next block.
    private var end: Int?
    /// The end of an oversized record after them.
    private var longEnd: Int?
    private var line = 1
    private var column = 0
    private var needsHeader: Bool
    private var isAtEnd = false

    init(
        _ source: BatchSource,
        recordLimit: Int,
        blockSize: Int = BatchMemory.blockSize,
        isImmediate: Bool = false
    ) {
        self.source = source
        self.recordLimit = recordLimit
        self.blockSize = blockSize
        roomSize = blockSize + blockSize / 2
        self.isImmediate = isImmediate
        scanner = RecordScanner(source.format)
        needsHeader = scanner.isCSV
    }

    /// Returns the next block; nil at the end of the source.
    mutating func next() throws -> BatchBlock? {
        if source.format == .whole { return try wholeSource() }
        if needsHeader { try readHeader() }
        while true {
            findRecords()
            // An oversized record has the same result whether its bytes arrive at once or in pieces.
            let isLong = longEnd != nil || pending.count - (end ?? start) > recordLimit
            if let end, isAtEnd || isImmediate || isLong || end - start >= blockSize { return take(end) }
            if isLong { return try skipOversizedRecord() }
            if isAtEnd { return count > 0 ? take(pending.count) : nil }
            try fill()
        }
    }

    /// Skips the input that an earlier run has verified, without keeping it.
    ///
    /// - Throws: ``BatchError`` if the source ends before the position, or if its lines or its last bytes before the
    ///   position are not those that the position names.
    mutating func skip(to position: BatchPosition) throws {
        if needsHeader { try readHeader() }
        var lines = line - 1
        var tail: [UInt8] = []
        while offset < position.offset {
            if count == 0 {
                guard !isAtEnd else { throw BatchError(code: .invalidPosition, source: source.name, detail: "") }
                try fill()
                continue
            }
            let end = start + min(count, position.offset - offset)
            let skipped = pending[start..<end]
            lines += unsafe skipped.span.bytes.count(of: UInt8(ascii: "\n"))
            tail = Self.tail(of: tail, skipped)
            advance(to: end)
        }
        guard offset == position.offset, position.consumed?.isEnd(of: tail) ?? true else { throw sourceChanged }
        if source.format == .whole {
            guard position.lines == 1, try !hasMore() else { throw sourceChanged }
        } else {
            guard lines == position.lines else { throw sourceChanged }
            // A record without a line feed is the last one.
            if tail.last != UInt8(ascii: "\n"), !tail.isEmpty, try hasMore() { throw sourceChanged }
        }
        scanner = RecordScanner(source.format, at: start)
        line = position.lines + 1
    }

    /// Returns the last bytes of two pieces, as many as are hashed.
    private static func tail(of first: [UInt8], _ second: ArraySlice<UInt8>) -> [UInt8] {
        (first + second.suffix(ConsumedBytes.maximumCount)).suffix(ConsumedBytes.maximumCount)
    }

    private var sourceChanged: BatchError { BatchError(code: .sourceChanged, source: source.name, detail: "") }

    /// Returns whether the source has bytes that no block contains.
    private mutating func hasMore() throws -> Bool {
        while count == 0, !isAtEnd { try fill() }
        return count > 0
    }

    // MARK: Bytes

    /// The number of bytes that no block contains.
    private var count: Int { pending.count - start }

    private mutating func fill() throws {
        if start > 0 {
            // A block may share this buffer, so the rest moves to a new one.
            var rest: [UInt8] = []
            if !isImmediate { rest.reserveCapacity(roomSize) }
            rest += pending[start...]
            pending = rest
            scanner.drop(start)
            end = end.map { $0 - start }
            start = 0
        }
        if try !source.read(&pending) { isAtEnd = true }
    }

    private mutating func advance(to end: Int) {
        offset += end - start
        start = end
    }

    private mutating func take(_ end: Int) -> BatchBlock {
        let records = pending[start..<end]
        self.end = nil
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

    /// Moves `end` past complete records until the block is full.
    private mutating func findRecords() {
        let pending = pending
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        let bytes = unsafe pending.span.bytes
        while longEnd == nil, (end ?? start) - start < blockSize, let next = scanner.nextEnd(in: bytes) {
            if next - (end ?? start) > recordLimit { longEnd = next } else { end = next }
        }
    }

    /// Reads to the end of an oversized record without keeping it.
    private mutating func skipOversizedRecord() throws -> BatchBlock {
        var skipped = 0
        var lines = 0
        var tail: [UInt8] = []
        while true {
            let pending = pending
            let bytes = unsafe pending.span.bytes
            let found = longEnd ?? scanner.nextEnd(in: bytes)
            longEnd = nil
            let end = found ?? bytes.byteCount
            skipped += end - start
            tail = Self.tail(of: tail, pending[start..<end])
            lines += bytes.extracting(start..<end).count(of: UInt8(ascii: "\n"))
            if found != nil || isAtEnd {
                let byteCount = found == nil ? skipped : skipped - 1
                var block = makeBlock(.oversized(byteCount: byteCount), endingAt: end, lines: lines)
                block.end.consumed = ConsumedBytes(endOf: tail[...])
                return block
            }
            advance(to: end)
            try fill()
        }
    }

    private mutating func wholeSource() throws -> BatchBlock? {
        guard !isAtEnd else { return nil }
        var skipped = 0
        var tail: [UInt8] = []
        while !isAtEnd {
            try fill()
            if pending.count > recordLimit || skipped > 0 {
                skipped += pending.count
                tail = Self.tail(of: tail, pending[...])
                pending = []
            }
        }
        // Bytes that were dropped count for the position too.
        offset += skipped
        let content: BatchBlock.Content = skipped > 0 ? .oversized(byteCount: skipped) : .whole(pending)
        var block = makeBlock(content, endingAt: pending.count, lines: 1)
        block.end.consumed = ConsumedBytes(endOf: tail[...])
        return block
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
        scanner = RecordScanner(source.format, at: start)
        line += 1
    }
}
