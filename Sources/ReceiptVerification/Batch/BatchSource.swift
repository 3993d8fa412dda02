/// Where a batch's receipts come from: a name for the results, and bytes piece by piece.
public struct BatchSource {
    /// The name, such as a file's path.
    public let name: String
    /// How receipts lie in it.
    public let format: BatchFormat
    /// Gives the next bytes; nil at the end.
    let read: () throws -> [UInt8]?

    /// Makes a source; `read` gives pieces of any size and nil at the end, and is called from one place at a time.
    public init(name: String, format: BatchFormat = .lines, read: @escaping () throws -> [UInt8]?) {
        self.name = name
        self.format = format
        self.read = read
    }

    /// Makes a source of bytes that are there already.
    public init(name: String, format: BatchFormat = .lines, bytes: [UInt8]) {
        var rest: [UInt8]? = bytes
        self.init(name: name, format: format) {
            defer { rest = nil }
            return rest
        }
    }
}
