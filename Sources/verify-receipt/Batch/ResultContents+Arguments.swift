internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

extension ResultContents {
    /// Reads the contents of results from `--payload`, `--spreadsheet`, `--fields`, `--only`, `--since` and `--until`.
    init(
        _ arguments: Arguments, output: BatchOutputFormat, _ redaction: Redaction?, _ messages: Messages
    ) throws(UsageError) {
        if arguments.has(.withPayload), output == .csv {
            throw UsageError("--payload cannot be used for CSV", hint: "choose values with --fields NAME,...")
        }
        if arguments.has(.spreadsheet), output != .csv {
            throw UsageError(
                "--spreadsheet is for CSV, and the results are JSON Lines",
                hint: "choose CSV with --output-format csv or with --output FILE.csv")
        }
        let zone = try ResultPeriod.zone(arguments)
        self.init(
            fields: try Self.fields(arguments, messages), hasPayload: arguments.has(.withPayload),
            keepsDigits: arguments.has(.spreadsheet), verdicts: try Self.verdicts(arguments),
            period: try ResultPeriod.chosen(arguments, messages), redaction: redaction,
            utcOffset: {
                zone.offset(at: $0.millisecondsSince1970.quotientAndRemainderFloored(dividingBy: 1000).quotient)
            })
    }

    // MARK: Fields

    private static func fields(_ arguments: Arguments, _ messages: Messages) throws(UsageError) -> ResultFields? {
        guard arguments.mentions(.fields) else { return nil }
        return try fields(arguments.list(of: .fields), of: .fields, messages, arguments)
    }

    /// Returns the fields with the names that a flag lists.
    ///
    /// - Parameter arguments: The command line, whose first input can have a wrong name as a column or a member.
    static func fields(
        _ names: [String], of flag: Flag, _ messages: Messages, _ arguments: Arguments? = nil
    ) throws(UsageError) -> ResultFields {
        do throws(BatchError) {
            return try ResultFields(names)
        } catch {
            let message = "\(flag.spelling): \(Escaped(error.message))"
            if let arguments, BatchInput.firstNames(arguments).contains(error.detail) {
                let name = Escaped(error.detail).quoted
                throw UsageError(
                    "\(message); it is a name in your input",
                    hint: flag == .fields
                        ? "copy it into each result with --keep \(name)"
                        : "\(flag.spelling) takes fields of results only")
            }
            if let name = error.suggestion {
                throw UsageError(Escaped(message), hint: "did you mean \(flag.spelling) \(Escaped(name))")
            }
            let common = ResultFields.commonNames + ResultFields.furtherNames
            throw UsageError(
                Escaped(message), hint: "payload.NAME is any member of the payload",
                notes: [
                    "fields of each result: \(common.joined(separator: ", "))",
                    "fields of a transaction: \(ResultFields.names(of: .transaction).joined(separator: ", "))",
                    "other kinds of receipts have other fields, named as in their payloads",
                ])
        }
    }

    // MARK: Verdicts

    private static func verdicts(_ arguments: Arguments) throws(UsageError) -> Set<Verdict> {
        guard arguments.mentions(.only) else { return standard.verdicts }
        if arguments.has(.everyRecord) {
            throw UsageError(
                "--only cannot be used with --every-record",
                hint: "with --every-record, each record has a result: choose results by their verdict afterwards")
        }
        let words = Verdict.allCases.map(\.rawValue)
        var verdicts: Set<Verdict> = []
        for name in arguments.list(of: .only) {
            guard let verdict = WordSearch.match(name, in: words).flatMap(Verdict.init(rawValue:)) else {
                throw UsageError(
                    "--only does not take \(Escaped(name).quoted)",
                    hint: WordSearch.nearest(to: name, in: words).map { "did you mean \($0)" }
                        ?? "it takes \(words.joined(separator: ", "))")
            }
            verdicts.insert(verdict)
        }
        return verdicts
    }
}

extension ToolArguments {
    /// The values of a repeatable flag that takes several with commas between them, without blanks around them.
    func list(of flag: Flag) -> [String] {
        values(of: flag).flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { name in
                String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }
}
