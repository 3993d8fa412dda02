internal import CReceiptVerify
internal import ReceiptTypes

/// Bytes of the caller: a pointer with its length, which can be anything.
@unsafe
struct CallerBytes {
    let pointer: UnsafeRawPointer?
    /// The length; one above the largest `Int` arrives as a negative number.
    let length: Int
    let name: String
    let limit: Int

    /// The bytes, which stay in place until the call returns.
    var buffer: UnsafeRawBufferPointer {
        get throws(LibraryError) {
            guard unsafe length != 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
            guard unsafe length > 0, unsafe length <= limit else {
                throw .misuse("the length of \(unsafe name) is above its limit, \(unsafe limit) bytes")
            }
            guard let pointer = unsafe pointer else { throw .misuse("\(unsafe name) is NULL, and its length is not 0") }
            // Safe: the caller vouches for `length` bytes at the pointer, and the length is positive.
            return unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        }
    }

    /// Returns a copy of the bytes.
    func copy() throws(LibraryError) -> [UInt8] { try unsafe [UInt8](buffer) }

    /// Returns the bytes as text; nil if there are none.
    func text() throws(LibraryError) -> String? {
        let bytes = try unsafe copy()
        guard !bytes.isEmpty else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces what is not UTF-8.
        guard !bytes.contains(0), [UInt8](text.utf8) == bytes else {
            throw .misuse("\(unsafe name) is not text in UTF-8 without a zero byte")
        }
        return text
    }
}

/// Bytes of the caller that a batch reads in pieces.
///
/// A thread of a batch that was stopped can still read when the call returns. After ``end()``, it finds nothing.
@safe
final class LentBytes: Sendable {
    /// The size of a piece, which the batch verifies as one block: some hundreds of receipts.
    private static let pieceSize = 1_048_576

    private let rest: Locked<UnsafeRawBufferPointer>

    /// - Parameter bytes: Bytes that stay in place until ``end()``.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer) {
        // Safe to send: the caller does not change the bytes during the call, and here the lock guards the pointer.
        nonisolated(unsafe) let bytes = unsafe bytes
        unsafe rest = Locked(bytes)
    }

    /// Appends the next piece; returns false at the end.
    func read(into buffer: inout [UInt8]) -> Bool {
        unsafe rest.withLock { rest in
            guard unsafe !rest.isEmpty else { return false }
            let piece = unsafe rest.prefix(Self.pieceSize)
            unsafe buffer += piece
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            return true
        }
    }

    /// Gives the bytes back.
    func end() {
        unsafe rest.withLock { unsafe $0 = UnsafeRawBufferPointer(start: nil, count: 0) }
    }
}

/// The caller's function for results, with its context.
@unsafe
struct CallerOutput {
    typealias Write = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32

    private let write: Write
    private let context: UnsafeMutableRawPointer?

    init(_ write: Write?, _ context: UnsafeMutableRawPointer?) throws(LibraryError) {
        guard let write = unsafe write else { throw .misuse("the function that receives results is NULL") }
        unsafe self.write = write
        unsafe self.context = context
    }

    /// Passes bytes to the caller, unless there are none.
    func pass(_ bytes: [UInt8]) throws(LibraryError) {
        guard !bytes.isEmpty else { return }
        // Safe: the bytes stay in place until the function returns.
        let answer = unsafe bytes.withUnsafeBytes { unsafe write(context, $0.baseAddress, $0.count) }
        guard answer == 0 else { throw .stopped }
    }
}

/// The caller's buffer for a message.
@unsafe
struct CallerMessage {
    private let buffer: UnsafeMutablePointer<CChar>?
    private let size: Int

    init(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) {
        unsafe self.buffer = buffer
        unsafe self.size = size
    }

    /// Runs a call; writes the message of its error, or an empty one, and returns the status.
    func status(of call: () throws(LibraryError) -> Void) -> Int32 {
        guard unsafe (buffer == nil) == (size == 0), unsafe size >= 0 else { return RECEIPTVERIFY_MISUSE }
        unsafe set("")
        do throws(LibraryError) {
            try call()
            return RECEIPTVERIFY_OK
        } catch {
            unsafe set(error.message)
            return error.status
        }
    }

    /// Writes a text with a zero byte after it, cut to whole characters that the buffer has room for.
    private func set(_ text: String) {
        guard let buffer = unsafe buffer else { return }
        var written = 0
        for scalar in text.unicodeScalars {
            let bytes = UTF8.encode(scalar).map([UInt8].init) ?? []
            // Room for the zero byte stays free.
            guard unsafe written + bytes.count < size else { break }
            for byte in bytes {
                // Safe: the index is below the size of the buffer.
                unsafe buffer[written] = CChar(bitPattern: byte)
                written += 1
            }
        }
        unsafe buffer[written] = 0
    }
}
