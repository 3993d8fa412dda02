internal import ReceiptTypes

/// Verifies receipts by the million: one result a receipt, in the order of the input, in memory that does not grow with it.
///
/// A receipt that cannot be read is a result like every other, never a stop.
public struct BatchVerifier: Sendable {
    private let verifier: ReceiptVerifier
    private let row: ResultRow
    private let jobs: Int

    /// Makes a batch verifier.
    ///
    /// - Parameter jobs: How many receipts are verified at the same time, at least 1.
    public init(verifier: ReceiptVerifier, output: BatchOutputFormat = .jsonLines, jobs: Int = 1) {
        self.verifier = verifier
        row = ResultRow(format: output)
        self.jobs = max(jobs, 1)
    }

    /// What comes before all results: the header line of CSV.
    public var header: [UInt8] { row.header }

    /// Verifies all receipts of some sources.
    ///
    /// - Parameters:
    ///   - write: Takes lines of results, in order.
    ///   - progress: Is told the number of results so far, from time to time.
    /// - Throws: What `read` of a source or `write` throws, and ``BatchError``.
    public func run(
        _ sources: some Sequence<BatchSource>,
        write: ([UInt8]) throws -> Void,
        progress: (Int) -> Void = { _ in }
    ) async throws -> BatchSummary {
        var summary = BatchSummary()
        // Blocks under way, oldest first: twice as many as jobs, so that none waits for a slow one before it, and never
        // more, so that memory is bounded when results are taken slowly.
        var pending: [Task<Output, Never>] = []
        defer { for task in pending { task.cancel() } }
        func finish(_ output: Output) throws {
            summary.add(output.summary)
            try write(output.lines)
            progress(summary.total)
        }
        for source in sources {
            var reader = BlockReader(source, recordLimit: recordLimit)
            while let block = try reader.next() {
                if jobs == 1 {
                    try finish(process(block))
                    continue
                }
                if pending.count >= jobs * 2 { try finish(await pending.removeFirst().value) }
                pending.append(Task.detached { [self] in process(block) })
            }
        }
        while !pending.isEmpty { try finish(await pending.removeFirst().value) }
        return summary
    }

    /// JSON around a receipt and escapes can make it several times as long.
    private var recordLimit: Int {
        let (limit, overflow) = verifier.policy.maximumSize.multipliedReportingOverflow(by: 4)
        return overflow ? .max : limit
    }

    // MARK: One block

    private struct Output: Sendable {
        var lines: [UInt8] = []
        var summary = BatchSummary()
    }

    private func process(_ block: BatchBlock) -> Output {
        var output = Output()
        do throws(CryptoFault) {
            var workspace = try Workspace()
            switch block.content {
            case .records(let bytes): process(bytes, of: block, &workspace, &output)
            case .whole(let bytes): emit(ReceiptInput.detect(bytes), block, line: 1, &workspace, &output)
            case .oversized(let count):
                emit(
                    VerificationFailure(
                        code: .tooLarge, expected: "at most \(recordLimit) bytes", actual: "\(count) bytes"
                    ), block, line: block.firstLine, &output)
            }
        } catch {
            let failure = VerificationFailure(code: .internalError, actual: error.description)
            emit(failure, block, line: block.firstLine, &output)
        }
        return output
    }

    private func process(_ bytes: [UInt8], of block: BatchBlock, _ workspace: inout Workspace, _ output: inout Output) {
        if case .csv = block.format {
            processCSV(bytes, of: block, &workspace, &output)
            return
        }
        bytes.withRawSpan { span in
            var line = block.firstLine
            var start = 0
            while start < span.byteCount {
                let end = span.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? span.byteCount
                process(span.extracting(start..<end), line: line, block, &workspace, &output)
                start = end + 1
                line += 1
            }
        }
    }

    private func process(
        _ line: RawSpan,
        line number: Int,
        _ block: BatchBlock,
        _ workspace: inout Workspace,
        _ output: inout Output
    ) {
        let text = line.trimmed
        guard text.byteCount > 0 else { return }
        if case .json(let field) = block.format {
            emit(Self.inputs(in: text.array, field: field), block, line: number, &workspace, &output)
        } else if text.isPlainJWS {
            emit(verifier.check(text, &workspace), block, line: number, &output)
        } else {
            emit(ReceiptInput.detect(text.array), block, line: number, &workspace, &output)
        }
    }

    private func processCSV(
        _ bytes: [UInt8],
        of block: BatchBlock,
        _ workspace: inout Workspace,
        _ output: inout Output
    ) {
        var line = block.firstLine
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let record = Self.csvRecord(in: bytes[start...])
            let fields = CSV.fields(of: record)
            if fields != [[]] {
                let text = block.column < fields.count ? fields[block.column] : []
                emit(ReceiptInput.detect(text), block, line: line, &workspace, &output)
            }
            line += record.reduce(into: 1) { if $1 == UInt8(ascii: "\n") { $0 += 1 } }
            start = record.endIndex + 1
        }
    }

    private static func csvRecord(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var isQuoted = false
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { return bytes[..<index] }
        }
        return bytes
    }

    private static func inputs(in line: [UInt8], field: String) -> [ReceiptInput] {
        switch ReceiptVerifier.parseJSON(line)?.object?[field] {
        case .string(let text)?: ReceiptInput.detect([UInt8](text.utf8))
        case let value?: ReceiptInput.detect([UInt8](value.description.utf8))
        case nil: [.unrecognized(line)]
        }
    }

    // MARK: Results

    private func emit(
        _ inputs: [ReceiptInput],
        _ block: BatchBlock,
        line: Int,
        _ workspace: inout Workspace,
        _ output: inout Output
    ) {
        for input in inputs { emit(verifier.check(input, &workspace), block, line: line, &output) }
    }

    private func emit(_ failure: VerificationFailure, _ block: BatchBlock, line: Int, _ output: inout Output) {
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.adopt(failure)
        emit(receipt, block, line: line, &output)
    }

    private func emit(_ receipt: borrowing CheckedReceipt, _ block: BatchBlock, line: Int, _ output: inout Output) {
        let claims = receipt.verifiedClaims
        output.summary.add(receipt, claims)
        row.append(receipt, claims, source: block.source, line: line, to: &output.lines)
    }
}

extension RawSpan {
    /// Without blanks and carriage returns at both ends.
    fileprivate var trimmed: RawSpan {
        @_lifetime(copy self)
        get {
            var start = 0
            var end = byteCount
            while start < end, Self.isBlank(byte(at: start)) { start += 1 }
            while end > start, Self.isBlank(byte(at: end - 1)) { end -= 1 }
            return extracting(start..<end)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Whether the line is a JWS with nothing around it, which needs no further look.
    fileprivate var isPlainJWS: Bool {
        byteCount > 3 && byte(at: 0) == UInt8(ascii: "e") && byte(at: 1) == UInt8(ascii: "y")
            && byte(at: 2) == UInt8(ascii: "J") && CompactJWS(self) != nil && firstOffset(of: UInt8(ascii: "%")) == nil
    }
}
