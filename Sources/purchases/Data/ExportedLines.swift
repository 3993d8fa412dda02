internal import CommandLineInterface

/// The lines of a file or of standard input, read in blocks, so that a file of any size takes little memory.
struct ExportedLines {
    /// A line without its newline.
    enum Line {
        case text([UInt8])
        /// A line beyond the limit, which is not kept.
        case tooLong
    }

    private let descriptor: Int32
    private let name: String
    private let limit: Int
    private var rest: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - limit: The longest line in bytes.
    ///   - protected: Files and folders of the app, none of which may be the input, by any path.
    init(_ path: String, limit: Int, protected: [String]) throws(UsageError) {
        self.limit = limit
        name = path == "-" ? "standard input" : path
        let status: FileStatus
        do throws(SystemCalls.Failure) {
            descriptor = path == "-" ? 0 : try SystemCalls.openForReading(path)
            status = try SystemCalls.status(of: descriptor)
        } catch {
            throw .cannotRead(name, error)
        }
        guard status.kind != .directory else { throw UsageError("\(Escaped(name)) is a folder") }
        for file in protected where (try? SystemCalls.status(ofFileAt: file))?.identity == status.identity {
            throw UsageError(
                "\(Escaped(name)) is a file of the app and not an export", hint: "make the input with purchases export")
        }
    }

    /// Returns the next line; nil at the end.
    mutating func next() throws(UsageError) -> Line? {
        var searched = start
        var isTooLong = false
        while true {
            let newline = rest[searched...].firstIndex(of: 0x0A)
            if let end = newline ?? (isAtEnd ? rest.count : nil) {
                defer { start = newline.map { $0 + 1 } ?? end }
                if newline == nil, start == end, !isTooLong { return nil }
                return isTooLong || end - start > limit ? .tooLong : .text([UInt8](rest[start..<end]))
            }
            rest.removeFirst(start)
            start = 0
            if rest.count > limit {
                isTooLong = true
                rest.removeAll(keepingCapacity: true)
            }
            searched = rest.count
            do throws(SystemCalls.Failure) {
                let block = try SystemCalls.read(descriptor, atMost: 65_536)
                isAtEnd = block.isEmpty
                rest += block
            } catch {
                throw .cannotRead(name, error)
            }
        }
    }
}
