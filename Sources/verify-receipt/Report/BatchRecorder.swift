internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// Writes a batch's results, and from time to time how far they go, so that an interrupted run can be continued.
struct BatchRecorder {
    /// About a second's work: what an interruption costs at the most.
    private static let resultsBetweenCheckpoints = 20_000

    private let output: Output
    private let run: String
    private let isLineBuffered: Bool
    private let earlier: BatchCheckpoint?
    private var reached: BatchVerifier.Progress?
    private var resultsInCheckpoint = 0

    /// Finds out whether there is something to continue.
    init(_ session: Session, run: String) throws {
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
        let found = try BatchCheckpoint.load(from: path)
        if let found, found.run != run {
            throw UsageError(
                "the interrupted run had other inputs or options", hint: "leave out --resume to begin anew"
            )
        }
        let left = try output.leftBytes
        earlier = found.flatMap { $0.byteCount <= left ? $0 : nil }
        guard let earlier else { return }
        session.talk.note("continuing after \(earlier.summary.total) results")
    }

    /// Where the batch has to begin.
    var start: BatchPosition { earlier?.position ?? BatchPosition() }

    /// What all runs together have counted.
    var summary: BatchSummary {
        var summary = earlier?.summary ?? BatchSummary()
        if let reached { summary.add(reached.summary) }
        return summary
    }

    /// Takes off what no checkpoint knows of; writes what comes before all results.
    func begin(_ header: [UInt8]) throws {
        try output.keep(bytes: earlier?.byteCount ?? 0)
        guard earlier == nil else { return }
        if let path = output.checkpointPath { SystemCalls.remove(path) }
        try output.write(header)
    }

    mutating func write(_ lines: [UInt8], _ reached: BatchVerifier.Progress) throws {
        try output.write(lines)
        if isLineBuffered { try output.flush() }
        self.reached = reached
        if reached.summary.total - resultsInCheckpoint >= Self.resultsBetweenCheckpoints { try save() }
    }

    /// Remembers how far the results go, because the run cannot go on.
    mutating func interrupt() throws {
        if output.checkpointPath != nil { try save() }
    }

    private mutating func save() throws {
        guard let path = output.checkpointPath, let reached else { return }
        resultsInCheckpoint = reached.summary.total
        let byteCount = try output.synchronize()
        try BatchCheckpoint(run: run, byteCount: byteCount, position: reached.position, summary: summary)
            .save(to: path)
        output.markAsResumable()
    }
}
