/// The columns that a batch keeps of a CSV source.
struct KeptColumns: Sendable {
    var input = KeptInput.nothing
    /// Whether the header line is the first one, which must have every column that is named.
    var isFirst = true
    /// The kept columns of the first header line, if the results have one header line for all sources.
    var required: [[UInt8]]?
}

/// The header line of a CSV source: its delimiter, the column of the receipt, and the columns that are kept.
struct CSVHeader: Sendable {
    /// A kept column: its index, nil if the source does not have it, and its name in the results.
    struct Kept: Sendable {
        let index: Int?
        let name: [UInt8]
    }

    let delimiter: UInt8
    let names: [[UInt8]]
    /// The index of the receipt's column.
    let column: Int
    /// The index of the column with the signatures of Google Play purchases; nil if there is none.
    let signature: Int?
    /// The path of the receipt inside the JSON of its column; nil if the column contains the receipt.
    let path: FieldPath?
    /// The path that copies of the receipt's column leave out; nil if they leave out nothing.
    private(set) var omittedPath: FieldPath?
    private(set) var kept: [Kept] = [] {
        didSet { lastColumn = kept.reduce(max(column, signature ?? 0)) { max($0, $1.index ?? 0) } }
    }
    /// The last column that is read.
    private(set) var lastColumn: Int

    /// Reads a header line.
    ///
    /// The delimiter is the one that separates the line into most columns, among those that show the receipt's column.
    init(_ line: RawSpan, column: String, signature: String? = nil, source: String) throws(BatchError) {
        let wanted = FieldPath(column)
        var best: (delimiter: UInt8, names: [[UInt8]], column: (index: Int, path: FieldPath?)?)?
        for delimiter in CSV.delimiters {
            let names = CSV.fields(of: line, delimiter: delimiter)
            let found = Self.find(wanted, in: names)
            if let best {
                let isBetter = names.count > best.names.count
                guard best.column == nil ? found != nil || isBetter : found != nil && isBetter else { continue }
            }
            best = (delimiter, names, found)
        }
        guard let best, let found = best.column else {
            throw BatchError(
                code: .noSuchColumn, source: source, detail: column,
                names: best?.names.map { String(decoding: $0, as: UTF8.self) } ?? [])
        }
        (delimiter, names, self.column, path) = (best.delimiter, best.names, found.index, found.path)
        let index = signature.flatMap { best.names.firstIndex(of: [UInt8]($0.utf8)) }
        self.signature = index
        lastColumn = max(found.index, index ?? 0)
        try requireOne(names[found.index], source: source)
        guard let signature else { return }
        guard let index else {
            throw BatchError(code: .noSuchColumn, source: source, detail: signature, names: texts)
        }
        try requireOne(names[index], source: source)
    }

    /// Returns the column with a name, or the column that a path begins with.
    private static func find(_ wanted: FieldPath, in names: [[UInt8]]) -> (index: Int, path: FieldPath?)? {
        if let index = names.firstIndex(of: [UInt8](wanted.text.utf8)) { return (index, nil) }
        guard let (name, rest) = wanted.split, let index = names.firstIndex(of: [UInt8](name.utf8)) else { return nil }
        return (index, rest.steps.isEmpty ? nil : rest)
    }

    /// The name of the receipt's column.
    var columnName: String { String(decoding: names[column], as: UTF8.self) }

    // MARK: Kept columns

    /// Selects the columns to keep.
    mutating func keep(_ columns: KeptColumns, source: String) throws(BatchError) {
        let input = columns.input
        var indices: [[UInt8]: Int] = [:]
        for (index, name) in names.enumerated() where indices[name] == nil { indices[name] = index }
        let wanted = input.names.map { [UInt8]($0.utf8) }
        if columns.isFirst, let index = wanted.firstIndex(where: { indices[$0] == nil }) {
            throw BatchError(code: .noSuchColumn, source: source, detail: input.names[index], names: texts)
        }
        guard input.isAll else {
            for name in wanted { try requireOne(name, source: source) }
            kept = wanted.map { Kept(index: indices[$0], name: $0) }
            return
        }
        // The receipt is kept too if it is named.
        let isReceiptKept = wanted.contains(names[column])
        if !isReceiptKept { omittedPath = path }
        let all = uniqueNames.enumerated().compactMap { index, name in
            index == column && path == nil && !isReceiptKept ? nil : Kept(index: index, name: name)
        }
        guard let required = columns.required else {
            kept = all
            return
        }
        let known = Set(required)
        if let other = all.first(where: { !known.contains($0.name) }) {
            throw BatchError(
                code: .columnsDiffer, source: source, detail: String(decoding: other.name, as: UTF8.self))
        }
        let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        kept = required.map { byName[$0] ?? Kept(index: nil, name: $0) }
    }

    /// Throws an error if several columns have a name: which of them is meant is not known.
    private func requireOne(_ name: [UInt8], source: String) throws(BatchError) {
        guard names.count(where: { $0 == name }) > 1 else { return }
        throw BatchError(
            code: .repeatedColumn, source: source, detail: String(decoding: name, as: UTF8.self))
    }

    private var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    /// The names, of which a repeated one is followed by its number, such as `id_2`.
    private var uniqueNames: [[UInt8]] {
        var unique: [[UInt8]] = []
        var seen = Set(names)
        var numbers: [[UInt8]: Int] = [:]
        for name in names {
            var (own, number) = (name, numbers[name] ?? 0)
            // The numbers that were tried for a name are not tried again.
            repeat {
                number += 1
                if number > 1 { own = name + [UInt8]("_\(number)".utf8) }
            } while number > 1 && !seen.insert(own).inserted
            numbers[name] = number
            unique.append(own)
        }
        return unique
    }
}
