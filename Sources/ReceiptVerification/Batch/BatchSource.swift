/// Where a batch's receipts come from: a name for the results, and bytes piece by piece.
public struct BatchSource: Sendable {
    /// The name, such as a file's path.
    public let name: String
    /// How receipts lie in it.
    public let format: BatchFormat
    /// Appends the next bytes; false at the end.
    let read: @Sendable (inout [UInt8]) throws -> Bool

    /// Makes a source that appends to a buffer, which spares a copy.
    ///
    /// - Parameter read: Appends the next bytes, at least one, and answers true; false at the end. It may wait, and is
    ///   called by one thread at a time, not by the one that runs the batch.
    public init(
        name: String,
        format: BatchFormat = .lines,
        appending read: @escaping @Sendable (inout [UInt8]) throws -> Bool
    ) {
        self.name = name
        self.format = format
        self.read = read
    }

    /// Makes a source; `read` gives pieces of any size and nil at the end.
    public init(name: String, format: BatchFormat = .lines, read: @escaping @Sendable () throws -> [UInt8]?) {
        self.init(name: name, format: format) { buffer in
            guard let piece = try read() else { return false }
            // What is in an empty buffer need not be copied.
            if buffer.isEmpty { buffer = piece } else { buffer += piece }
            return true
        }
    }

    /// Makes a source of bytes that are there already.
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
