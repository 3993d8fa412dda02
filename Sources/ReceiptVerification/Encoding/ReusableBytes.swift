/// A buffer that is reused for each receipt and grows to the size of the largest.
struct ReusableBytes: ~Copyable {
    private var storage: [UInt8] = []
    /// The number of bytes in use.
    private(set) var count = 0

    /// The bytes in use.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // Safe: the bytes of an array of UInt8 are initialised and have no padding.
            unsafe storage.span.extracting(0..<count).bytes
        }
    }

    /// Replaces the content with up to `capacity` bytes, which `fill` writes.
    ///
    /// `fill` returns the number of bytes written. If it returns nil, the buffer is emptied and the result is false.
    mutating func replace(capacity: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int?) -> Bool {
        if storage.count < capacity || storage.isEmpty {
            storage = [UInt8](repeating: 0, count: max(capacity, 64))
        }
        let written = unsafe storage.withUnsafeMutableBufferPointer { buffer -> Int? in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe fill(base)
        }
        count = min(max(written ?? 0, 0), storage.count)
        return written != nil
    }
}
