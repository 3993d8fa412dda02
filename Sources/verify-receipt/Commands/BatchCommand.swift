internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `batch`: verifies many receipts and prints one result per line.
struct BatchCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws -> ExitCode {
        let format = try BatchInput.format(arguments)
        let inputs = try BatchInput.all(arguments)
        let jobs = try arguments.positiveNumber(of: .jobs) ?? SystemCalls.processorCount
        let setup = try VerificationSetup(arguments, messages: session.messages)
        let keyCache = try KeyCacheFile(arguments, messages: session.messages)
        let batch = BatchVerifier(
            verifier: setup.verifier(keyCache: keyCache.cache), output: try outputFormat, jobs: jobs,
            isImmediate: arguments.has(.lineBuffered)
        )

        var recorder = try BatchRecorder(session, run: BatchCheckpoint.run(of: arguments, inputs))
        try recorder.begin(batch.header)
        let progress = Progress(session, counting: "receipts")
        do {
            _ = try batch.run(inputs.map { $0.source(as: format) }, from: recorder.start) { lines, reached in
                try recorder.write(lines, reached)
                progress.show(reached.summary.total)
            }
        } catch let error as BatchError {
            progress.clear()
            try recorder.interrupt()
            let hint = error.code == .noSuchColumn ? "check the value of --column" : nil
            throw UsageError("\(Escaped(error.message))", hint: hint)
        }
        progress.clear()
        try write(recorder.summary, format: try outputFormat)
        keyCache.saveIfChanged(messages: session.messages)
        keyCache.printStatistics(arguments, messages: session.messages)
        warn(recorder.summary, setup.policy)
        return recorder.summary.verdicts.keys.reduce(.success) { $0.combined(with: ExitCode($1)) }
    }

    private var outputFormat: BatchOutputFormat {
        get throws(UsageError) {
            let isCSV = arguments.value(of: .outputFormat)?.lowercased() == "csv"
            guard !isCSV || !arguments.has(.json) else {
                throw UsageError("--json cannot be used with --output-format csv", hint: "leave one of them out")
            }
            return isCSV ? .csv : .jsonLines
        }
    }

    private func write(_ summary: BatchSummary, format: BatchOutputFormat) throws {
        guard arguments.has(.summary) else { return }
        switch format {
        case .jsonLines:
            try session.writeLine(summary.json, as: .batchSummary)
        case .csv:
            // A row with other columns would break the table.
            session.messages.note(OutputSchema.batchSummary.object(summary.json).description)
        }
    }

    private func warn(_ summary: BatchSummary, _ policy: VerificationPolicy) {
        let kinds = summary.kinds.keys.compactMap(ReceiptKind.init(rawValue:))
        guard !kinds.isEmpty else { return }
        let missing = PolicyWarning.warnings(forMissing: summary.missingClaims.keys)
        for warning in PolicyWarning.warnings(for: policy, kinds: kinds) + missing {
            session.messages.warn(warning.message, hint: warning.hint)
        }
    }
}
