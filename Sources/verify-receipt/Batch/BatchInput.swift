internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// One INPUT of a batch, which is read in pieces.
struct BatchInput {
    /// The number of bytes to read at once.
    private static let pieceSize = 524_288

    let path: String
    /// The operand in which the file was found, if that is a folder; each file of a folder is one receipt.
    var folder: String?

    /// The status of an input that is a regular file; nil for a pipe or a device, which cannot be read twice.
    var status: FileStatus? {
        guard path != "-" else { return nil }
        let status = try? SystemCalls.status(ofFileAt: path)
        return status?.kind == .regular ? status : nil
    }

    /// Returns the inputs of a command line, with folders replaced by their files, after checking that all exist; and
    /// the number of entries of folders that should have been read and cannot be.
    static func all(
        _ arguments: Arguments, _ messages: Messages
    ) throws(UsageError) -> (inputs: [BatchInput], unreadableCount: Int) {
        let paths = try InputReader.operands(of: arguments)
        guard paths.filter({ $0 == "-" }).count < 2 else { throw .repeatedStandardInput }
        var inputs: [BatchInput] = []
        var unreadableCount = 0
        for path in paths {
            do throws(SystemCalls.Failure) {
                if path != "-", try SystemCalls.kind(ofFileAt: path) == .directory {
                    let files = try FolderFiles(path)
                    for note in files.notes { messages.note(Escaped(note)) }
                    unreadableCount += files.unreadableCount
                    inputs += files.paths.map { BatchInput(path: $0, folder: path) }
                } else {
                    inputs.append(BatchInput(path: path))
                }
            } catch {
                if error.isAbsent { throw .noSuchInput(path) }
                throw .cannotRead(path, error)
            }
        }
        return (inputs, unreadableCount)
    }

    /// Returns the input format that the flags select.
    static func format(_ arguments: Arguments) throws(UsageError) -> BatchFormat {
        let (field, column) = (arguments.value(of: .field), arguments.value(of: .column))
        let signatures = (field: arguments.value(of: .signatureField), column: arguments.value(of: .signatureColumn))
        if signatures.field != nil, field == nil {
            throw UsageError(
                "--signature-field needs --field", hint: "name the field of the purchase data with --field")
        }
        if signatures.column != nil, column == nil {
            throw UsageError(
                "--signature-column needs --column", hint: "name the column of the purchase data with --column")
        }
        if arguments.has(.wholeFiles) {
            guard field == nil, column == nil, arguments.value(of: .inputFormat) == nil else {
                throw UsageError("--whole-files cannot be used with --field, --column or --format")
            }
            return .whole
        }
        guard field == nil || column == nil else {
            throw UsageError("--field cannot be used with --column", hint: "--field is for JSON, --column for CSV")
        }
        switch (arguments.value(of: .inputFormat)?.lowercased() ?? "auto", field, column) {
        case ("csv", _, nil):
            throw UsageError("CSV input needs a column", hint: "name the receipt's column with --column NAME")
        case ("jsonl", _, _?):
            throw UsageError("--column cannot be used with --format jsonl", hint: "use --field NAME")
        case (_, _, let column?): return .csv(column: column, signature: signatures.column)
        case (_, let field?, _): return .json(field: field, signature: signatures.field)
        default: return .lines
        }
    }

    /// Returns what the results repeat of each record.
    static func kept(
        _ arguments: Arguments,
        in format: BatchFormat,
        output: BatchOutputFormat
    ) throws(UsageError) -> KeptInput {
        if arguments.has(.everyRecord), arguments.isOnCommandLine(.maxReceiptsPerRecord) {
            throw UsageError(
                "--every-record cannot be used with --max-receipts-per-record",
                hint: "with --every-record, a record has one receipt and one result")
        }
        let names = arguments.values(of: .keep)
        let kept = KeptInput(isAll: names.contains(allNames), names: names.filter { $0 != allNames })
        guard !kept.isNothing else { return kept }
        if format == .whole { throw UsageError("--keep cannot be used with --whole-files") }
        var isCSV = false
        if case .csv = format { isCSV = true }
        if kept.isAll, output == .csv, !isCSV {
            throw UsageError(
                "--keep all needs CSV input, or results in JSON Lines",
                hint: "name the members that the CSV results begin with, as in --keep id")
        }
        if !isCSV, let name = names.first(where: { $0.contains("[]") }) {
            throw UsageError(
                "--keep does not take elements of an array, such as \(Escaped(name).quoted)",
                hint: "keep the complete array")
        }
        return kept
    }

    /// Returns the names of the columns, or of the members of the first record, of the first input; none if it cannot
    /// be read again.
    static func firstNames(_ arguments: Arguments) -> [String] {
        let messages = Messages(name: "", isQuiet: true)
        guard let format = try? format(arguments), let input = try? all(arguments, messages).inputs.first,
            input.status != nil
        else { return [] }
        return input.source(as: format).firstNames()
    }

    /// The value of --keep that stands for all names.
    private static let allNames = "all"

    /// Returns the source that a batch reads; it opens its file at the first read, so any number can be named.
    func source(as format: BatchFormat) -> BatchSource {
        let path = path
        let isFromFolder = folder != nil
        let opened = Locked<Int32?>(path == "-" ? 0 : nil)
        return BatchSource(name: path.shownPath, format: isFromFolder ? .whole : format) { buffer in
            do throws(SystemCalls.Failure) {
                let descriptor = try opened.withLock { (opened) throws(SystemCalls.Failure) in
                    let descriptor =
                        if let opened { opened } else { try Self.open(path, isFromFolder: isFromFolder) }
                    opened = descriptor
                    return descriptor
                }
                if try SystemCalls.read(descriptor, atMost: Self.pieceSize, appendingTo: &buffer) > 0 { return true }
                if descriptor != 0 { try SystemCalls.close(descriptor) }
                return false
            } catch {
                throw UsageError.cannotRead(path, error)
            }
        }
    }

    /// Opens an input; a file of a folder only if it is still a regular file.
    private static func open(_ path: String, isFromFolder: Bool) throws(SystemCalls.Failure) -> Int32 {
        guard isFromFolder else { return try SystemCalls.openForReading(path) }
        guard let descriptor = try SystemCalls.openRegularFile(path) else { throw .notAFile }
        return descriptor
    }
}
