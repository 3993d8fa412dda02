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
        guard arguments.mentions(.countBy) else {
            guard !arguments.mentions(.sum) else {
                throw UsageError("--sum needs --count-by", hint: "name the fields, as in --count-by month --sum price")
            }
            return nil
        }
        let others: [Flag] = [.withPayload, .fields, .keep, .everyRecord, .lineBuffered, .resume]
        if let other = others.first(where: arguments.mentions) {
            throw UsageError(
                "--count-by cannot be used with \(other.spelling)", hint: "it prints counts in place of results")
        }
        return try ResultContents.fields(arguments.list(of: .countBy), of: .countBy, messages, arguments)
    }

    func write(_ sums: SalesCounts) throws {
        if format == .csv {
            try session.output.write(sums.csv(keepsDigits: session.arguments.has(.spreadsheet)))
        } else if session.output.isTerminal, format == nil {
            var table = TextTable()
            table.add(sums.names + ["purchases", "price", "refunded", "kept"])
            for group in sums.groups {
                let amounts = amounts(of: group, in: sums).map { $0.text ?? "too large" }
                table.add(group.values.map { $0 ?? "-" } + ["\(GroupedNumber(group.sum.purchases))"] + amounts)
            }
            try table.write(to: session.output)
        } else {
            for group in sums.groups {
                // The digits of an amount would not survive another reading.
                let amounts = amounts(of: group, in: sums).map { ",\"\($0.name)\":\($0.text ?? "null")" }.joined()
                try session.output.writeLine(
                    "{\"schema\":\"\(OutputSchema.batchSum.rawValue)\",\"type\":\"sum\",\"fields\":\(group.json),"
                        + "\"purchases\":\(group.sum.purchases)\(amounts)}")
            }
        }
        note(sums.familyShared, "family-shared")
        note(sums.notInProduction, "in other environments than Production")
        note(sums.unpriced, "without a price")
        note(sums.unidentified, "without a transaction ID")
        note(sums.withoutPrices.playPurchases, "of Google Play, whose signed data has no prices")
        let appReceipts = sums.withoutPrices.appReceipts
        if appReceipts > 0 {
            session.messages.note("app receipts, which have no prices and are left out: \(GroupedNumber(appReceipts))")
        }
    }

    private func amounts(
        of group: SalesCounts.Group, in sums: SalesCounts
    ) -> [(name: String, text: String?)] {
        [("price", group.sum.price), ("refunded", group.sum.refunded), ("kept", group.sum.kept)].map {
            ($0, sums.text(of: $1, in: group))
        }
    }

    private func note(_ count: Int, _ reason: String) {
        guard count > 0 else { return }
        session.messages.note("purchases \(reason), which are left out: \(GroupedNumber(count))")
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
