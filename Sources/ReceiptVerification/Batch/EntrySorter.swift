internal import CReceiptCrypto

/// Sorts any number of entries by their bytes, in bounded memory: sorted runs in a temporary file, which are merged at
/// the end.
///
/// An entry is a number of bytes in two bytes, the higher one first, and these bytes.
struct EntrySorter: ~Copyable {
    /// The bytes of entries in memory.
    static let runSize = 25_165_824
    /// The most runs that are merged at once, each of which needs a buffer.
    static let mergedRuns = 64

    private let runSize: Int
    private let mergedRuns: Int
    private var file: SpillFile
    private var buffer: [UInt8] = []
    /// The offsets of the entries in the buffer.
    private var starts: [Int32] = []
    /// The places of the sorted runs in the file.
    private var runs: [Range<Int>] = []

    init(_ file: consuming SpillFile, runSize: Int = runSize, mergedRuns: Int = mergedRuns) {
        self.file = file
        self.runSize = min(runSize, Self.runSize)
        self.mergedRuns = max(mergedRuns, 2)
    }

    /// Adds complete entries.
    mutating func add(_ entries: [UInt8]) throws(FileError) {
        if !buffer.isEmpty, buffer.count + entries.count > runSize { try spill() }
        var start = buffer.count
        buffer += entries
        while let end = Self.end(ofEntryAt: start, in: buffer), let offset = Int32(exactly: start) {
            starts.append(offset)
            start = end
        }
    }

    /// Passes all entries to `body` in their order, without the two bytes of their number.
    consuming func forEach<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws {
        guard !runs.isEmpty else {
            sort()
            return try buffer.withRawSpan { (bytes) throws(Failure) in
                for start in starts { try body(Self.entry(at: Int(start), in: bytes)) }
            }
        }
        try spill()
        buffer = []
        starts = []
        while runs.count > mergedRuns { try mergeFirstRuns() }
        var merger = try RunMerger(runs, file)
        while try merger.next(file, { (entry) throws(Failure) in try body(entry) }) {}
    }

    // MARK: Runs

    private mutating func sort() {
        starts = buffer.withRawSpan { bytes in
            // Most comparisons end with a word beside the offset, and do not reach for entries all over the buffer.
            let common = Self.commonCount(ofEntriesAt: starts, in: bytes)
            var sorted = starts.map { start in
                (word: Self.word(of: Self.entry(at: Int(start), in: bytes), at: common), start: start)
            }
            sorted.sort { left, right in
                guard left.word == right.word else { return left.word < right.word }
                return Self.precedes(
                    Self.entry(at: Int(left.start), in: bytes), Self.entry(at: Int(right.start), in: bytes))
            }
            return sorted.map(\.start)
        }
    }

    /// Returns the number of bytes with which all entries begin.
    private static func commonCount(ofEntriesAt starts: [Int32], in bytes: RawSpan) -> Int {
        guard let start = starts.first else { return 0 }
        let first = entry(at: Int(start), in: bytes)
        var count = first.byteCount
        for start in starts {
            let entry = entry(at: Int(start), in: bytes)
            var common = 0
            while common < min(count, entry.byteCount), entry.byte(at: common) == first.byte(at: common) {
                common += 1
            }
            count = common
        }
        return count
    }

    /// Returns the eight bytes at an offset as a number, with 0 for those after the end.
    ///
    /// Of two entries with the same bytes before the offset, the one with the smaller number comes first.
    private static func word(of entry: RawSpan, at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<offset + 8 {
            word = word << 8 | UInt64(index < entry.byteCount ? entry.byte(at: index) : 0)
        }
        return word
    }

