internal import ReceiptTypes

/// Verifies blocks on one thread.
struct BatchWorker: ~Copyable {
    private let row: ResultRow
    private let products: BatchProducts
    /// The pseudonyms in what results show; nil if only identifiers are compared.
    private let redaction: Redaction?
    private let verdicts: Set<Verdict>
    private let period: ResultPeriod
    private let copier: RecordCopier
    private let recordLimit: Int
    private let maximumReceipts: Int
    private let isEveryRecordAnswered: Bool
    private let gate: RecordGate
    private let playKeys: PlayKeyring
    /// The receipts of the current round, with their places.
    private var round: ReceiptRound<Place>
    private var output = BatchOutput()
    private var counter: ResultCounter
    /// The name of the source, or its pseudonym, and its index.
    private var source = ""
    private var sourceNumber = 0
    private var record = Record()
    /// The fields of the current record of CSV.
    private var fields: [CSV.Cell] = []
    /// The path of the signatures of Google Play purchases in JSON; nil if they have no member of their own.
    private var signaturePath: FieldPath?
    /// What the results of the current round repeat of their records.
    private var copies: [UInt8] = []
    /// What the results of the current record repeat of it.
    private var copy: [UInt8] = []
    /// What the results of a record that cannot be read or repeated have in its place.
    private var absentCopy: [UInt8] = []
    private var keptNames: KeptNames
    private var payloadNames: PayloadNames
    /// The digests of what is signed, of the receipts in the current round, if the product is entries.
    private var digests: [SHA256Digest?] = []

    /// The current record: its number, its line, and the number of receipts so far.
    private struct Record {
        var number = 1
        var line = 1
        var items = 0
    }

    /// The place of a receipt, and the number of receipts that only a search finds in its record.
    private struct Place {
        let line: Int
        let record: Int
        let item: Int
        /// The place of what the result repeats of its record.
        let copy: Range<Int>
        var searchable = 0
    }

    init(_ verifier: ReceiptVerifier, _ settings: BatchSettings, _ gate: RecordGate) {
        row = settings.row
        products = settings.products
        redaction =
            settings.products.contains(.entries) && settings.groupings.isEmpty ? nil : settings.row.redaction
        counter = ResultCounter(settings.groupings)
        verdicts = settings.verdicts
        period = settings.period
        copier = settings.copier
        maximumReceipts = settings.maximumReceipts
        isEveryRecordAnswered = settings.isEveryRecordAnswered
        self.gate = gate
        playKeys = verifier.playKeys
        keptNames = KeptNames(settings.keeping)
        payloadNames = PayloadNames(settings.fields)
        recordLimit = verifier.recordLimit
        // Refused receipts have no date.
        let showsRefused = settings.verdicts != [.verified] && !settings.period.isLimited
        round = ReceiptRound(verifier, readsRefusedClaims: showsRefused)
    }

    /// Verifies the receipts of a block and hands over their results, in several parts if they are long.
    mutating func verify<Failure: Error>(
        _ block: BatchBlock,
        _ deliver: (BatchOutput) throws(Failure) -> Void
    ) throws(Failure) {
        source = row.redaction?.pseudonym(of: block.source) ?? block.source
        sourceNumber = block.end.source
        output.lines += block.preamble
        record = Record(number: block.firstRecord, line: block.firstLine)
        absentCopy.removeAll()
        copier.appendAbsent(block.header, to: &absentCopy)
        copy = absentCopy
        var end = block.end
        switch block.content {
        case .records(let bytes):
            try verify(bytes, of: block, deliver)
            end.consumed = ConsumedBytes(endOf: bytes)
        case .whole(let bytes):
            let bytes = [UInt8](bytes)
            if isEveryRecordAnswered, InputDetector.trimmed(bytes).isEmpty {
                addEmpty()
            } else {
                add(find(in: bytes, isFile: true))
            }
            end.consumed = ConsumedBytes(endOf: bytes[...])
        case .oversized(let count):
            add(oversized: count, of: block)
        }
        try endPart(at: end, deliver)
    }

