internal import ReceiptTypes

/// Judges blocks, one after the other, for one thread.
struct BatchWorker: ~Copyable {
    private let verifier: ReceiptVerifier
    private let row: ResultRow
    /// Nil when the machine has no memory; then every receipt is undecided.
    private var workspace: Workspace?
    /// Receipts whose signatures are judged together, in order, and the lines that they came from.
    private var round: [PendingReceipt] = []
    private var lines: [Int] = []
    private var output = BatchOutput()
    private var source = ""

    init(_ verifier: ReceiptVerifier, _ row: ResultRow) {
        self.verifier = verifier
        self.row = row
        workspace = try? Workspace()
    }

    /// Judges the receipts of a block.
    mutating func judge(_ block: BatchBlock) -> BatchOutput {
        source = block.source
        switch block.content {
        case .records(let bytes): judge(bytes, of: block)
        case .whole(let bytes): add(ReceiptInput.detect(bytes), line: 1)
        case .oversized(let count):
            add(
                VerificationFailure(
                    code: .tooLarge, expected: "at most \(verifier.recordLimit) bytes", actual: "\(count) bytes"
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
            // Safe: nothing changes the bytes while a record of them is looked at.
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
            if text.isPlainJWS {
                addJWS(text, line: line)
            } else if text.byteCount > 0 {
                add(ReceiptInput.detect(text.array), line: line)
            }
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
            switch input {
            case .jws(let bytes): addJWS(unsafe bytes.span.bytes, line: line)
            default: add(PendingReceipt(receipt: verifier.checkOther(input)), line: line)
            }
        }
    }

    private mutating func add(_ failure: VerificationFailure, line: Int) {
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.adopt(failure)
        add(PendingReceipt(receipt: receipt), line: line)
    }

    private mutating func addJWS(_ text: RawSpan, line: Int) {
        guard workspace != nil else {
            add(VerificationFailure(code: .internalError, actual: CryptoFault.outOfMemory.description), line: line)
            return
        }
        if let pending = workspace?.begin(text, verifier) { add(pending, line: line) }
    }

    private mutating func add(_ pending: PendingReceipt, line: Int) {
        round.append(pending)
        lines.append(line)
        if round.count >= SignatureBatch.capacity { endRound() }
    }

    private mutating func endRound() {
        workspace?.judge(&round, verifier)
        for (line, pending) in zip(lines, round) {
            let receipt = workspace?.finish(pending, verifier) ?? pending.receipt
            let claims = receipt.verifiedClaims
            output.summary.add(receipt, claims)
            row.append(receipt, claims, source: source, line: line, to: &output.lines)
        }
        workspace?.endRound(with: verifier.keyCache)
        round.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }
}

extension Workspace {
    fileprivate mutating func begin(_ text: RawSpan, _ verifier: ReceiptVerifier) -> PendingReceipt {
        verifier.begin(text, &self)
    }

    fileprivate mutating func judge(_ round: inout [PendingReceipt], _ verifier: ReceiptVerifier) {
        verifier.judge(&round, &self)
    }

    fileprivate mutating func finish(_ pending: PendingReceipt, _ verifier: ReceiptVerifier) -> CheckedReceipt {
        verifier.finish(pending, &self)
    }
}
