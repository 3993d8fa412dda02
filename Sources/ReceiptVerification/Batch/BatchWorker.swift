internal import ReceiptTypes

/// Verifies blocks on one thread.
struct BatchWorker: ~Copyable {
    private let row: ResultRow
    private let recordLimit: Int
    private let maximumReceipts: Int
    private let gate: RecordGate
    /// The receipts of the current round, with their places.
    private var round: ReceiptRound<Place>
    private var output = BatchOutput()
    private var source = ""

    /// The place of a receipt, and the number of receipts that only a search finds in its record.
    private struct Place {
        let line: Int
        var searchable = 0
    }

    /// - Parameter maximumReceipts: The most receipts in one record.
    init(_ verifier: ReceiptVerifier, _ row: ResultRow, maximumReceipts: Int, _ gate: RecordGate) {
        self.row = row
        self.maximumReceipts = maximumReceipts
        self.gate = gate
        recordLimit = verifier.recordLimit
        round = ReceiptRound(verifier)
    }

    /// Verifies the receipts of a block and hands over their results, in several parts if they are long.
    mutating func verify<Failure: Error>(
        _ block: BatchBlock,
        _ deliver: (BatchOutput) throws(Failure) -> Void
    ) throws(Failure) {
        source = block.source
        var end = block.end
        switch block.content {
        case .records(let bytes):
            try verify(bytes, of: block, deliver)
            end.consumed = ConsumedBytes(endOf: bytes)
        case .whole(let bytes):
            add(find(in: bytes, isFile: true), line: 1)
            end.consumed = ConsumedBytes(endOf: bytes[...])
        case .oversized(let count):
            add(
                VerificationFailure(
                    code: .tooLarge, expected: "at most \(recordLimit) bytes", actual: "\(count) bytes"
                ), line: block.firstLine
            )
        }
        try endPart(at: end, deliver)
    }

    private mutating func verify<Failure: Error>(
        _ bytes: ArraySlice<UInt8>,
        of block: BatchBlock,
        _ deliver: (BatchOutput) throws(Failure) -> Void
    ) throws(Failure) {
        var records = BatchRecords(bytes, of: block)
        while let (record, line) = records.next() {
            // Safe: the bytes do not change while a record of them is in use.
            verify(unsafe bytes.span.bytes.extracting(record), line: line, block.format, column: block.column)
            guard output.lines.count >= BatchMemory.partSize, records.byteCount < bytes.count else { continue }
            var end = block.end
            end.offset -= bytes.count - records.byteCount
            end.lines = records.nextLine - 1
            end.consumed = ConsumedBytes(endOf: bytes.prefix(records.byteCount))
            try endPart(at: end, deliver)
        }
    }

    /// Ends the round and delivers the results so far.
    private mutating func endPart<Failure: Error>(
        at end: BatchPosition,
        _ deliver: (BatchOutput) throws(Failure) -> Void
    ) throws(Failure) {
        endRound()
        var output = output
        self.output = BatchOutput()
        output.end = end
        try deliver(output)
    }

    private mutating func verify(_ record: RawSpan, line: Int, _ format: BatchFormat, column: Int) {
        switch format {
        case .csv:
            let field = record.trimmed.byteCount > 0 ? CSV.field(column, of: record) ?? [] : nil
            if let field { add(find(in: field), line: line) }
        case .json(let field):
            let text = record.trimmed
            if text.byteCount > 0 { add(find(in: text, field: field), line: line) }
        case .lines, .whole:
            let text = record.trimmed
            if text.byteCount > 0, !addPlainJWS(text, line: line) { add(find(in: text.array), line: line) }
        }
    }

    // MARK: Records

    /// The receipts in a record.
    private struct Found {
        /// Nil if there are more than one record may have.
        var receipts: [ReceiptInput]?
        /// The number of receipts that a search finds in a record in which none was read.
        var searchable = 0
    }

    /// Finds the receipts in a record, which can be a file of its own.
    private func find(in record: [UInt8], isFile: Bool = false) -> Found {
        gate.enter(record.count)
        defer { gate.leave(record.count) }
        return detect(record, searchedLength: isFile ? .max : RecordGate.freeLength)
    }

    /// Finds the receipts in a member of a record that is a JSON object.
    private func find(in record: RawSpan, field: String) -> Found {
        guard !InputDetector.canHaveMoreValues(than: maximumValues, record) else { return Found() }
        let length = record.byteCount
        gate.enter(length)
        defer { gate.leave(length) }
        let document = try? JSONDocument(parsing: record, maximumDepth: Budget.payloadDepth)
        switch document?.root.member(named: field)?.value {
        case .string(let text)?: return detect([UInt8](text.utf8))
        case let value?: return detect([UInt8](value.description.utf8))
        case nil: return Found(receipts: [.unrecognized(record.array)])
        }
    }

    /// - Parameter searchedLength: The length of the longest text that is searched if no receipt is read in it.
    private func detect(_ text: [UInt8], searchedLength: Int = RecordGate.freeLength) -> Found {
        var detector = InputDetector(maximumValues: maximumValues)
        let found = detector.detect(text)
        guard !detector.isOverLimit, found?.count ?? 1 <= maximumReceipts else { return Found() }
        let receipts = found ?? [.unrecognized(text)]
        return Found(
            receipts: receipts, searchable: text.count <= searchedLength ? Self.searchable(receipts) : 0)
    }

    private var maximumValues: Int {
        let (maximum, isOverflow) = maximumReceipts.multipliedReportingOverflow(by: BatchMemory.valuesPerReceipt)
        return isOverflow
            ? .max : max(maximum, BatchVerifier.defaultMaximumReceiptsPerRecord * BatchMemory.valuesPerReceipt)
    }

    // MARK: Searching

    /// Returns the number of receipts that a search finds in a record that is no receipt as it is.
    ///
    /// A batch does not verify them: its result would depend on a search, and a record could have the result of a
    /// receipt that it only quotes. A record that is nothing but a damaged JWS is not searched.
    private static func searchable(_ inputs: [ReceiptInput]) -> Int {
        guard inputs.count == 1, let input = inputs.first, !input.isSound else { return 0 }
        switch input {
        case .jws(let text), .unrecognized(let text):
            return JWSForm.isWord(text) ? 0 : ReceiptFinder(text).findings.receipts.count
        case .play, .legacyReceipt: return 0
        }
    }

    private static func remark(on count: Int) -> String {
        count == 1
            ? "a receipt is among other text, where a batch does not search"
            : "\(count) receipts are among other text, where a batch does not search"
    }

    // MARK: Rounds

    private mutating func add(_ found: Found, line: Int) {
        guard let receipts = found.receipts else {
            return add(
                VerificationFailure(
                    code: .tooManyReceipts, expected: "at most \(maximumReceipts) receipts in one record",
                    actual: "more receipts"
                ), line: line
            )
        }
        for receipt in receipts {
            round.add(receipt, Place(line: line, searchable: found.searchable))
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
        round.add(pending, Place(line: line))
        if round.isFull { endRound() }
    }

    private mutating func endRound() {
        var output = output
        // With two references to the lines, appending the first result would copy them.
        self.output = BatchOutput()
        round.finish { receipt, place in
            var receipt = receipt
            if place.searchable > 0, !receipt.isVerified {
                receipt.examination.addRemark(Self.remark(on: place.searchable))
                output.summary.searchable += 1
            }
            let claims = receipt.verifiedClaims
            let revocation = receipt.revocation(claims)
            output.summary.add(receipt, claims, revocation)
            row.append(receipt, claims, revocation, source: source, line: place.line, to: &output.lines)
        }
        self.output = output
    }
}
