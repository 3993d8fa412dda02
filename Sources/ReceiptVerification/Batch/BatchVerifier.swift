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
    private var settings: BatchSettings
    private let jobs: Int
    private let isImmediate: Bool

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
    ///     more has one result, with the code `too-many-receipts`, and none of them is verified: otherwise a short
    ///     input could have a result many times as long.
    ///   - keeping: The parts of each record that its results repeat.
    ///   - contents: The contents of each result, and the results that are written.
    ///   - isEveryRecordAnswered: Whether each record has exactly one result: an empty record the code `empty`, and a
    ///     record with more than one receipt the code `too-many-receipts`.
    public init(
        verifier: ReceiptVerifier,
        output: BatchOutputFormat = .jsonLines,
        jobs: Int = 1,
        isImmediate: Bool = false,
        maximumReceiptsPerRecord: Int = defaultMaximumReceiptsPerRecord,
        keeping: KeptInput = .nothing,
        contents: ResultContents = .standard,
        isEveryRecordAnswered: Bool = false
    ) {
        self.verifier = verifier
        settings = BatchSettings(
            output: output, keeping: keeping, contents: contents, isEveryRecordAnswered: isEveryRecordAnswered,
            maximumReceipts: isEveryRecordAnswered ? 1 : max(maximumReceiptsPerRecord, 1))
        self.jobs = min(max(jobs, 1), 1024)
        self.isImmediate = isImmediate
    }

    /// The progress of a run.
    public struct Progress: Sendable {
        /// The position after the last written results; a later run can start there.
        public let position: BatchPosition
        /// The results of this run so far.
        public let summary: BatchSummary
    }

    /// Verifies all receipts of the sources and returns the counts.
    ///
    /// Unless results are immediate, it first reads up to a thousand records, and ends with a ``BatchError`` if none of
    /// them has the name that ``BatchFormat`` gives for the receipt, if all receipts are in another place, such as in a
    /// column of CSV that is read as lines, or if the text is UTF-16 and none of the lines is a receipt.
    ///
    /// With more than one job, threads of the batch read the sources and verify the receipts; the calling thread blocks
    /// and writes the results.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - start: The position to start at; the input before it is read and skipped.
    ///   - write: Receives result lines in order, and the progress after them. A run from the beginning that writes CSV
    ///     begins with the header line.
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
        return try verify(sources, from: start) { output, progress in try write(output.lines, progress) }
    }

    /// Returns a batch that makes something else of results than lines, and counts them by the values of fields, once
    /// for each grouping.
    func producing(_ products: BatchProducts, by groupings: [ResultFields] = []) -> BatchVerifier {
        var copy = self
        copy.settings = settings.producing(products, by: groupings)
        return copy
    }

    /// The pseudonyms that stand in place of identifiers.
    var redaction: Redaction? { settings.row.redaction }

    /// The time zone of days and months.
    var utcOffset: @Sendable (Timestamp) -> Int64 { settings.row.utcOffset }

    /// Verifies all receipts of the sources and passes on the results in order, with the progress after them.
    func verify(
        _ sources: [BatchSource],
        from start: BatchPosition,
        _ take: (BatchOutput, Progress) throws -> Void
    ) throws -> BatchSummary {
        var summary = BatchSummary()
        var names = KeptNames(settings.keeping)
        var payloadNames = PayloadNames(settings.fields)
        func deliver(_ output: BatchOutput) throws {
            summary.add(output.summary)
            names.add(output.names)
            payloadNames.add(output.payloadNames)
            try take(output, Progress(position: output.end, summary: summary))
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
        // What an earlier run has found is not known here.
        guard start == BatchPosition(), summary.total > 0 else { return summary }
        if sources.contains(where: { !$0.format.isCSV }) { summary.absentNames = names.absent }
        summary.absentFields = payloadNames.absent
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
        // A run that continues has the header line and a name that was right.
        let isBeginning = start == BatchPosition()
        var opening = OpeningBlocks(isChecking: isBeginning && !isImmediate)
        var columns = KeptColumns(input: settings.keeping)
        if settings.needsEqualColumns { columns.required = try firstColumns(sources, start) }
        var needsHeader = isBeginning && settings.row.format == .csv
        func pass(_ blocks: [BatchBlock]) throws -> Bool {
            for var block in blocks {
                if needsHeader {
                    block.preamble = settings.row.header(settings.copier.columns(block.header))
                    needsHeader = false
                }
                guard try take(block) else { return false }
            }
            return true
        }
        var header: CSVHeader?
        for (number, source) in sources.enumerated().dropFirst(start.source) {
            columns.isFirst = isBeginning && header == nil
            var reader = BlockReader(
                source, recordLimit: verifier.recordLimit, blockSize: blockSize, isImmediate: isImmediate,
                columns: columns)
            if number == start.source, !start.isAtStart { try reader.skip(to: start) }
            while true {
                let next: BatchBlock?
                do { next = try reader.next() } catch {
                    // What was read before the error has results.
                    if let held = try? opening.finish() { _ = try pass(held) }
                    throw error
                }
                guard var block = next else { break }
                block.end.source = number
                guard try pass(opening.admit(block)) else { return }
            }
            header = header ?? reader.header
            if settings.needsEqualColumns, columns.required == nil { columns.required = header?.kept.map(\.name) }
        }
        guard try pass(opening.finish()), needsHeader else { return }
        // Without any record, the results are a header line.
        let nothing = BatchBlock(
            source: "", format: .lines, header: header, firstLine: 1, content: .records([]), end: BatchPosition())
        _ = try pass([nothing])
    }

    /// Returns the columns of the first header line for a run that begins after it, and checks that all sources have
    /// columns.
    private func firstColumns(_ sources: [BatchSource], _ start: BatchPosition) throws -> [[UInt8]]? {
        if let source = sources.first(where: { !$0.format.isCSV }) {
            throw BatchError(code: .columnsDiffer, source: source.name)
        }
        for source in sources.prefix(start.source) {
            var reader = BlockReader(
                source, recordLimit: verifier.recordLimit, columns: KeptColumns(input: settings.keeping))
            try reader.readBeginning()
            if let header = reader.header { return header.kept.map(\.name) }
        }
        return nil
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
        BatchWorker(verifier, settings, gate)
    }
}

