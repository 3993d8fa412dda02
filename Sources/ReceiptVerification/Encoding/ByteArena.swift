/// A reusable buffer for several consecutive pieces of bytes, which grows to the largest size needed.
struct ByteArena: ~Copyable {
    /// The largest storage that is kept for reuse.
    private static let keptCapacity = 4_194_304

    private var storage: [UInt8] = []
    private var count = 0

    /// Returns the bytes of a piece.
    @_lifetime(borrow self)
    func bytes(_ piece: Range<Int>) -> RawSpan {
        // Safe: the bytes of an array of UInt8 are initialised and have no padding; extracting checks the bounds.
        let span = unsafe storage.span.extracting(piece).bytes
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Adds a piece of `capacity` bytes, all of which `fill` writes.
    ///
    /// Returns nil and adds nothing if `fill` returns false.
    mutating func append(capacity: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Bool) -> Range<Int>? {
        let start = count
        let (end, isOverflow) = start.addingReportingOverflow(max(capacity, 0))
        guard !isOverflow else { return nil }
        if storage.count < max(end, 1) {
            storage += [UInt8](repeating: 0, count: max(end - storage.count, storage.count, 4096))
        }
        let isFilled = unsafe storage.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            // Safe: the buffer has `end` bytes or more.
            return unsafe fill(base + start)
        }
        guard isFilled else { return nil }
        count = end
        return start..<end
    }

    /// Adds a copy of bytes.
    mutating func append(_ bytes: RawSpan) -> Range<Int>? {
        unsafe append(capacity: bytes.byteCount) { target in
            unsafe bytes.withPointer { (source, count) in unsafe target.update(from: source, count: count) }
            return true
        }
    }

    /// Removes the pieces that were added after the arena had `count` bytes.
    mutating func truncate(to count: Int) {
        self.count = min(self.count, max(count, 0))
        if self.count == 0, storage.count > Self.keptCapacity { storage = [] }
    }

    /// The number of bytes in all pieces.
    var byteCount: Int { count }
}
