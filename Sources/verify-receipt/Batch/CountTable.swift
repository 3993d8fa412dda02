internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The output of `batch --count-by`: a table on a terminal, JSON Lines or CSV elsewhere.
struct CountTable {
    let session: Session
    /// The chosen format; nil for a table on a terminal.
    let format: BatchOutputFormat?

    /// Reads the fields of `--count-by`; nil if it is not given.
    static func fields(_ arguments: Arguments, _ messages: Messages) throws(UsageError) -> ResultFields? {
        guard arguments.mentions(.countBy) else { return nil }
        let others: [Flag] = [.withPayload, .fields, .keep, .everyRecord, .lineBuffered, .resume]
        if let other = others.first(where: arguments.mentions) {
            throw UsageError(
                "--count-by cannot be used with \(other.spelling)", hint: "it prints counts in place of results")
        }
        return try ResultContents.fields(arguments.list(of: .countBy), of: .countBy, messages, arguments)
    }

    func write(_ counts: ResultCounts) throws {
        if format == .csv {
            try session.output.write(counts.csv(keepsDigits: session.arguments.has(.spreadsheet)))
        } else if session.output.isTerminal, format == nil {
            var table = TextTable()
            table.add(counts.names + ["count"])
            for group in counts.groups { table.add(group.values.map { $0 ?? "-" } + ["\(GroupedNumber(group.count))"]) }
            try table.write(to: session.output)
        } else {
            // The digits of a price would not survive another reading.
            for group in counts.groups {
                try session.output.writeLine(
                    "{\"schema\":\"\(OutputSchema.batchCount.rawValue)\",\"type\":\"count\",\"fields\":\(group.json),"
                        + "\"count\":\(group.count)}")
            }
        }
    }
}