/// What a batch makes of each result, beside the counts.
struct BatchProducts: OptionSet, Sendable {
    let rawValue: Int

    /// A line of JSON or CSV.
    static let rows = BatchProducts(rawValue: 1)
    /// A ``DuplicateEntry``, in place of a line.
    static let entries = BatchProducts(rawValue: 2)
    /// The digest of what is signed, in the entry.
    static let digests = BatchProducts(rawValue: 4)
    /// The first results of each failure code.
    static let refusals = BatchProducts(rawValue: 8)
    /// A ``SaleEntry`` of each verified transaction.
    static let sales = BatchProducts(rawValue: 16)
    /// The values of the first grouping in these entries, in place of counts.
    static let groupedSales = BatchProducts(rawValue: 32)
}

/// What determines the form of a batch's results.
struct BatchSettings: Sendable {
    private(set) var row: ResultRow
    private(set) var products = BatchProducts.rows
    /// The fields by whose values results are counted, for each of several counts.
    private(set) var groupings: [ResultFields] = []
    private(set) var copier: RecordCopier
    private(set) var keeping: KeptInput
    /// The verdicts whose results are written.
    let verdicts: Set<Verdict>
    /// The period whose results are written.
    let period: ResultPeriod
    let isEveryRecordAnswered: Bool
    let maximumReceipts: Int

    init(
        output: BatchOutputFormat, keeping: KeptInput, contents: ResultContents, isEveryRecordAnswered: Bool,
        maximumReceipts: Int
    ) {
        row = ResultRow(format: output, contents: contents)
        verdicts = contents.verdicts
        period = contents.period ?? .always
        copier = RecordCopier(keeping, output, contents)
        self.keeping = keeping
        self.isEveryRecordAnswered = isEveryRecordAnswered
        self.maximumReceipts = maximumReceipts
    }

    /// Returns the settings of a batch with other products, for which no parts of records are kept.
    func producing(_ products: BatchProducts, by groupings: [ResultFields]) -> BatchSettings {
        var copy = self
        copy.row = ResultRow(
            format: .jsonLines,
            contents: ResultContents(period: period, redaction: row.redaction, utcOffset: row.utcOffset),
            ofPurchases: products.contains(.groupedSales))
        copy.products = products
        copy.groupings = groupings
        copy.keeping = .nothing
        copy.copier = RecordCopier(.nothing, .jsonLines)
        return copy
    }

    /// The fields that are chosen, of results or of counts.
    var fields: [ResultField] { groupings.isEmpty ? row.fields?.fields ?? [] : groupings.flatMap(\.fields) }

    /// Whether all columns are kept under one header line, so that all sources must have the same ones.
    var needsEqualColumns: Bool { keeping.isAll && row.format == .csv }
}

extension ReceiptVerifier {
    /// The largest record in bytes: JSON around a receipt, and escapes, can make it several times as long as a receipt.
    var recordLimit: Int {
        let (limit, isOverflow) = policy.maximumSize.multipliedReportingOverflow(by: 4)
        return isOverflow ? .max : limit
    }

    /// The largest record in bytes if it has an app receipt, which can be much longer than other receipts.
    package var appReceiptRecordLimit: Int { BatchMemory.appReceiptLimit(recordLimit) }
}