    /// Writes the entries in memory to the file as a sorted run.
    private mutating func spill() throws(FileError) {
        sort()
        let start = file.count
        var output = RunOutput()
        for offset in starts {
            let end = Self.end(ofEntryAt: Int(offset), in: buffer) ?? buffer.count
            try output.append(buffer[Int(offset)..<end], &file)
        }
        try output.flush(&file)
        runs.append(start..<file.count)
        buffer.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Replaces the first runs by one run.
    private mutating func mergeFirstRuns() throws {
        let start = file.count
        var merger = try RunMerger([Range<Int>](runs.prefix(mergedRuns)), file)
        var output = RunOutput()
        var entry: [UInt8] = []
        func copy(_ merged: RawSpan) {
            entry.removeAll(keepingCapacity: true)
            Self.appendCount(merged.byteCount, to: &entry)
            entry += merged.array
        }
        while try merger.next(file, copy) { try output.append(entry[...], &file) }
        try output.flush(&file)
        runs.removeFirst(mergedRuns)
        runs.append(start..<file.count)
    }

    // MARK: Entries

    static let headerCount = 2

    /// Appends a number of bytes, at most 65,535, in two bytes, with which an entry begins.
    static func appendCount(_ count: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: count))
    }

    /// Sets the number of bytes of the last entry, which begins at an offset.
    static func setCount(ofEntryAt start: Int, in bytes: inout [UInt8]) {
        let count = bytes.count - start - headerCount
        guard count >= 0 else { return }
        bytes[start] = UInt8(truncatingIfNeeded: count >> 8)
        bytes[start + 1] = UInt8(truncatingIfNeeded: count)
    }

    /// Returns the end of the entry at an offset; nil if the bytes end before it.
    static func end(ofEntryAt start: Int, in bytes: [UInt8]) -> Int? {
        guard start + headerCount <= bytes.count else { return nil }
        let end = start + headerCount + Int(bytes[start]) << 8 + Int(bytes[start + 1])
        return end <= bytes.count ? end : nil
    }

    /// Returns the entry at the offset of its number, without it; the offset must be that of an entry.
    @_lifetime(copy bytes)
    static func entry(at start: Int, in bytes: RawSpan) -> RawSpan {
        let first = start + headerCount
        let count = Int(bytes.byte(at: start)) << 8 + Int(bytes.byte(at: start + 1))
        return bytes.extracting(first..<first + count)
    }

    /// Returns whether an entry comes before another one.
    static func precedes(_ left: RawSpan, _ right: RawSpan) -> Bool {
        let order = unsafe left.withPointer { (leftPointer, leftCount) in
            unsafe right.withPointer { (rightPointer, rightCount) in
                // Safe: both texts have at least as many bytes as the shorter one.
                unsafe rc_compare(leftPointer, rightPointer, min(leftCount, rightCount))
            }
        }
        return order < 0 || order == 0 && left.byteCount < right.byteCount
    }
}

/// Writes a run to its file in large pieces.
private struct RunOutput {
    private static let pieceSize = 1_048_576

    private var piece: [UInt8] = []

    mutating func append(_ entry: ArraySlice<UInt8>, _ file: inout SpillFile) throws(FileError) {
        piece += entry
        if piece.count >= Self.pieceSize { try flush(&file) }
    }

    mutating func flush(_ file: inout SpillFile) throws(FileError) {
        try file.append(piece)
        piece.removeAll(keepingCapacity: true)
    }
}

/// Passes on the entries of several sorted runs in their common order.
private struct RunMerger {
    private var readers: [RunReader] = []
    /// The indices of the readers that have an entry, as a heap: none comes before the one at half its place.
    private var heap: [Int] = []

    init(_ runs: [Range<Int>], _ file: borrowing SpillFile) throws(FileError) {
        for run in runs {
            var reader = RunReader(run)
            guard try reader.advance(file) else { continue }
            heap.append(readers.count)
            readers.append(reader)
        }
        for place in heap.indices.reversed() { sink(from: place) }
    }

    /// Passes the next entry to `body`; returns false if there is none.
    mutating func next<Failure: Error>(
        _ file: borrowing SpillFile, _ body: (RawSpan) throws(Failure) -> Void
    ) throws -> Bool {
        guard let first = heap.first else { return false }
        try readers[first].withEntry { (entry) throws(Failure) in try body(entry) }
        if try !readers[first].advance(file) {
            let last = heap.removeLast()
            if heap.isEmpty { return true }
            heap[0] = last
        }
        sink(from: 0)
        return true
    }

    /// Moves the index at a place down until no index below it belongs before it.
    private mutating func sink(from place: Int) {
        var place = place
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if precedes(heap[child], heap[least]) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        readers[left].withEntry { left in readers[right].withEntry { right in EntrySorter.precedes(left, right) } }
    }
}

/// Reads the entries of one run.
private struct RunReader {
    /// The bytes that are read at once, more than an entry can have.
    private static let pieceSize = 131_072

    /// The place of what was not read yet.
    private var rest: Range<Int>
    private var piece: [UInt8] = []
    private var entry = 0..<0

    init(_ run: Range<Int>) {
        rest = run
    }

    /// Moves on to the next entry; returns false at the end.
    mutating func advance(_ file: borrowing SpillFile) throws(FileError) -> Bool {
        if EntrySorter.end(ofEntryAt: entry.upperBound, in: piece) == nil {
            // The beginning of an entry that the piece cuts off is read again.
            let start = rest.lowerBound - (piece.count - entry.upperBound)
            let count = min(Self.pieceSize, rest.upperBound - start)
            guard count > 0 else { return false }
            try file.read(at: start, atMost: count, into: &piece)
            rest = start + piece.count..<rest.upperBound
            entry = 0..<0
        }
        guard let end = EntrySorter.end(ofEntryAt: entry.upperBound, in: piece) else { throw file.damage }
        entry = entry.upperBound..<end
        return true
    }

    func withEntry<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try piece.withRawSpan { (bytes) throws(Failure) in try body(EntrySorter.entry(at: entry.lowerBound, in: bytes))
        }
    }
}
