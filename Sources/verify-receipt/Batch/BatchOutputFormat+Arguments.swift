internal import CommandLineInterface
internal import ReceiptVerification

extension BatchOutputFormat {
    /// The formats by the endings of files' names.
    private static let endings: [String: BatchOutputFormat] = [
        "csv": .csv, "jsonl": .jsonLines, "ndjson": .jsonLines, "json": .jsonLines,
    ]
    /// The endings of tables that are not written.
    private static let otherTables: Set<String> = ["tsv", "tab", "xls", "xlsx", "ods", "parquet"]

    /// Returns the format that `--output-format` or `--json` chooses, or else the name of the output; nil if none does.
    ///
    /// A note says if the name of the output is that of another format.
    static func chosen(_ arguments: Arguments, _ messages: Messages) throws(UsageError) -> BatchOutputFormat? {
        let path = arguments.value(of: .output) ?? "-"
        let ending = ending(of: path)
        let format = try flagged(arguments)
        if format == nil, otherTables.contains(ending) {
            throw UsageError(
                "\(path) would not be what its name says: results are CSV or JSON Lines",
                hint: "name a .csv file, or choose the format with --output-format")
        }
        if let format, let named = endings[ending], named != format {
            let flag = arguments.has(.json) ? Flag.json : .outputFormat
            messages.note("\(path) contains \(format.title), because of \(flag.spelling)")
        }
        return format ?? endings[ending]
    }

    private static func flagged(_ arguments: Arguments) throws(UsageError) -> BatchOutputFormat? {
        let format = arguments.value(of: .outputFormat)
            .flatMap { WordSearch.match($0, in: allCases.map(\.rawValue)) }.flatMap(BatchOutputFormat.init(rawValue:))
        guard arguments.has(.json) else { return format }
        guard format != .csv else {
            throw UsageError("--json cannot be used with --output-format csv", hint: "leave one of them out")
        }
        return .jsonLines
    }

    /// Returns what follows the last dot of a file's name, in lower case.
    private static func ending(of path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    private var title: String {
        switch self {
        case .jsonLines: "JSON Lines"
        case .csv: "CSV"
        }
    }
}
