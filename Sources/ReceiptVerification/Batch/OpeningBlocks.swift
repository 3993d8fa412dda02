internal import ReceiptTypes

/// Holds back the first blocks of a run until a record shows that the name of the receipt's member or column is right,
/// or that lines are receipts.
///
/// With a wrong name or format, every record of a long input would have the same useless result.
struct OpeningBlocks {
    /// The most records that are read, and the most bytes that are held back.
    private static let maximumRecords = 1000
    private static let maximumBytes = 8_388_608

    private var held: [BatchBlock] = []
    private var byteCount = 0
    private var recordCount = 0
    private var isDecided: Bool
    /// Whether a record has the name, and whether one has a value other than null or nothing there.
    private var isNamePresent = false
    private var hasValue = false
    /// Whether a cell of the receipt's column is JSON without the path that leads into it.
    private var isPathAbsent = false
    /// The names that are there instead.
    private var names = FieldNames()
    /// The columns of lines that are no receipts.
    private var table = TableOfLines()

    /// - Parameter isChecking: Whether blocks are held back at all.
    init(isChecking: Bool) {
        isDecided = !isChecking
    }

    /// Returns the blocks that can be verified after a further block was read.
    mutating func admit(_ block: BatchBlock) throws(BatchError) -> [BatchBlock] {
        if isDecided { return [block] }
        held.append(block)
        byteCount += block.byteCount
        examine(block)
        guard isDecided || recordCount >= Self.maximumRecords || byteCount >= Self.maximumBytes else { return [] }
        return try finish()
    }

    /// Returns the blocks that are held back, at the end of the input.
    mutating func finish() throws(BatchError) -> [BatchBlock] {
        if !isDecided, recordCount > 0, let first = held.first { try check(first) }
        isDecided = true
        defer { held = [] }
        return held
    }

    private func check(_ block: BatchBlock) throws(BatchError) {
        let name: String
        switch block.format {
        case .json(let field, _): name = field
        case .csv(let column, _): name = column
        case .lines, .whole: name = ""
        }
        if !hasValue, let encoding = encoding(of: block) {
            throw BatchError(code: .encodingUnsupported, source: block.source, detail: encoding)
        }
        if case .lines = block.format {
            guard let column = table.columnOfReceipts else { return }
            throw BatchError(
                code: .linesOfCSV, source: block.source, names: table.names, withReceipts: [column])
        }
        // Empty cells, and cells without JSON, do not say whether a path into a column is right.
        if !isNamePresent, isPathAbsent || block.header?.path == nil {
            throw BatchError(
                code: .noSuchField, source: block.source, detail: name, names: names.all,
                withReceipts: names.ofReceipts)
        }
        if hasValue, !names.ofReceipts.isEmpty {
            throw BatchError(
                code: .receiptElsewhere, source: block.source, detail: name, withReceipts: names.ofReceipts)
        }
    }

    /// Returns the name of an encoding that is not read, in which a source begins.
    private func encoding(of block: BatchBlock) -> String? {
        guard block.firstLine == 1, case .records(let bytes) = block.content else { return nil }
        return ForeignEncoding.name(of: unsafe bytes.span.bytes)
    }

    // MARK: Records

    private mutating func examine(_ block: BatchBlock) {
        let path: FieldPath?
        switch (block.format, block.header) {
        case (.json(let field, _), _): path = FieldPath(field)
        case (.csv, _?), (.lines, _): path = nil
        default:
            isDecided = true
            return
        }
        guard case .records(let bytes) = block.content else {
            // What a record above the limit contains is not known.
            isNamePresent = true
            return
        }
        var records = BatchRecords(bytes, of: block)
        while !isDecided, recordCount < Self.maximumRecords, let (range, _, _) = records.next() {
            let record = unsafe bytes.span.bytes.extracting(range)
            guard record.trimmed.byteCount > 0 else { continue }
            recordCount += 1
            if let header = block.header {
                examine(record, header)
            } else if let path {
                examine(record.trimmed, path)
            } else {
                examine(line: record)
            }
        }
    }

    private mutating func examine(_ record: RawSpan, _ path: FieldPath) {
        guard !InputDetector.canHaveMoreValues(than: Self.maximumValues, record) else {
            isNamePresent = true
            return
        }
        guard
            let document = try? JSONDocument.readSurroundings(
                record, maximumDepth: Budget.payloadDepth, allowsDuplicates: true)
        else { return }
        examine(document, record, path)
    }

    /// - Parameter column: The column that the record is a cell of; empty if it is none.
    private mutating func examine(
        _ document: JSONDocument, _ record: RawSpan, _ path: FieldPath, in column: String = ""
    ) {
        var values: [[UInt8]] = []
        let presence = JSONPlaces.forEach(at: path, isInside: !column.isEmpty, in: record) { place in
            values.append(record.extracting(place).receiptInJSON ?? [])
        }
        if presence == .absent { isPathAbsent = true } else { isNamePresent = true }
        for value in values { examine(value: value) }
        names.add(of: document.root, prefix: column)
    }

    private mutating func examine(_ record: RawSpan, _ header: CSVHeader) {
        let record = CSV.withoutReturn(record)
        let values = CSV.fields(of: record, delimiter: header.delimiter)
        isNamePresent = isNamePresent || header.path == nil
        for (index, name) in header.names.enumerated() where index < values.count {
            if index == header.column {
                if let path = header.path {
                    examine(cell: values[index], path, header)
                } else {
                    examine(value: values[index])
                }
            } else if JWSForm.matchesSegments(values[index]) {
                names.add(String(decoding: name, as: UTF8.self), isReceipt: true)
            }
        }
    }

    private mutating func examine(cell: [UInt8], _ path: FieldPath, _ header: CSVHeader) {
        cell.withRawSpan { cell in
            guard !InputDetector.canHaveMoreValues(than: Self.maximumValues, cell) else {
                isNamePresent = true
                return
            }
            guard !EmptyValue.matches(cell),
                let document = try? JSONDocument.readSurroundings(
                    cell, maximumDepth: Budget.payloadDepth, allowsDuplicates: true)
            else { return }
            examine(document, cell, path, in: header.columnName)
        }
    }

    private static let maximumValues = BatchMemory.maximumValues(forReceipts: 1)

    private mutating func examine(line: RawSpan) {
        var detector = InputDetector(maximumValues: Self.maximumValues)
        // A row can begin or end like a receipt.
        let hasReceipt = detector.detectReceipts(in: line.array)?.contains(where: \.isSound) ?? false
        if hasReceipt || detector.isOverLimit { isDecided = true } else { table.add(CSV.withoutReturn(line)) }
    }

    private mutating func examine(value: [UInt8]) {
        isNamePresent = true
        guard !value.withRawSpan({ EmptyValue.matches($0) }) else { return }
        hasValue = true
        var detector = InputDetector(maximumValues: Self.maximumValues)
        // The signature of a purchase can stand elsewhere.
        if detector.detect(value) != nil || detector.isOverLimit || PlayValue.isData(value) { isDecided = true }
    }
}
