internal import CReceiptVerify

/// Bytes of the caller: a pointer with its length, which can be anything.
@unsafe
struct CallerBytes {
    let pointer: UnsafeRawPointer?
    /// The length; one above the largest `Int` arrives as a negative number.
    let length: Int
    let name: String
    let limit: Int

    /// Returns a copy of the bytes.
    func copy() throws(LibraryError) -> [UInt8] {
        guard unsafe length != 0 else { return [] }
        guard unsafe length > 0, unsafe length <= limit else {
            throw .misuse("the length of \(unsafe name) is above its limit, \(unsafe limit) bytes")
        }
        guard let pointer = unsafe pointer else { throw .misuse("\(unsafe name) is NULL, and its length is not 0") }
        // Safe: the caller vouches for `length` bytes at the pointer, and the length is positive.
        return unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: length))
    }

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
