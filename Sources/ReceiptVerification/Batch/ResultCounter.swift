internal import ReceiptTypes

/// Counts results by the values of fields, once for each of several choices of fields.
///
/// A field that several choices have is written once for each result.
struct ResultCounter {
    /// The fields of all choices, each of them once, those of the signer first.
    private let fields: [ResultField]
    private let signerFieldCount: Int
    /// The signer whose values stay for the next result.
    private var signer: SignerFacts?
    /// For each choice, the places of its fields among ``fields``.
    private let choices: [[Int]]
    /// The values of the current result, with a comma before each, and the place of each.
    private var values: [UInt8] = []
    private var places: [Range<Int>] = []
    private var key = GroupKey()
    /// For each choice, the numbers of results by their values.
    private var groups: [[GroupKey: Int]]
    /// The number of groups of all choices.
    private(set) var groupCount = 0

    init(_ choices: [ResultFields]) {
        var names: Set<String> = []
        let different = choices.flatMap(\.fields).filter { names.insert($0.name).inserted }
        let ofSigner = different.filter(\.isOfSigner)
        let fields = ofSigner + different.filter { !$0.isOfSigner }
        self.fields = fields
        signerFieldCount = ofSigner.count
        self.choices = choices.map { choice in
            choice.names.compactMap { name in fields.firstIndex { $0.name == name } }
        }
        groups = choices.map { _ in [:] }
    }

    /// Counts a result.
    ///
    /// - Parameter row: Writes values as JSON.
    mutating func add(_ result: BatchResult, at place: ResultPlace, _ row: ResultRow) {
        write(result, at: place, row)
        for (index, choice) in choices.enumerated() {
            key.bytes.removeAll(keepingCapacity: true)
            for field in choice { key.bytes += values[places[field]] }
            guard !groups[index].increase(key, by: 1) else { continue }
            // A copy, so that a group has no room to spare, and the next key can use that of this one.
            groups[index][GroupKey(bytes: key.bytes.withRawSpan { $0.array })] = 1
            groupCount += 1
        }
    }

    /// The longest value that is part of an entry of a sorter; a longer one is represented by its digest.
    private static let maximumValueLength = 256

    /// Returns the values of the first choice that a result has, with a comma before each.
    mutating func values(of result: BatchResult, at place: ResultPlace, _ row: ResultRow) -> [UInt8] {
        write(result, at: place, row)
        var key: [UInt8] = []
        for field in choices.first ?? [] {
            guard places[field].count > Self.maximumValueLength else {
                key += values[places[field]]
                continue
            }
            key.append(UInt8(ascii: ","))
            let digest = try? SHA256Digest.of(bytes: [UInt8](values[places[field]].dropFirst()))
            JSONText.append("sha256:\(digest?.description ?? "unknown")", to: &key)
        }
        return key
    }

    /// Writes the values of a result, but not those of the signer if the last result has the same one.
    private mutating func write(_ result: BatchResult, at place: ResultPlace, _ row: ResultRow) {
        let isSameSigner = signer != nil && signer === result.receipt.signer
        signer = result.receipt.signer
        let kept = isSameSigner ? signerFieldCount : 0
        places.removeLast(places.count - kept)
        values.removeLast(values.count - (places.last?.upperBound ?? 0))
        for field in fields[kept...] {
            let start = values.count
            values.append(UInt8(ascii: ","))
            row.append(field, of: result, at: place, to: &values)
            places.append(start..<values.count)
        }
    }

    /// Returns the numbers of the results since the last call.
    mutating func take() -> [[GroupKey: Int]] {
        let taken = groups
        // The next results probably have as many groups.
        groups = taken.map { Dictionary(minimumCapacity: $0.count) }
        groupCount = 0
        return taken
    }
}
