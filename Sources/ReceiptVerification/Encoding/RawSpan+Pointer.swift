internal import CReceiptCrypto

extension RawSpan {
    /// Calls `body` with a pointer from which C may read `count` bytes.
    ///
    /// It is never null, even if `count` is 0.
    func withPointer<Result, Failure: Error>(
        _ body: (_ pointer: UnsafePointer<UInt8>, _ count: Int) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBytes { (buffer) throws(Failure) -> Result in
            guard let base = buffer.baseAddress else {
                var nothing: UInt8 = 0
                return try unsafe withUnsafePointer(to: &nothing) { (pointer) throws(Failure) -> Result in
                    try unsafe body(pointer, 0)
                }
            }
            return try unsafe body(base.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
    }

    /// A copy of the bytes.
    var array: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// The bytes decoded as UTF-8.
    ///
    /// Ill-formed sequences are replaced.
    var text: String {
        unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the offset of the first `byte` at or after `start`; nil if there is none.
    func firstOffset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < byteCount else { return nil }
        let found = unsafe withPointer { (pointer, count) in
            unsafe start + rc_find_byte(pointer + start, count - start, byte)
        }
        return found < byteCount ? found : nil
    }

    /// Returns the number of times that a byte occurs.
    func count(of byte: UInt8) -> Int {
        unsafe withPointer { (pointer, count) in unsafe rc_count_byte(pointer, count, byte) }
    }

    /// Returns whether both spans have the same bytes.
    func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withPointer { (left, count) in
            unsafe other.withPointer { (right, _) in unsafe rc_is_equal(left, right, count) }
        }
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with the bytes as a span.
    func withRawSpan<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe: a Span of UInt8 has no padding, and its bytes are initialised.
        try unsafe body(span.bytes)
    }
}
