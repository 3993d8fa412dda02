internal import ReceiptTypes

/// Verifies receipts by the million: one result a receipt, in the order of the input, in memory that does not grow with it.
///
/// A receipt that cannot be read is a result like every other, never a stop.
///
/// ```swift
/// let batch = BatchVerifier(verifier: verifier, jobs: 8)
/// let summary = try batch.run([source]) { lines, _ in try file.write(lines) }
/// ```
public struct BatchVerifier: Sendable {
    private let verifier: ReceiptVerifier
    private let row: ResultRow
    private let jobs: Int
    private let isImmediate: Bool

    /// Makes a batch verifier.
    ///
    /// - Parameters:
    ///   - jobs: How many threads verify at the same time, at least 1.
    ///   - isImmediate: Whether each result is given before another receipt has to come in, for sources that are written
    ///     to while they are read; slower where receipts come in small pieces.
    public init(
        verifier: ReceiptVerifier,
        output: BatchOutputFormat = .jsonLines,
        jobs: Int = 1,
        isImmediate: Bool = false
    ) {
        self.verifier = verifier
        row = ResultRow(format: output)
        self.jobs = min(max(jobs, 1), 1024)
        self.isImmediate = isImmediate
    }

    /// What comes before all results: the header line of CSV.
    public var header: [UInt8] { row.header }

    /// How far a run has come.
    public struct Progress: Sendable {
        /// Where the results that were given last end; a later run can begin there.
        public let position: BatchPosition
        /// What this run has counted.
        public let summary: BatchSummary
    }

    /// Verifies all receipts of some sources.
    ///
    /// With more than one job, sources are read and receipts are verified by threads of the batch, and this one, which
    /// waits, takes the results.
    ///
    /// - Parameters:
    ///   - start: Where to begin; what comes before is read and passed over.
    ///   - write: Takes lines of results, in order, and how far they go.
    /// - Throws: What `read` of a source or `write` throws, and ``BatchError``.
    public func run(
        _ sources: [BatchSource],
        from start: BatchPosition = .init(),
        write: ([UInt8], Progress) throws -> Void
    ) throws -> BatchSummary {
        var summary = BatchSummary()
        func give(_ output: BatchOutput) throws {
            summary.add(output.summary)
            try write(output.lines, Progress(position: output.end, summary: summary))
        }
        if jobs > 1 {
            try runOnThreads(sources, from: start, give)
        } else {
            var worker = BatchWorker(verifier, row)
            try read(sources, from: start) { block in
                try give(worker.judge(block))
                return true
            }
        }
        return summary
    }

    // MARK: Reading

    /// Gives the blocks of all sources until `take` answers false.
    private func read(
        _ sources: [BatchSource],
        from start: BatchPosition,
        _ take: (BatchBlock) throws -> Bool
    ) throws {
        for (number, source) in sources.enumerated().dropFirst(start.source) {
            var reader = BlockReader(source, recordLimit: verifier.recordLimit, isImmediate: isImmediate)
            if number == start.source, start.offset > 0 || start.lines > 0 { try reader.skip(to: start) }
            while var block = try reader.next() {
                block.end.source = number
                guard try take(block) else { return }
            }
        }
    }

    // MARK: Threads

    private func runOnThreads(
        _ sources: [BatchSource],
        from start: BatchPosition,
        _ give: (BatchOutput) throws -> Void
    ) throws {
        // Two blocks for each thread: none of them waits for a slow one before it.
        let conveyor = BatchConveyor(window: jobs * 2 + 1)
        defer { conveyor.abandon() }
        var started = 0
        while started < jobs, conveyor.startWorker({ [self] in judge(conveyor) }) { started += 1 }
        let isReading = DetachedThread.start { [self] in
            do {
                try read(sources, from: start) { conveyor.submit($0) }
                conveyor.complete(nil)
            } catch {
                conveyor.complete(error)
            }
        }
        guard started > 0, isReading else { throw BatchError(code: .noThread, source: "", detail: "") }
        while let output = try conveyor.nextOutput() { try give(output) }
    }

    private func judge(_ conveyor: BatchConveyor) {
        var worker = BatchWorker(verifier, row)
        while let (number, block) = conveyor.takeBlock() {
            conveyor.deliver(worker.judge(block), number: number)
        }
    }
}

extension ReceiptVerifier {
    /// JSON around a receipt and escapes can make a record several times as long as a receipt may be.
    var recordLimit: Int {
        let (limit, isOverflow) = policy.maximumSize.multipliedReportingOverflow(by: 4)
        return isOverflow ? .max : limit
    }
}
