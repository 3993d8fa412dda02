internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// Writes the results of a batch, and checkpoints from which an interrupted run can continue.
struct BatchRecorder {
    /// About one second of work, which is the most that an interruption costs.
    private static let resultsBetweenCheckpoints = 20_000

    private let output: Output
    private let run: BatchRun
    private let isLineBuffered: Bool
    /// The checkpoint of the interrupted run that this run continues.
    private let earlier: BatchCheckpoint?
    private var reached: BatchVerifier.Progress?
    private var resultsInCheckpoint = 0

    /// Creates a recorder and, with `--resume`, reads the checkpoint of the interrupted run.
    init(_ session: Session, run: BatchRun) throws {
        output = session.output
        self.run = run
        isLineBuffered = session.arguments.has(.lineBuffered)
        guard session.arguments.has(.resume) else {
            earlier = nil
            return
        }
        guard let path = output.checkpointPath else {
            throw UsageError("--resume needs a file to continue", hint: "name it with --output FILE")
        }
        if let input = run.unrepeatableInput {
            throw UsageError(
                "--resume cannot continue a run over \(input), which is not a file",
                hint: "write the input to a file, or leave out --resume")
        }
        guard let found = try CheckpointFile(path: path).load(session.messages) else {
            earlier = nil
            return
        }
        guard found.run == run.digest else {
            throw UsageError(
                "the interrupted run had other inputs, options, roots or keys",
                hint: "leave out --resume to start from the beginning"
            )
        }
        guard found.byteCount <= (try output.partialSize) else {
            earlier = nil
            session.messages.warn(
                "the results of the interrupted run are incomplete, so the run starts from the beginning")
            return
        }
        earlier = found
        session.messages.note("continuing after \(found.summary.total) results")
    }

    /// The position at which the batch starts.
    var start: BatchPosition { earlier?.position ?? BatchPosition() }

    /// The counts of this run and of the run that it continues.
    var summary: BatchSummary {
        var summary = earlier?.summary ?? BatchSummary()
        if let reached { summary.add(reached.summary) }
        return summary
    }

    /// Removes results that are not part of the checkpoint.
    func begin() throws {
        guard let earlier else { return try Self.discard(output) }
        try output.truncate(to: earlier.byteCount)
    }

    /// Removes the results and the checkpoint of an interrupted run, in place of which another one begins.
    static func discard(_ output: Output) throws {
        try output.truncate(to: 0)
        if let path = output.checkpointPath { SystemCalls.remove(path) }
    }

    mutating func write(_ lines: [UInt8], _ reached: BatchVerifier.Progress) throws {
        try output.write(lines)
        if isLineBuffered { try output.flush() }
        self.reached = reached
        if reached.summary.total - resultsInCheckpoint >= Self.resultsBetweenCheckpoints { try save() }
    }

    /// Saves a checkpoint because the run has failed.
    mutating func interrupt() throws {
        if output.checkpointPath != nil { try save() }
    }

    private mutating func save() throws {
        guard let path = output.checkpointPath, let run = run.digest, let reached else { return }
        resultsInCheckpoint = reached.summary.total
        let byteCount = try output.synchronize()
        try CheckpointFile(path: path).save(
            BatchCheckpoint(run: run, byteCount: byteCount, position: reached.position, summary: summary))
        output.markAsResumable()
    }
}
