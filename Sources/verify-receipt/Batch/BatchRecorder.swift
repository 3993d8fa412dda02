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
    private let isTerminal: Bool
    /// The checkpoint of the interrupted run that this run continues.
    private let earlier: BatchCheckpoint?
    private var reached: BatchVerifier.Progress?
    private var resultsInCheckpoint = 0
    /// The digest of the results in the file; nil without a file that can be continued.
    private var written: RunningDigest?

    /// Creates a recorder and, with `--resume`, reads the checkpoint of the interrupted run.
    init(_ session: Session, run: BatchRun) throws {
        output = session.output
        self.run = run
        isLineBuffered = session.arguments.has(.lineBuffered)
        isTerminal = output.isTerminal
        let digest = output.checkpointPath == nil ? nil : try RunningDigest()
        written = digest
        guard session.arguments.has(.resume) else {
            earlier = nil
            try Self.announceDiscard(session)
            return
        }
        guard let path = output.checkpointPath else {
            throw UsageError("--resume needs a file to continue", hint: "name it with --output FILE")
        }
        if let obstacle = run.obstacle { throw obstacle }
        guard let found = try CheckpointFile(path: path).load(session.messages) else {
            earlier = nil
            if !SystemCalls.exists(path) {
                session.messages.note(
                    "there is no checkpoint of an interrupted run, so the run starts from the beginning")
            }
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
        try output.readPartial(found.byteCount) { try digest?.update($0) }
        guard try digest?.digest() == found.results else {
            earlier = nil
            written = try RunningDigest()
            session.messages.warn(
                "the results of the interrupted run were changed, so the run starts from the beginning")
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
        guard let earlier else { return try Self.remove(output) }
        try output.truncate(to: earlier.byteCount)
    }

    /// Removes the results and the checkpoint of an interrupted run, in place of which another one begins, and says so.
    static func discard(_ session: Session) throws {
        try announceDiscard(session)
        try remove(session.output)
    }

    private static func announceDiscard(_ session: Session) throws {
        guard let path = session.output.checkpointPath, SystemCalls.exists(path), try session.output.partialSize > 0
        else { return }
        session.messages.note(
            "the results of an interrupted run are replaced; --resume continues them if the command is the same")
    }

    private static func remove(_ output: Output) throws {
        try output.truncate(to: 0)
        if let path = output.checkpointPath { SystemCalls.remove(path) }
    }

    mutating func write(_ lines: [UInt8], _ reached: BatchVerifier.Progress) throws {
        try output.write(isTerminal ? Self.shown(lines) : lines)
        try written?.update(lines)
        if isLineBuffered { try output.flush() }
        self.reached = reached
        if reached.summary.total - resultsInCheckpoint >= Self.resultsBetweenCheckpoints { try save() }
    }

    /// Returns results as a terminal can show them: a cell that is kept unchanged can have characters that it executes.
    private static func shown(_ lines: [UInt8]) -> [UInt8] {
        let lineBreak = "\r\n"
        let rows = String(decoding: lines, as: UTF8.self).split(separator: lineBreak, omittingEmptySubsequences: false)
        let shown = rows.map { row in
            HiddenCharacters.escaped(String(row)) { HiddenCharacters.contains($0.value) && $0 != "\n" && $0 != "\t" }
        }
        return [UInt8](shown.joined(separator: lineBreak).utf8)
    }

    /// Saves a checkpoint because the run has failed; returns whether a later run can continue it.
    mutating func interrupt() throws -> Bool { try save() }

    /// Returns false if there is nothing to continue.
    @discardableResult
    private mutating func save() throws -> Bool {
        // A run from the beginning writes everything again, the header line too.
        guard let path = output.checkpointPath, let run = run.digest, let written, let reached,
            reached.position != BatchPosition()
        else { return false }
        resultsInCheckpoint = reached.summary.total
        let byteCount = try output.synchronize()
        try CheckpointFile(path: path).save(
            BatchCheckpoint(
                run: run, byteCount: byteCount, results: try written.digest(), position: reached.position,
                summary: summary))
        output.markAsResumable()
        return true
    }
}
