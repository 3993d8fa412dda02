internal import ReceiptTypes

/// Verifies blocks on one thread.
struct BatchWorker: ~Copyable {
    private let row: ResultRow
    private let recordLimit: Int
    /// The receipts of the current round, with their line numbers.
    private var round: ReceiptRound<Int>
    private var output = BatchOutput()
    private var source = ""

    init(_ verifier: ReceiptVerifier, _ row: ResultRow) {
        self.row = row
        recordLimit = verifier.recordLimit
        round = ReceiptRound(verifier)
    }

    /// Verifies the receipts of a block.
    mutating func judge(_ block: BatchBlock) -> BatchOutput {
        source = block.source
        switch block.content {
        case .records(let bytes): judge(bytes, of: block)
        case .whole(let bytes): add(ReceiptInput.detect(bytes), line: 1)
        case .oversized(let count):
            add(
                VerificationFailure(
                    code: .tooLarge, expected: "at most \(recordLimit) bytes", actual: "\(count) bytes"
                ), line: block.firstLine
            )
        }
        endRound()
        defer { output = BatchOutput() }
        output.end = block.end
        return output
    }

    private mutating func judge(_ bytes: ArraySlice<UInt8>, of block: BatchBlock) {
        var records = BatchRecords(bytes, of: block)
        while let (record, line) = records.next() {
            // Safe: the bytes do not change while a record of them is in use.
            judge(unsafe bytes.span.bytes.extracting(record), line: line, block.format, column: block.column)
        }
    }

    private mutating func judge(_ record: RawSpan, line: Int, _ format: BatchFormat, column: Int) {
        switch format {
        case .csv:
            let field = record.trimmed.byteCount > 0 ? CSV.field(column, of: record) ?? [] : nil
            if let field { add(ReceiptInput.detect(field), line: line) }
        case .json(let field):
            let text = record.trimmed
            if text.byteCount > 0 { add(Self.inputs(in: text, field: field), line: line) }
        case .lines, .whole:
            let text = record.trimmed
            if text.byteCount > 0, !addPlainJWS(text, line: line) { add(ReceiptInput.detect(text.array), line: line) }
        }
    }

    private static func inputs(in text: RawSpan, field: String) -> [ReceiptInput] {
        let document = try? JSONDocument(parsing: text, maximumDepth: Budget.payloadDepth)
        switch document?.root.member(named: field)?.value {
        case .string(let text)?: return ReceiptInput.detect([UInt8](text.utf8))
        case let value?: return ReceiptInput.detect([UInt8](value.description.utf8))
        case nil: return [.unrecognized(text.array)]
        }
    }

    // MARK: Rounds

    private mutating func add(_ inputs: [ReceiptInput], line: Int) {
        for input in inputs {
            round.add(input, line)
            if round.isFull { endRound() }
        }
    }

    /// Adds a line that is a JWS without a wrapping, which needs no detection.
    ///
    /// Returns false if it is not such a line.
    private mutating func addPlainJWS(_ text: RawSpan, line: Int) -> Bool {
        guard text.looksLikeJWS else { return false }
        let pending = round.begin(text)
        if let code = pending.receipt.examination.failure?.code, Self.spellingCodes.contains(code) { return false }
        add(pending, line: line)
        return true
    }

    /// The failures after which a line must go through detection: it may be a receipt in a wrapping, or no receipt.
    private static let spellingCodes: [VerificationFailure.Code] = [.encoding, .segmentCount, .tooLarge]

    private mutating func add(_ failure: VerificationFailure, line: Int) {
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.adopt(failure)
        add(PendingReceipt(receipt: receipt), line: line)
    }

    private mutating func add(_ pending: PendingReceipt, line: Int) {
        round.add(pending, line)
        if round.isFull { endRound() }
    }

    private mutating func endRound() {
        var output = output
        // With two references to the lines, appending the first result would copy them.
        self.output = BatchOutput()
        round.finish { receipt, line in
            let claims = receipt.verifiedClaims
            output.summary.add(receipt, claims)
            row.append(receipt, claims, source: source, line: line, to: &output.lines)
        }
        self.output = output
    }
}
