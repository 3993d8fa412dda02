internal import CReceiptVerify

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The bytes of results that `receiptverify_collect` keeps, in memory that only it allocates and frees.
@unsafe
struct CollectedText {
    private let text: UnsafeMutablePointer<receiptverify_text>

    init(_ text: UnsafeMutablePointer<receiptverify_text>) {
        unsafe self.text = text
    }

    /// Appends bytes; without a pointer, frees the text.
    ///
    /// Returns false if the length cannot be used or no memory is left.
    func append(_ bytes: UnsafeRawPointer?, _ length: Int) -> Bool {
        guard let bytes = unsafe bytes else {
            unsafe free(text.pointee.bytes)
            unsafe text.pointee = receiptverify_text()
            return true
        }
        let (total, overflow) = unsafe text.pointee.length.addingReportingOverflow(length)
        guard length >= 0, !overflow, unsafe reserve(total), let end = unsafe text.pointee.bytes else { return false }
        // Safe: there is room for the total, and the caller vouches for `length` bytes at the pointer.
        unsafe memcpy(end + text.pointee.length, bytes, length)
        unsafe text.pointee.length = total
        return true
    }

    /// Makes room for a number of bytes. A text that grows gets twice as much, so that few copies are made.
    private func reserve(_ total: Int) -> Bool {
        let capacity = unsafe text.pointee.capacity
        guard total > capacity else { return true }
        let (twice, overflow) = capacity.multipliedReportingOverflow(by: 2)
        let grown = overflow ? total : max(total, twice)
        guard let bytes = unsafe realloc(text.pointee.bytes, grown) else { return false }
        unsafe text.pointee.bytes = bytes.assumingMemoryBound(to: CChar.self)
        unsafe text.pointee.capacity = grown
        return true
    }
}
