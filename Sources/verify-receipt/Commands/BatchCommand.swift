internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `batch`: verifies many receipts and prints one result per line.
struct BatchCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws -> ExitCode {
        guard let page = try ReportFile(session, protectedPaths: VerifyReceipt.ownPaths(arguments)) else {
            return try run(reportingIn: nil)
        }
        do {
            let code = try run(reportingIn: page)
            try page.finish()
            return code
        } catch {
            page.discard()
            throw error
        }
    }

    /// - Parameter page: The file of the page that is written in place of results; nil without `--report`.
    private func run(reportingIn page: ReportFile?) throws -> ExitCode {
        let format = try BatchInput.format(arguments)
        let chosenOutput = try BatchOutputFormat.chosen(arguments, session.messages)
        let output = chosenOutput ?? .jsonLines
        let keeping = try BatchInput.kept(arguments, in: format, output: output)
        let redaction = try Redaction.chosen(arguments)
        let contents = try ResultContents(arguments, output: output, redaction, session.messages)
        let findsDuplicates = try DuplicateReport.isChosen(arguments)
        let counted = try CountTable.fields(arguments, session.messages)
        let (inputs, unreadableCount) = try BatchInput.all(arguments, session.messages)
        if unreadableCount > 0 { session.output.record(.unusable) }
        for input in inputs {
            guard let folder = input.folder else { continue }
            try session.output.requireInput(input.path, in: folder)
            try page?.output.requireInput(input.path, in: folder)
        }
        let jobs = try arguments.positiveNumber(of: .jobs) ?? SystemCalls.processorCount
        let setup = try VerificationSetup(arguments, messages: session.messages)
        let keyCache = try KeyCacheFile(arguments, messages: session.messages)
        let batch = BatchVerifier(
            verifier: setup.verifier(keyCache: keyCache.cache), output: output, jobs: jobs,
            isImmediate: arguments.has(.lineBuffered),
            maximumReceiptsPerRecord: try arguments.positiveNumber(of: .maxReceiptsPerRecord)
                ?? BatchVerifier.defaultMaximumReceiptsPerRecord,
            keeping: keeping, contents: contents, isEveryRecordAnswered: arguments.has(.everyRecord)
        )

        let job = Job(batch: batch, sources: inputs.map { $0.source(as: format) }, size: InputSize(inputs))
        let summary =
            if let page {
                try report(
                    job, in: page,
                    ReportScope(inputs, unreadableCount: unreadableCount, redaction, setup.policy, arguments))
            } else if let counted, arguments.mentions(.sum) {
                try sum(job, by: counted, as: chosenOutput)
            } else if let counted {
                try count(job, by: counted, as: chosenOutput)
            } else if findsDuplicates {
                try findDuplicates(job, as: chosenOutput)
            } else {
                try writeResults(
                    job, BatchRecorder(session, run: BatchRun(arguments, inputs, output, setup, redaction)))
            }
        try write(summary, format: output)
        keyCache.saveIfChanged(messages: session.messages)
        keyCache.printStatistics(arguments, messages: session.messages)
        warn(summary, setup)
        warn(summary.absentNames)
        warn(absentFields: summary.absentFields)
        reportAbsence(of: summary)
        reportQuotationMarks(of: summary)
        guard unreadableCount > 0 else { return session.output.code }
        session.messages.error(
            UsageError(
                "the results are incomplete: entries of a folder that were not read: \(GroupedNumber(unreadableCount))",
                hint: "rename or move them, and name them as inputs"))
        return session.output.code
    }

    /// Records the exit code of the results so far, before they are written.
    private func record(_ summary: BatchSummary) {
        for verdict in summary.verdicts.keys { session.output.record(ExitCode(verdict)) }
        // What is in joined rows has no results of its own.
        if summary.misquoted > 0 { session.output.record(.unusable) }
    }

    /// Reports an input without a receipt, which looks like success to a script.
    private func reportAbsence(of summary: BatchSummary) {
        guard isEmpty(summary) else { return }
        let code = VerificationFailure.Code.nothingToVerify
        session.output.record(.undecided)
        session.messages.error(
            UsageError(
                "\(code.rawValue): the input contains no receipt",
                hint: Escaped(VerificationFailure(code: code).hintWithRemedy)))
    }

    /// Reports rows that a quotation mark may have joined.
    private func reportQuotationMarks(of summary: BatchSummary) {
        guard summary.misquoted > 0 else { return }
        let hint = "close it, or write it twice inside a quoted cell; then run again"
        guard let first = summary.firstMisquoted else {
            session.messages.error(
                UsageError(
                    "rows with a quotation mark that is not closed: \(GroupedNumber(summary.misquoted))",
                    hint: Escaped(hint)))
            return
        }
        let lines = first.lineCount > 1 ? "; \(GroupedNumber(first.lineCount)) lines were read as one row" : ""
        let others = summary.misquoted > 1 ? " (and \(GroupedNumber(summary.misquoted - 1)) more)" : ""
        session.messages.error(
            UsageError(
                "\(first.source), line \(first.line): a quotation mark is not closed\(lines)\(others)",
                hint: Escaped(hint)))
    }

    /// A batch with its sources, and their size if it is known.
    private struct Job {
        let batch: BatchVerifier
        let sources: [BatchSource]
        let size: InputSize?
    }

    private func writeResults(_ job: Job, _ beginning: BatchRecorder) throws -> BatchSummary {
        var recorder = beginning
        try recorder.begin()
        let progress = Progress(
            session, counting: "receipts", from: recorder.summary.total,
            share: job.size?.share(at: recorder.start) ?? 0)
        let reached: BatchSummary
        do {
            reached = try job.batch.run(job.sources, from: recorder.start) { lines, reached in
                record(reached.summary)
                try recorder.write(lines, reached)
                let summary = recorder.summary
                progress.show(
                    summary.total, share: job.size?.share(at: reached.position), remark: Self.remark(on: summary))
            }
        } catch let error as Output.Failure {
            // What was not written cannot be continued after.
            throw error
        } catch {
            progress.clear()
            // The first error is the one to report.
            let isKept = (try? recorder.interrupt()) ?? false
            if let error = error as? BatchError { throw usageError(error) }
            if isKept { session.messages.note("the results so far are kept: run the same command with --resume") }
            throw error
        }
        progress.clear()
        var summary = recorder.summary
        record(summary)
        summary.absentNames = reached.absentNames
        summary.absentFields = reached.absentFields
        return summary
    }

    private func count(
        _ job: Job, by fields: ResultFields, as format: BatchOutputFormat?
    ) throws -> BatchSummary {
        let progress = Progress(session, counting: "receipts")
        do {
            let (groups, summary) = try job.batch.count(job.sources, by: fields) { reached in
                progress.show(
                    reached.summary.total, share: job.size?.share(at: reached.position),
                    remark: Self.remark(on: reached.summary))
            }
            progress.clear()
            try BatchRecorder.discard(session)
            record(summary)
            try CountTable(session: session, format: format).write(groups)
            return summary
        } catch let error as BatchError {
            progress.clear()
            throw usageError(error)
        }
    }

    private func sum(_ job: Job, by fields: ResultFields, as format: BatchOutputFormat?) throws -> BatchSummary {
        let progress = Progress(session, counting: "receipts")
        do {
            let (sums, summary) = try job.batch.sum(
                job.sources, by: fields, temporaryFolder: DuplicateReport.temporaryFolder(arguments)
            ) { reached in
                progress.show(
                    reached.summary.total, share: job.size?.share(at: reached.position),
                    remark: Self.remark(on: reached.summary))
            }
            progress.clear()
            try BatchRecorder.discard(session)
            record(summary)
            try CountTable(session: session, format: format).write(sums)
            return summary
        } catch let error as FileError {
            progress.clear()
            throw temporaryFileError(error)
        } catch let error as BatchError {
            progress.clear()
            throw usageError(error)
        }
    }

    private func report(_ job: Job, in page: ReportFile, _ scope: ReportScope) throws -> BatchSummary {
        let progress = Progress(session, counting: "receipts")
        let overview: BatchOverview
        do {
            overview = try job.batch.overview(
                of: job.sources, by: try ReportGrouping.allCases.map { try ResultFields($0.names) },
                temporaryFolder: DuplicateReport.temporaryFolder(arguments)
            ) { reached in
                progress.show(
                    reached.summary.total, share: job.size?.share(at: reached.position),
                    remark: Self.remark(on: reached.summary))
            }
        } catch let error as FileError {
            progress.clear()
            throw temporaryFileError(error)
        } catch let error as BatchError {
            progress.clear()
            throw usageError(error)
        }
        progress.clear()
        record(overview.summary)
        try page.write(ReportPage(overview: overview, scope: scope, now: SystemClock.now()))
        return overview.summary
    }

    private func findDuplicates(_ job: Job, as format: BatchOutputFormat?) throws -> BatchSummary {
        let progress = Progress(session, counting: "receipts")
        var report = DuplicateReport(session, format)
        do {
            let summary = try job.batch.findDuplicates(
                in: job.sources, temporaryFolder: DuplicateReport.temporaryFolder(arguments)
            ) { reached in
                record(reached.summary)
                progress.show(
                    reached.summary.total, share: job.size?.share(at: reached.position),
                    remark: Self.remark(on: reached.summary))
            } take: { duplicate in
                progress.clear()
                try report.add(duplicate)
            }
            progress.clear()
            record(summary)
            try report.finish()
            return summary
        } catch let error as FileError {
            progress.clear()
            throw temporaryFileError(error)
        } catch let error as BatchError {
            progress.clear()
            throw usageError(error)
        }
    }

    private func temporaryFileError(_ error: FileError) -> UsageError {
        UsageError(
            "the temporary file: \(error.message)",
            hint: arguments.variable(of: .temporaryDirectory).map { "name another folder with \($0)" }
                ?? "name another folder with --temporary-dir DIR")
    }

    private func usageError(_ error: BatchError) -> UsageError {
        UsageError("\(error.message)", hint: hint(for: error))
    }

    /// Returns the number of results that are not verified, in words.
    private static func remark(on summary: BatchSummary) -> String {
        "\(GroupedNumber(summary.total - (summary.verdicts[.verified] ?? 0))) not verified"
    }

    private func hint(for error: BatchError) -> Escaped? {
        switch error.code {
        case .noSuchColumn, .noSuchField, .receiptElsewhere:
            let flag =
                [Flag.field, .column, .signatureField, .signatureColumn].first {
                    arguments.value(of: $0) == error.detail
                } ?? .keep
            if let name = error.suggestion { return "did you mean \(flag.spelling) \(Escaped(name).quoted)" }
            if flag == .keep, let hint = Self.hint(forSeveralNames: error.detail) { return hint }
            return error.names.isEmpty
                ? "leave out \(flag.spelling) if each line is a receipt" : "check the value of \(flag.spelling)"
        case .linesOfCSV: return "did you mean --column \(error.suggestion.map { Escaped($0).quoted } ?? "NAME")"
        case .encodingUnsupported:
            if let compressed = ForeignInput.compressedFile(named: error.detail) { return Escaped(compressed.hint) }
            return "convert it to UTF-8: iconv -f \(error.detail) -t UTF-8 \(error.source == "-" ? "" : "FILE ")> NEW"
        case .repeatedColumn: return "rename all but one of them in the header line"
        case .tooManyGroups: return "choose fields with fewer values, or print the results and count them elsewhere"
        case .columnsDiffer: return "name the columns with --keep NAME"
        case .invalidPosition, .sourceChanged: return "leave out --resume to start from the beginning"
        default: return nil
        }
    }

    /// Returns the way to write several names with a comma between them, which --keep takes for one name; nil for one.
    private static func hint(forSeveralNames text: String) -> Escaped? {
        let names = text.split(separator: ",")
        guard names.count > 1 else { return nil }
        let flags: [Escaped] = names.map { "\(Flag.keep.spelling) \(Escaped(String($0)).quoted)" }
        return "repeat the flag for each name: \(Escaped(joining: flags, by: " "))"
    }

    /// Whether a run had nothing to verify, and should have had.
    private func isEmpty(_ summary: BatchSummary) -> Bool { summary.total == 0 && !arguments.has(.allowEmpty) }

    private func write(_ summary: BatchSummary, format: BatchOutputFormat) throws {
        guard arguments.has(.summary) else { return }
        var object = summary.json
        if isEmpty(summary) { object.append("code", .string(VerificationFailure.Code.nothingToVerify.rawValue)) }
        switch format {
        case .jsonLines:
            try session.writeLine(object, as: .batchSummary)
        case .csv:
            // A row with other columns would break the table.
            session.messages.result(Escaped(OutputSchema.batchSummary.object(object).description))
        }
    }

    private func warn(_ absentNames: [BatchSummary.AbsentName]) {
        for absent in absentNames {
            session.messages.warn(
                "no record has \(Escaped(absent.name).quoted), which --keep names",
                hint: absent.suggestion.map { "did you mean --keep \(Escaped($0).quoted)" }
                    ?? Self.hint(forSeveralNames: absent.name))
        }
    }

    private func warn(absentFields: [BatchSummary.AbsentName]) {
        let flag = arguments.mentions(.countBy) ? Flag.countBy : .fields
        for absent in absentFields {
            session.messages.warn(
                "no verified receipt has \(Escaped(absent.name).quoted), which \(flag.spelling) names",
                hint: absent.suggestion.map { "did you mean \(flag.spelling) \(Escaped($0).quoted)" })
        }
    }

    private func warn(_ summary: BatchSummary, _ setup: VerificationSetup) {
        let isNamed = arguments.mentions(.field) || arguments.mentions(.column)
        if summary.empty > 0, isNamed, !arguments.has(.everyRecord) {
            session.messages.note("records without a receipt, which have no result: \(GroupedNumber(summary.empty))")
        }
        if summary.undated > 0 {
            let names = ResultPeriod.dateNames(arguments).joined(separator: " or ")
            session.messages.note(
                "results without \(names), which are left out: \(GroupedNumber(summary.undated))")
        }
        if summary.searchable > 0 {
            session.messages.warn(
                "\(GroupedNumber(summary.searchable)) of the results are for a receipt among other text, which was not "
                    + "verified",
                hint: "verify-receipt verify searches a text; batch reads a line, or what --field or --column names")
        }
        let kinds = summary.kinds.keys.compactMap(ReceiptKind.init(rawValue:))
        guard !kinds.isEmpty else { return }
        let missing = PolicyWarning.warnings(forMissing: summary.missingClaims.keys)
        for warning in PolicyWarning.warnings(for: setup.policy, kinds: kinds) + missing {
            session.messages.warn(Escaped(warning.message), hint: Escaped(warning.hint))
        }
        // Each result names its root; here it is enough that such a root can have verified one.
        let isProduction = summary.environments.keys.contains(StoreEnvironment.production.rawValue)
        if isProduction, setup.anchors.hasUnlimitedRootBesideBuiltIn {
            session.messages.warn(
                "receipts of Production can be signed under a given root without a limit: see anchor in the results",
                hint: Escaped(PolicyWarning.hint(for: .givenRootForProduction))
            )
        }
    }
}
