internal import ReceiptTypes

/// A source of a batch's receipts: a name, a format, and bytes that are read in pieces.
public struct BatchSource: Sendable {
    /// The name that results show, such as a file's path.
    public let name: String
    /// The format of the bytes.
    public let format: BatchFormat
    /// Appends the next bytes; returns false at the end.
    let read: @Sendable (inout [UInt8]) throws -> Bool

    /// Creates a source that appends to a buffer, which saves a copy.
    ///
    /// - Parameters:
    ///   - name: The name that results show.
    ///   - format: The format of the bytes.
    ///   - read: Appends at least one byte and returns true, or returns false at the end. It may block. One thread at a
    ///     time calls it; with more than one job, that is not the thread that runs the batch.
    public init(
        name: String,
        format: BatchFormat = .lines,
        appending read: @escaping @Sendable (inout [UInt8]) throws -> Bool
    ) {
        self.name = name
        self.format = format
        self.read = read
    }

    /// Creates a source from a closure that returns pieces of any size, and nil at the end.
    public init(name: String, format: BatchFormat = .lines, read: @escaping @Sendable () throws -> [UInt8]?) {
        self.init(name: name, format: format) { buffer in
            guard let piece = try read() else { return false }
            // An empty buffer can take over the piece without a copy.
            if buffer.isEmpty { buffer = piece } else { buffer += piece }
            return true
        }
    }

    /// Creates a source from bytes in memory.
    public init(name: String, format: BatchFormat = .lines, bytes: [UInt8]) {
        let rest = Locked<[UInt8]?>(bytes)
        self.init(name: name, format: format) {
            rest.withLock { rest in
                defer { rest = nil }
                return rest
            }
        }
    }
}
