internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The output of `batch --duplicates`: a table on a terminal, JSON Lines or CSV elsewhere.
struct DuplicateReport {
    /// The most rows of a table, and the most places in one of them.
    private static let shownRows = 1000
    private static let shownPlaces = 3

    private let session: Session
    private let isCSV: Bool
    private let isTable: Bool
    private var table = TextTable()
    private var count = 0
    private var receiptCount = 0

    /// - Parameter format: The chosen format; nil for a table on a terminal.
    init(_ session: Session, _ format: BatchOutputFormat?) {
        self.session = session
        isCSV = format == .csv
        isTable = format == nil && session.output.isTerminal
    }

    /// Returns whether `--duplicates` is given, after checking that the other flags fit it.
    static func isChosen(_ arguments: Arguments) throws(UsageError) -> Bool {
        guard arguments.has(.duplicates) else {
            let writesFiles = arguments.mentions(.report) || arguments.mentions(.sum)
            guard !arguments.isOnCommandLine(.temporaryDirectory) || writesFiles else {
                throw UsageError(
                    "--temporary-dir needs --duplicates, --sum or --report", hint: "add one of them, or leave it out")
            }
            return false
        }
        let others: [Flag] = [.withPayload, .fields, .keep, .everyRecord, .lineBuffered, .resume, .countBy]
        if let other = others.first(where: arguments.mentions) {
            throw UsageError(
                "--duplicates cannot be used with \(other.spelling)",
                hint: other == .resume
                    ? "duplicates are known when all receipts were read, so start from the beginning"
                    : "it prints duplicates in place of results")
        }
        return true
    }

    /// The folder of temporary files: the one that is named, that of the output or the page, or the system's.
    static func temporaryFolder(_ arguments: Arguments) -> String {
        if let folder = arguments.value(of: .temporaryDirectory) { return folder }
        if let output = arguments.value(of: .output) ?? arguments.value(of: .report), output != "-" {
            let path = SystemCalls.resolved(output) ?? output
            // Not the folder of a device.
            if (try? SystemCalls.kind(ofFileAt: path)) != .other {
                guard let slash = path.lastIndex(of: "/") else { return "." }
                return slash == path.startIndex ? "/" : String(path[..<slash])
            }
        }
        let folder = SystemCalls.environment("TMPDIR") ?? ""
        return folder.isEmpty ? "/tmp" : folder
    }

    // MARK: Rows

    mutating func add(_ duplicate: DuplicateReceipt) throws {
        if count == 0 { try begin() }
        count += 1
        receiptCount += duplicate.count
        if isCSV {
            try session.output.write(duplicate.csv(keepsDigits: session.arguments.has(.spreadsheet)))
        } else if isTable {
            if count <= Self.shownRows { addRow(duplicate) }
        } else {
            try session.writeLine(duplicate.json, as: .batchDuplicate)
        }
    }

    /// Writes what is left, and says how many there are.
    func finish() throws {
        if count == 0 { try begin() }
        if isTable, count > 0 { try table.write(to: session.output) }
        if isTable, count > Self.shownRows {
            session.messages.note(
                "the first \(GroupedNumber(Self.shownRows)) are shown; --output FILE writes all of them")
        }
        session.messages.note(
            count == 0
                ? "no ID is presented more than once"
                : "IDs that are presented more than once: \(GroupedNumber(count)), in "
                    + "\(GroupedNumber(receiptCount)) receipts")
    }

    /// Replaces what an interrupted run has left.
    private func begin() throws {
        try BatchRecorder.discard(session)
        if isCSV { try session.output.write(DuplicateReceipt.csvHeader) }
    }

    private mutating func addRow(_ duplicate: DuplicateReceipt) {
        if count == 1 { table.add(["id", "app", "environment", "receipts", "verified", "places"]) }
        let shown = duplicate.occurrences.prefix(Self.shownPlaces)
        let places = shown.map { "\($0.source):\($0.line)" } + (duplicate.count > shown.count ? ["..."] : [])
        table.add([
            duplicate.transactionID ?? duplicate.purchaseToken ?? "-", duplicate.bundleID ?? "-",
            duplicate.environment ?? "-", "\(GroupedNumber(duplicate.count))",
            "\(GroupedNumber(duplicate.verifiedCount))",
            places.joined(separator: " "),
        ])
    }
}
