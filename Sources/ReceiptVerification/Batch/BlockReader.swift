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
    private let columns: KeptColumns
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
    private var record = 1
    /// The number of complete records for the next block.
    private var recordCount = 0
    /// The header of a CSV source, after it was read.
    private(set) var header: CSVHeader?
    private var isAtBeginning = true
    private var isAtEnd = false

    init(
        _ source: BatchSource,
        recordLimit: Int,
        blockSize: Int = BatchMemory.blockSize,
        isImmediate: Bool = false,
        columns: KeptColumns = KeptColumns()
    ) {
        self.source = source
        self.recordLimit = recordLimit
        self.blockSize = blockSize
        roomSize = blockSize + blockSize / 2
        self.isImmediate = isImmediate
        self.columns = columns
        scanner = RecordScanner(source.format)
    }

    /// Returns the next block; nil at the end of the source.
    mutating func next() throws -> BatchBlock? {
        if source.format == .whole { return try wholeSource() }
        try readBeginning()
        while true {
            findRecords()
            // An oversized record has the same result whether its bytes arrive at once or in pieces.
            let isLong = longEnd != nil || isOversized(to: pending.count)
            if let end, isAtEnd || isImmediate || isLong || end - start >= blockSize { return take(end) }
            if isLong { return try skipOversizedRecord() }
            if isAtEnd {
                recordCount = 1
                return count > 0 ? take(pending.count) : nil
            }
            try fill()
        }
    }

    /// Skips the input that an earlier run has verified, without keeping it.
    ///
    /// - Throws: ``BatchError`` if the source ends before the position, or if its lines or its last bytes before the
    ///   position are not those that the position names.
    mutating func skip(to position: BatchPosition) throws {
        try readBeginning()
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
            // A quoted field of CSV can contain line feeds.
            while scanner.isCSV, nextEnd(before: end) != nil { record += 1 }
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
        scanner = RecordScanner(source.format, delimiter: header?.delimiter, at: start)
        line = position.lines + 1
        if !scanner.isCSV { record = line }
    }

    /// Returns the last bytes of two pieces, as many as are hashed.
    private static func tail(of first: [UInt8], _ second: ArraySlice<UInt8>) -> [UInt8] {
        let both = first + second[max(second.startIndex, second.endIndex - ConsumedBytes.maximumCount)...]
        return [UInt8](both[max(0, both.count - ConsumedBytes.maximumCount)...])
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
        defer { recordCount = 0 }
        let (held, byteCount) = held(records)
        var block = makeBlock(.records(held), endingAt: end, lines: lines, records: recordCount)
        block.byteCount = byteCount
        return block
    }

    /// Returns the bytes of a block, and the number of bytes that they keep in memory.
    ///
    /// They stay in the buffer, unless they would keep much more of it in memory than they are.
    private func held(_ bytes: ArraySlice<UInt8>) -> (bytes: ArraySlice<UInt8>, byteCount: Int) {
        guard bytes.count < pending.capacity / 2 else { return (bytes, pending.capacity) }
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        copy += bytes
        return (copy[...], copy.capacity)
    }

    private mutating func makeBlock(
        _ content: BatchBlock.Content, endingAt end: Int, lines: Int, records: Int = 1
    ) -> BatchBlock {
        let first = (line: line, record: record)
        advance(to: end)
        line += lines
        record += records
        return BatchBlock(
            source: source.name, format: source.format, header: header, firstLine: first.line,
            firstRecord: first.record, content: content,
            end: BatchPosition(source: 0, offset: offset, lines: line - 1)
        )
    }

    /// Moves `end` past complete records until the block is full.
    private mutating func findRecords() {
        let pending = pending
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        let bytes = unsafe pending.span.bytes
        while longEnd == nil, (end ?? start) - start < blockSize, let next = scanner.nextEnd(in: bytes) {
            if isOversized(to: next) {
                longEnd = next
            } else {
                end = next
                recordCount += 1
            }
        }
    }

    /// Returns whether the record after the complete ones exceeds its limit with the bytes before an offset.
    ///
    /// An app receipt can be much larger than any other, so a record in which one begins has a higher limit.
    private func isOversized(to offset: Int) -> Bool {
        let first = end ?? start
        guard offset - first > recordLimit else { return false }
        guard offset - first <= BatchMemory.appReceiptLimit(recordLimit) else { return true }
        let pending = pending
        return unsafe !AppReceiptForm.canBegin(in: pending.span.bytes.extracting(first..<first + recordLimit))
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
            if skipped > 0 || isOversized(to: pending.count) {
                skipped += pending.count
                tail = Self.tail(of: tail, pending[...])
                pending = []
            }
        }
        // Bytes that were dropped count for the position too.
        offset += skipped
        let (held, byteCount) = held(pending[...])
        let content: BatchBlock.Content = skipped > 0 ? .oversized(byteCount: skipped) : .whole(held)
        var block = makeBlock(content, endingAt: pending.count, lines: 1)
        block.byteCount = byteCount
        block.end.consumed = ConsumedBytes(endOf: tail[...])
        return block
    }

    // MARK: Beginning

    /// Reads what precedes the records: a byte order mark, and the header line of CSV.
    ///
    /// A source that is one receipt has no records, and is read with everything in it.
    mutating func readBeginning() throws {
        guard isAtBeginning, source.format != .whole else { return }
        isAtBeginning = false
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while count < mark.count, !isAtEnd, mark.starts(with: pending) { try fill() }
        if pending.starts(with: mark) { advance(to: mark.count) }
        scanner = RecordScanner(source.format, at: start)
        if case .csv(let column, let signature) = source.format { try readHeader(column, signature) }
    }

    private mutating func readHeader(_ column: String, _ signature: String?) throws {
        var next = nextEnd()
        while next == nil, !isAtEnd, count <= recordLimit {
            try fill()
            next = nextEnd()
        }
        // A source without any line has no records.
        guard count > 0 else { return }
        let pending = pending
        let bytes = unsafe pending.span.bytes
        if let encoding = ForeignEncoding.name(of: bytes.extracting(start..<bytes.byteCount)) {
            throw BatchError(code: .encodingUnsupported, source: source.name, detail: encoding)
        }
        // An open quotation mark in the header must not hide the records.
        let end = next.map { $0 - 1 } ?? bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? bytes.byteCount
        let text = bytes.extracting(start..<end)
        var header = try CSVHeader(text, column: column, signature: signature, source: source.name)
        try header.keep(columns, source: source.name)
        self.header = header
        line += 1 + text.count(of: UInt8(ascii: "\n"))
        advance(to: min(end + 1, pending.count))
        scanner = RecordScanner(source.format, delimiter: header.delimiter, at: start)
    }

    /// Returns the end of the next record in the bytes before an offset.
    private mutating func nextEnd(before limit: Int? = nil) -> Int? {
        let pending = pending
        return unsafe scanner.nextEnd(in: pending.span.bytes.extracting(0..<(limit ?? pending.count)))
    }
}