    private mutating func verify<Failure: Error>(
        _ bytes: ArraySlice<UInt8>,
        of block: BatchBlock,
        _ deliver: (BatchOutput) throws(Failure) -> Void
    ) throws(Failure) {
        var records = BatchRecords(bytes, of: block)
        var path: FieldPath?
        signaturePath = nil
        if case .json(let field, let signature) = block.format {
            (path, signaturePath) = (FieldPath(field), signature.map { FieldPath($0) })
        }
        while let (place, number, line) = records.next() {
            record = Record(number: number, line: line)
            // Safe: the bytes do not change while a record of them is in use.
            verify(unsafe bytes.span.bytes.extracting(place), path, block.header, endsInQuotes: records.endsInQuotes)
            let isPart =
                output.lines.count + output.sales.count >= BatchMemory.partSize
                || counter.groupCount >= BatchMemory.groupsInPart
            guard isPart, records.byteCount < bytes.count else { continue }
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
        output.groups = counter.take()
        output.names = keptNames
        output.payloadNames = payloadNames
        try deliver(output)
    }

    /// - Parameter endsInQuotes: Whether the source ends inside quotation marks of the record.
    private mutating func verify(_ text: RawSpan, _ path: FieldPath?, _ header: CSVHeader?, endsInQuotes: Bool) {
        let trimmed = text.trimmed
        let isBlank = trimmed.byteCount == 0
        // Tabs separate the empty cells of a row.
        guard !isBlank || header.map({ text.firstOffset(of: $0.delimiter) != nil }) ?? false else {
            copy = absentCopy
            return addEmpty()
        }
        if let header {
            verify(row: CSV.withoutReturn(text), header, isBlank: isBlank, endsInQuotes: endsInQuotes)
        } else if let path {
            verify(object: trimmed, path)
        } else {
            if !copier.isIdle { repeatSearched(trimmed) }
            if !addPlainJWS(trimmed) { add(find(in: trimmed.array)) }
        }
    }

    // MARK: CSV records

    private mutating func verify(row text: RawSpan, _ header: CSVHeader, isBlank: Bool, endsInQuotes: Bool) {
        fields.removeAll(keepingCapacity: true)
        var start = 0
        while fields.count <= header.lastColumn, let field = CSV.nextField(of: text, header.delimiter, from: &start) {
            fields.append(field)
        }
        if !copier.isIdle {
            copy.removeAll(keepingCapacity: true)
            copier.append(text, fields, header, rest: restOfColumn(in: text, header), to: &copy)
        }
        // A row of empty cells can end before the receipt's column.
        guard !isBlank else { return addEmpty() }
        // Neither a row without the column nor rows that a quotation mark may have joined can pass for an empty cell.
        let breaks = text.firstOffset(of: 0x0A) == nil ? 0 : text.withoutBreaks.count(of: 0x0A)
        if endsInQuotes || breaks > 0 && !CSV.isWellFormed(text, header.delimiter) {
            output.summary.addMisquoted(.init(source: source, line: record.line, lineCount: breaks + 1))
            guard breaks == 0 else { return add(.joined(lines: breaks + 1)) }
        }
        guard header.column < fields.count else {
            return add(.missing("the column \(header.columnName)", cells: fields.count))
        }
        let field = fields[header.column]
        let signature = header.signature.flatMap { $0 < fields.count ? fields[$0].value(in: text) : nil }
        guard !field.hasQuotes, header.path == nil else {
            let value = field.value(in: text)
            guard !value.withRawSpan({ EmptyValue.matches($0) }) else { return addEmpty() }
            guard let path = header.path else { return add(find(in: value, signature: signature)) }
            return value.withRawSpan { add(find(in: $0, path, isInside: true, signature: signature)) }
        }
        let value = text.extracting(field.range)
        guard !EmptyValue.matches(value) else { return addEmpty() }
        // A line break in a quoted field is removed by detection only.
        if !addPlainJWS(value.trimmed) { add(find(in: value.array, signature: signature)) }
    }

    /// Returns the JSON of the receipt's column without the receipt, if that is what results repeat of the column.
    private func restOfColumn(in row: RawSpan, _ header: CSVHeader) -> [UInt8]? {
        guard let path = header.omittedPath, header.column < fields.count else { return nil }
        let cell = fields[header.column].value(in: row)
        return cell.withRawSpan { cell in
            guard !InputDetector.canHaveMoreValues(than: maximumValues, cell) else { return nil }
            gate.enter(cell.byteCount)
            defer { gate.leave(cell.byteCount) }
            guard (try? document(in: cell)) != nil else { return nil }
            return RecordCopier.copy(of: cell, without: path)
        }
    }

    // MARK: JSON records

    private mutating func verify(object text: RawSpan, _ path: FieldPath) {
        copy = absentCopy
        add(find(in: text, path, isInside: false))
    }

    /// Finds the receipts at a path of a JSON text; there are none if every value at the path is empty.
    ///
    /// - Parameter isInside: Whether the text is a cell, in which only a path leads to the receipt.
    private mutating func find(
        in text: RawSpan, _ path: FieldPath, isInside: Bool, signature: [UInt8]? = nil
    ) -> Found {
        guard !InputDetector.canHaveMoreValues(than: maximumValues, text) else { return Found() }
        let length = text.byteCount
        gate.enter(length)
        defer { gate.leave(length) }
        let document: JSONDocument
        do throws(JSONDocument.Fault) {
            document = try self.document(in: text)
        } catch {
            return Found(failure: .unreadable(error))
        }
        if !isInside, !copier.isIdle { repeatRecord(text, document, without: path) }
        var values: [[UInt8]] = []
        let presence = JSONPlaces.forEach(at: path, isInside: isInside, in: text) { place in
            if let value = text.extracting(place).receiptInJSON { values.append(value) }
        }
        switch presence {
        case .present: break
        case .absent: return Found(failure: .missing("the member \(path.text)"))
        case .repeated: return Found(failure: .repeated("the member \(path.text)"))
        }
        var signatures = signature.map { [[UInt8]?.some($0)] } ?? []
        if let signaturePath, !isInside {
            guard let found = Self.signatures(at: signaturePath, in: text) else {
                return Found(failure: .repeated("the member \(signaturePath.text)"))
            }
            signatures = found.isEmpty ? [nil] : found
        }
        return find(in: values, signatures)
    }

    /// Finds the receipts in values.
    ///
    /// - Parameter signatures: The signatures beside them, as one text or several; none if they have no place of their
    ///   own.
    private func find(in values: [[UInt8]], _ signatures: [[UInt8]?]) -> Found {
        var (values, signatures) = (values.map { Optional($0) }, signatures)
        if !signatures.isEmpty {
            if values.count == 1, let list = values[0].flatMap(Self.list) { values = list }
            if signatures.count == 1, let list = signatures[0].flatMap(Self.list) { signatures = list }
            if values.count != signatures.count {
                // It is not known which ones are missing.
                let known = signatures.compactMap(\.self)
                let trials = SignatureTrials(playKeys)
                signatures = values.map { value in value.flatMap { trials?.valid(among: known, over: $0) } }
            }
        }
        var receipts: [ReceiptInput] = []
        var searchable = 0
        for (place, value) in values.enumerated() {
            guard let value else { continue }
            let found = detect(value, signature: place < signatures.count ? signatures[place] : nil)
            guard let more = found.receipts, receipts.count + more.count <= maximumReceipts else { return Found() }
            receipts += more
            searchable += found.searchable
        }
        return Found(receipts: receipts, searchable: searchable)
    }

    /// Returns the texts of a JSON array, of which null is none; nil if it has other elements or the text is no array.
    private static func list(_ text: [UInt8]) -> [[UInt8]?]? {
        guard text.first == UInt8(ascii: "["), let elements = (try? JSONDocument.value(of: text))?.elements
        else { return nil }
        let list = elements.compactMap { element -> [UInt8]?? in
            switch element {
            case .string(let text): .some([UInt8](text.utf8))
            case .null: .some(nil)
            default: nil
            }
        }
        return list.count == elements.count ? list : nil
    }

    /// Returns the values at the path of the signatures; nil if it is not known which member is meant.
    private static func signatures(at path: FieldPath, in text: RawSpan) -> [[UInt8]?]? {
        var signatures: [[UInt8]?] = []
        let presence = JSONPlaces.forEach(at: path, in: text) { signatures.append(text.extracting($0).receiptInJSON) }
        return presence == .repeated ? nil : signatures
    }

    // MARK: Other records

    /// The receipts in a record.
    private struct Found {
        /// Nil if there are more than one record may have.
        var receipts: [ReceiptInput]?
        /// The number of receipts that a search finds in a record in which none was read.
        var searchable = 0
        /// The reason why the record cannot be searched.
        var failure: VerificationFailure?
    }

    private func document(in text: RawSpan) throws(JSONDocument.Fault) -> JSONDocument {
        try JSONDocument.readSurroundings(text, maximumDepth: Budget.payloadDepth, allowsDuplicates: true)
    }

    /// Finds the receipts in a record, which can be a file of its own.
    ///
    /// - Parameter signature: The signatures that the record has beside the text.
    private func find(in record: [UInt8], isFile: Bool = false, signature: [UInt8]? = nil) -> Found {
        gate.enter(record.count)
        defer { gate.leave(record.count) }
        if let signature { return find(in: [record], [signature]) }
        return detect(record, searchedLength: isFile ? .max : RecordGate.freeLength)
    }

    /// - Parameters:
    ///   - searchedLength: The length of the longest text that is searched if no receipt is read in it.
    ///   - signature: The signature that the record has beside the text; a receipt of another format needs none.
    private func detect(
        _ text: [UInt8], searchedLength: Int = RecordGate.freeLength, signature: [UInt8]? = nil
    ) -> Found {
        var detector = InputDetector(maximumValues: maximumValues, trials: SignatureTrials(playKeys))
        if let signature, !signature.withRawSpan({ EmptyValue.matches($0) }) {
            if detector.detect(text) == nil, !detector.isOverLimit {
                return Found(receipts: [.play(data: text, signature: signature)])
            }
        }
        let found = detector.detectReceipts(in: text)
        guard !detector.isOverLimit, found?.count ?? 1 <= maximumReceipts else { return Found() }
        let receipts = found ?? [.unrecognized(text)]
        return Found(
            receipts: receipts, searchable: text.count <= searchedLength ? Self.searchable(receipts) : 0)
    }

    // MARK: Copies

    /// Copies a record that is searched for receipts, if it is a JSON object.
    private mutating func repeatSearched(_ text: RawSpan) {
        copy = absentCopy
        guard text.byte(at: 0) == UInt8(ascii: "{"), !InputDetector.canHaveMoreValues(than: maximumValues, text)
        else { return }
        gate.enter(text.byteCount)
        defer { gate.leave(text.byteCount) }
        guard let document = try? document(in: text) else { return }
        repeatRecord(text, document, without: nil)
    }

    private mutating func repeatRecord(_ text: RawSpan, _ document: JSONDocument, without path: FieldPath?) {
        copy.removeAll(keepingCapacity: true)
        copier.append(
            json: text, without: path, hasDuplicates: document.allowsDuplicates, names: &keptNames, to: &copy)
        keptNames.collect(document.root)
    }

    /// Returns the place of the next receipt of the current record.
    private mutating func nextPlace(searchable: Int = 0) -> Place {
        record.items += 1
        let start = copies.count
        copies += copy
        return Place(
            line: record.line, record: record.number, item: record.items, copy: start..<copies.count,
            searchable: searchable)
    }

    private var maximumValues: Int { BatchMemory.maximumValues(forReceipts: maximumReceipts) }

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
        case .play, .appReceipt, .unsearched: return 0
        }
    }

    private static func remark(on count: Int) -> String {
        count == 1
            ? "a receipt is among other text, where a batch does not search"
            : "\(count) receipts are among other text, where a batch does not search"
    }

    // MARK: Rounds

    /// Counts a record without a receipt, which has a result only if every record has one.
    private mutating func addEmpty() {
        output.summary.empty += 1
        guard isEveryRecordAnswered else { return }
        add(VerificationFailure(code: .empty, expected: "a receipt", actual: "an empty record"))
    }

    private mutating func add(oversized byteCount: Int, of block: BatchBlock) {
        let lineCount = block.end.lines - block.firstLine + 1
        // A quotation mark without a partner joins lines up to the limit and beyond.
        let isJoined = block.format.isCSV && lineCount > 1
        if isJoined {
            output.summary.addMisquoted(.init(source: source, line: block.firstLine, lineCount: lineCount))
        }
        add(
            VerificationFailure(
                code: .tooLarge,
                expected:
                    "at most \(recordLimit) bytes, or \(BatchMemory.appReceiptLimit(recordLimit)) with an app receipt",
                actual: "\(byteCount) bytes" + (isJoined ? " in \(lineCount) lines" : "")))
    }

    private mutating func add(_ found: Found) {
        if let failure = found.failure { return add(failure) }
        guard let receipts = found.receipts else {
            let limit = maximumReceipts == 1 ? "one receipt" : "\(maximumReceipts) receipts"
            return add(
                VerificationFailure(
                    code: .tooManyReceipts, expected: "at most \(limit) in one record", actual: "more receipts"))
        }
        if receipts.isEmpty { return addEmpty() }
        if copy.count > BatchMemory.copyLimit / receipts.count { copy = absentCopy }
        for receipt in receipts {
            let place = nextPlace(searchable: found.searchable)
            if products.contains(.digests) { digests.append(DuplicateEntry.digest(of: receipt)) }
            // A large app receipt is decoded and read at once.
            let length = receipt.appReceiptLength
            gate.enter(length)
            defer { gate.leave(length) }
            round.add(receipt, place)
            endRoundIfFull()
        }
    }

    /// Adds a text that is a JWS without a wrapping, which needs no detection.
    ///
    /// Returns false if it is not such a text.
    private mutating func addPlainJWS(_ text: RawSpan) -> Bool {
        guard text.looksLikeJWS else { return false }
        let pending = round.begin(text)
        if let code = pending.receipt.examination.failure?.code, Self.spellingCodes.contains(code) { return false }
        add(pending, digest: products.contains(.digests) ? DuplicateEntry.digest(ofJWS: text) : nil)
        return true
    }

    /// The failures after which a line must go through detection: it may be a receipt in a wrapping, or no receipt.
    private static let spellingCodes: [VerificationFailure.Code] = [.encoding, .segmentCount, .tooLarge]

    private mutating func add(_ failure: VerificationFailure) {
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.adopt(failure)
        add(PendingReceipt(receipt: receipt))
    }

    private mutating func add(_ pending: PendingReceipt, digest: SHA256Digest? = nil) {
        if copy.count > BatchMemory.copyLimit { copy = absentCopy }
        let place = nextPlace()
        if products.contains(.digests) { digests.append(digest) }
        round.add(pending, place)
        endRoundIfFull()
    }

    private mutating func endRoundIfFull() {
        if round.isFull || copies.count >= BatchMemory.partSize { endRound() }
    }

    private mutating func endRound() {
        var output = output
        var counter = counter
        var payloadNames = payloadNames
        var number = 0
        // With two references to the lines or the counts, the first result would copy them.
        self.output = BatchOutput()
        self.counter = ResultCounter([])
        round.finish { receipt, refused, place in
            var receipt = receipt
            if place.searchable > 0, !receipt.isVerified {
                receipt.examination.addRemark(Self.remark(on: place.searchable))
                output.summary.searchable += 1
            }
            let result = BatchResult(receipt, refused: refused, redaction: redaction)
            output.summary.add(result)
            payloadNames.examine(result.payload)
            defer { number += 1 }
            guard verdicts.contains(receipt.verdict) else { return }
            let origin = ResultPlace(source: source, line: place.line, record: place.record, item: place.item)
            // A purchase is chosen by its own date, so that all its versions are in one period.
            let sale =
                receipt.acceptedIfRevoked.map { BatchResult($0, refused: refused, redaction: redaction) } ?? result
            if products.contains(.sales), period.side(of: sale, ofPurchases: true) == .inside {
                output.addSale(
                    of: sale, group: products.contains(.groupedSales) ? counter.values(of: sale, at: origin, row) : [])
            }
            let side = period.side(of: result, ofPurchases: products.contains(.groupedSales))
            if side == .undated { output.summary.undated += 1 }
            guard side == .inside else { return }
            if products.contains(.rows) {
                row.append(result, at: origin, kept: copies[place.copy], to: &output.lines)
            }
            if !products.contains(.groupedSales) { counter.add(result, at: origin, row) }
            if products.contains(.refusals) { output.refusals.add(result, at: origin) }
            if products.contains(.entries) {
                // Entries are compared by the identifiers themselves.
                DuplicateEntry.append(
                    redaction == nil ? result : BatchResult(receipt, refused: refused), at: origin,
                    ofSource: sourceNumber, digest: products.contains(.digests) ? digests[number] : nil,
                    to: &output.lines)
            }
        }
        copies.removeAll(keepingCapacity: true)
        self.payloadNames = payloadNames
        digests.removeAll(keepingCapacity: true)
        self.output = output
        self.counter = counter
    }
}

extension ReceiptInput {
    /// The number of bytes of an app receipt, as it is in the record; 0 for the other formats.
    fileprivate var appReceiptLength: Int { if case .appReceipt(let receipt) = self { receipt.count } else { 0 } }
}
