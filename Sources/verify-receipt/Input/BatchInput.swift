internal import CommandLineInterface
internal import ReceiptVerification

/// One INPUT of a batch, which is read piece by piece.
struct BatchInput {
    private static let pieceSize = 524_288

    /// Folders inside folders are followed this deep.
    private static let maximumDepth = 16

    let path: String
    /// Whether the file was found in a folder, where each file is one receipt.
    var isFromFolder = false

    /// The inputs of a command line; each is there, or nothing begins. A folder stands for the files in it.
    static func all(_ arguments: Arguments) throws(UsageError) -> [BatchInput] {
        let paths = try InputReader.operands(of: arguments)
        guard paths.filter({ $0 == "-" }).count < 2 else {
            throw UsageError("standard input is named twice", hint: "give - once")
        }
        var inputs: [BatchInput] = []
        for path in paths {
            do throws(SystemCalls.Failure) {
                if path != "-", try SystemCalls.kind(ofFileAt: path) == .directory {
                    try collect(path, depth: 1, into: &inputs)
                } else {
                    inputs.append(BatchInput(path: path))
                }
            } catch {
                if error.isAbsent { throw InputReader.noSuchFile(path) }
                throw UsageError("cannot read \(Escaped(path)): \(error.reason)")
            }
        }
        return inputs
    }

    /// The files of a folder and of the folders in it, in the order of their names; hidden ones are passed over.
    private static func collect(
        _ folder: String,
        depth: Int,
        into inputs: inout [BatchInput]
    ) throws(SystemCalls.Failure) {
        for name in try SystemCalls.names(inDirectory: folder).sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            if try SystemCalls.kind(ofFileAt: path) != .directory {
                inputs.append(BatchInput(path: path, isFromFolder: true))
            } else if depth < maximumDepth {
                try collect(path, depth: depth + 1, into: &inputs)
            }
        }
    }

    /// How receipts lie in the inputs.
    static func format(_ arguments: Arguments) throws(UsageError) -> BatchFormat {
        let (field, column) = (arguments.value(of: .field), arguments.value(of: .column))
        if arguments.has(.wholeFiles) {
            guard field == nil, column == nil, arguments.value(of: .inputFormat) == nil else {
                throw UsageError("--whole-files does not go with --field, --column or --format")
            }
            return .whole
        }
        guard field == nil || column == nil else {
            throw UsageError("--field does not go with --column", hint: "--field is for JSON, --column for CSV")
        }
        switch (arguments.value(of: .inputFormat)?.lowercased() ?? "auto", field, column) {
        case ("csv", _, nil): throw UsageError("CSV needs the receipt's column", hint: "name it with --column NAME")
        case ("jsonl", _, _?): throw UsageError("--column does not go with --format jsonl", hint: "use --field NAME")
        case (_, _, let column?): return .csv(column: column)
        case (_, let field?, _): return .json(field: field)
        default: return .lines
        }
    }

    /// The input for a batch; a file is opened when its turn comes, so that any number can be named.
    func source(as format: BatchFormat) -> BatchSource {
        let path = path
        let opened = Locked<Int32?>(path == "-" ? 0 : nil)
        return BatchSource(name: path, format: isFromFolder ? .whole : format) { buffer in
            do throws(SystemCalls.Failure) {
                let descriptor = try opened.withLock { (opened) throws(SystemCalls.Failure) in
                    let descriptor = if let opened { opened } else { try SystemCalls.openForReading(path) }
                    opened = descriptor
                    return descriptor
                }
                if try SystemCalls.read(descriptor, atMost: Self.pieceSize, appendingTo: &buffer) > 0 { return true }
                if descriptor != 0 { try SystemCalls.close(descriptor) }
                return false
            } catch {
                throw UsageError("cannot read \(Escaped(path)): \(error.reason)")
            }
        }
    }
}
