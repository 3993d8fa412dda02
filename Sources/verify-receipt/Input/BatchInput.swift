internal import ReceiptVerification

/// One INPUT of a batch, which is read piece by piece.
struct BatchInput {
    private static let pieceSize = 262_144

    let path: String

    /// The inputs of a command line; each is there, or nothing begins.
    static func all(_ arguments: Arguments) throws(UsageError) -> [BatchInput] {
        let paths = try InputReader.operands(of: arguments)
        guard paths.filter({ $0 == "-" }).count < 2 else {
            throw UsageError("standard input is named twice", hint: "give - once")
        }
        for path in paths where path != "-" {
            do throws(SystemCalls.Failure) {
                guard try SystemCalls.kind(ofFileAt: path) == .directory else { continue }
            } catch {
                if error.isAbsent { throw InputReader.noSuchFile(path) }
                throw UsageError("cannot read \(Escaped(path)): \(error.reason)")
            }
            throw UsageError("\(Escaped(path)) is a folder", hint: "name the files in it")
        }
        return paths.map(BatchInput.init)
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
        var descriptor: Int32? = path == "-" ? 0 : nil
        return BatchSource(name: path, format: format) {
            do throws(SystemCalls.Failure) {
                let open: Int32
                if let descriptor { open = descriptor } else { open = try SystemCalls.openForReading(path) }
                descriptor = open
                let piece = try SystemCalls.read(open, atMost: Self.pieceSize)
                guard piece.isEmpty else { return piece }
                if open != 0 { try SystemCalls.close(open) }
                return nil
            } catch {
                throw UsageError("cannot read \(Escaped(path)): \(error.reason)")
            }
        }
    }
}
