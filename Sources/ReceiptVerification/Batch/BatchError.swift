public import ReceiptTypes

/// An error that prevents a batch from running.
public struct BatchError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The CSV header has no column with the requested name.
        public static let noSuchColumn = Code(rawValue: "no-such-column")
        /// Several columns have the name of the receipt's column, or that of a column to keep.
        public static let repeatedColumn = Code(rawValue: "repeated-column")
        /// The first records have no member with the requested name.
        public static let noSuchField = Code(rawValue: "no-such-field")
        /// The first records have no receipt at the requested name, and receipts elsewhere.
        public static let receiptElsewhere = Code(rawValue: "receipt-elsewhere")
        /// None of the first lines is a receipt, and they look like CSV with receipts in a column.
        public static let linesOfCSV = Code(rawValue: "lines-of-csv")
        /// The source is UTF-16 or compressed, and only UTF-8 is read.
        public static let encodingUnsupported = Code(rawValue: "encoding-unsupported")
        /// All columns are to be kept in CSV results, and a later source has a column that the first one does not have,
        /// or no header line.
        public static let columnsDiffer = Code(rawValue: "columns-differ")
        /// Results have no field with the requested name.
        public static let noSuchResultField = Code(rawValue: "no-such-result-field")
        /// The field by whose date results are chosen is no date.
        public static let notADate = Code(rawValue: "not-a-date")
        /// Results have more different values than can be counted.
        public static let tooManyGroups = Code(rawValue: "too-many-groups")
        /// The position to start at is negative, or past the end of the sources.
        public static let invalidPosition = Code(rawValue: "invalid-position")
        /// The bytes before the position to start at are not those that an earlier run has read.
        public static let sourceChanged = Code(rawValue: "source-changed")
        /// The system cannot create a thread.
        public static let noThread = Code(rawValue: "no-thread")
    }

    /// The kind of error.
    public let code: Code
    /// The name of the source; empty if the error concerns no single source.
    public let source: String
    /// The name of the column or member that the error is about, or that of the encoding, such as "UTF-16" or "gzip
    /// data", if the code is ``Code/encodingUnsupported``; empty for other codes.
    public let detail: String
    /// The names of the columns or members that are there instead, up to 50; of those with receipts if the code is
    /// ``Code/receiptElsewhere``, and of all fields that can be meant if it is
    /// ``Code/noSuchResultField`` or ``Code/notADate``.
    public let names: [String]
    /// The name that may be meant: the most similar one, or the only one with receipts.
    public let suggestion: String?

    init(code: Code, source: String = "", detail: String = "", names: [String] = [], withReceipts: [String] = []) {
        self.code = code
        self.source = source
        self.detail = detail
        let names = code == .receiptElsewhere ? withReceipts : names
        self.names =
            [.noSuchResultField, .notADate].contains(code) ? names : [String](names.prefix(FieldNames.maximumCount))
        suggestion = FieldNames.nearest(to: detail, in: names) ?? (withReceipts.count == 1 ? withReceipts[0] : nil)
    }

    /// The error in one sentence.
    public var message: String {
        switch code {
        case .noSuchColumn: "\(source) has no column named \(detail) in its header line; there are \(listedNames)"
        case .repeatedColumn: "\(source) has several columns named \(detail) in its header line"
        case .noSuchField:
            names.isEmpty
                ? "the first records of \(source) have no member \(detail): none of them can be read as a JSON object "
                    + "with members"
                : "the first records of \(source) have no member \(detail); there are \(listedNames)"
        case .receiptElsewhere:
            "the first records of \(source) have no receipt in \(detail); there are receipts in \(listedNames)"
        case .linesOfCSV:
            "\(source) looks like CSV with the columns \(listedNames), and none of its first lines is a receipt"
        case .encodingUnsupported: "\(source) is \(detail), and only UTF-8 is read"
        case .columnsDiffer:
            detail.isEmpty
                ? "\(source) has no header line that names the columns to keep"
                : "\(source) has the column \(detail), which the first input does not have"
        case .noSuchResultField: "results have no field \(detail.isEmpty ? "without a name" : "named \(detail)")"
        case .notADate: "the field \(detail) is no date"
        case .tooManyGroups:
            "\(detail) has more different values than can be counted: at most \(ResultCounts.maximumGroups) groups "
                + "with \(ResultCounts.maximumByteCount >> 20) MiB of values"
        case .invalidPosition: "the position to start at is not in the sources\(source.isEmpty ? "" : ": \(source)")"
        case .sourceChanged: "\(source) has other contents before the position to start at"
        default: "the system could not create a thread"
        }
    }

    /// The first names, each cut to a length that can be read.
    private var listedNames: String {
        let shown = names.prefix(12).map { $0.count > 60 ? "\($0.prefix(57))..." : $0 }
        return shown.joined(separator: ", ") + (names.count > shown.count ? " and others" : "")
    }
}
