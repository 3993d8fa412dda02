internal import ReceiptTypes

/// Verifies large numbers of receipts, with one result per receipt in the order of the input.
///
/// Memory use does not grow with the input. A receipt that cannot be read has a result too and does not stop the batch.
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
    private let maximumReceipts: Int

    /// The default of the most receipts in one record.
    public static let defaultMaximumReceiptsPerRecord = 64

    /// Creates a batch verifier.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of each receipt.
    ///   - output: The format of the results.
    ///   - jobs: The number of threads that verify, clamped to 1…1024.
    ///   - isImmediate: Whether results are written without waiting for further input, for sources that are written
    ///     while they are read. This is slower if the input arrives in small pieces.
    ///   - maximumReceiptsPerRecord: The most receipts in one record, such as a line with a JSON array. A record with
    ///     more has one result, with the code `too-many-receipts`, and none of them is verified: otherwise a short input
    ///     could have a result many times as long.
    public init(
        verifier: ReceiptVerifier,
        output: BatchOutputFormat = .jsonLines,
        jobs: Int = 1,
        isImmediate: Bool = false,
        maximumReceiptsPerRecord: Int = defaultMaximumReceiptsPerRecord
    ) {
        self.verifier = verifier
        row = ResultRow(format: output)
        self.jobs = min(max(jobs, 1), 1024)
        self.isImmediate = isImmediate
        maximumReceipts = max(maximumReceiptsPerRecord, 1)
    }

    /// The bytes to write before all results: the header line of CSV, nothing for JSON lines.
    public var header: [UInt8] { row.header }

    /// The progress of a run.
    public struct Progress: Sendable {
        /// The position after the last written results; a later run can start there.
        public let position: BatchPosition
        /// The results of this run so far.
        public let summary: BatchSummary
    }

    /// Verifies all receipts of the sources and returns the counts.
    ///
    /// With more than one job, threads of the batch read the sources and verify the receipts; the calling thread blocks
    /// and writes the results.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - start: The position to start at; the input before it is read and skipped.
    ///   - write: Receives result lines in order, and the progress after them.
    /// - Throws: The errors of `write` and of a source's `read`, and ``BatchError``, such as for a start that is not in
    ///   the sources.
    public func run(
        _ sources: [BatchSource],
        from start: BatchPosition = .init(),
        write: ([UInt8], Progress) throws -> Void
    ) throws -> BatchSummary {
        guard start.isPossible, start.source < sources.count || start == BatchPosition() else {
            throw BatchError(code: .invalidPosition, source: "", detail: "")
        }
        var summary = BatchSummary()
        func deliver(_ output: BatchOutput) throws {
            summary.add(output.summary)
            try write(output.lines, Progress(position: output.end, summary: summary))
        }
        if jobs > 1 {
            try runOnThreads(sources, from: start, deliver)
        } else {
            var worker = makeWorker(RecordGate())
            try read(sources, from: start, blockSize: BatchMemory.blockSize) { block in
                try worker.verify(block, deliver)
                return true
            }
        }
        return summary
    }

    // MARK: Reading

    /// Passes the blocks of all sources to `take` until it returns false.
    private func read(
        _ sources: [BatchSource],
        from start: BatchPosition,
        blockSize: Int,
        _ take: (BatchBlock) throws -> Bool
    ) throws {
        for (number, source) in sources.enumerated().dropFirst(start.source) {
            var reader = BlockReader(
                source, recordLimit: verifier.recordLimit, blockSize: blockSize, isImmediate: isImmediate)
            if number == start.source, !start.isAtStart { try reader.skip(to: start) }
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
        _ deliver: (BatchOutput) throws -> Void
    ) throws {
        // Two blocks for each thread, so that a slow block does not make the other threads wait.
        let window = jobs * 2 + 1
        let conveyor = BatchConveyor(window: window)
        let gate = RecordGate()
        defer { conveyor.abandon() }
        var started = 0
        while started < jobs, conveyor.startWorker({ [self] in verify(conveyor, gate) }) { started += 1 }
        let isReading = DetachedThread.start { [self] in
            do {
                let blockSize = BatchMemory.blockSize(window: window)
                try read(sources, from: start, blockSize: blockSize) { conveyor.submit($0) }
                conveyor.complete(nil)
            } catch {
                conveyor.complete(error)
            }
        }
        guard started > 0, isReading else { throw BatchError(code: .noThread, source: "", detail: "") }
        while let output = try conveyor.nextOutput() { try deliver(output) }
    }

    private func verify(_ conveyor: BatchConveyor, _ gate: RecordGate) {
        var worker = makeWorker(gate)
        while let (number, block) = conveyor.takeBlock() {
            worker.verify(block) { conveyor.deliver($0, number: number) }
            conveyor.finish(block, number: number)
        }
    }

    private func makeWorker(_ gate: RecordGate) -> BatchWorker {
        BatchWorker(verifier, row, maximumReceipts: maximumReceipts, gate)
    }
}

extension ReceiptVerifier {
    /// The largest record in bytes: JSON around a receipt, and escapes, can make it several times as long as a receipt.
    var recordLimit: Int {
        let (limit, isOverflow) = policy.maximumSize.multipliedReportingOverflow(by: 4)
        return isOverflow ? .max : limit
    }
}
