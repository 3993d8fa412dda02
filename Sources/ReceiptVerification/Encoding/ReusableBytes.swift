/// A buffer that is filled anew for each receipt and grows to the largest one only.
struct ReusableBytes: ~Copyable {
    private var storage: [UInt8] = []
    /// How many bytes of the buffer are in use.
    private(set) var count = 0

    /// The bytes in use.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // Safe: the bytes of an array of UInt8 are initialised and have no padding.
            unsafe storage.span.extracting(0..<count).bytes
        }
    }

    /// Makes room for `capacity` bytes and lets `fill` write them; `fill` answers how many it wrote, or nil to refuse,
    /// which empties the buffer.
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
