/// The requested names that the JSON records or the payloads of a run have, by which a misspelled one is recognized.
struct KeptNames: Sendable {
    /// The most records without a name whose own names are collected.
    private static let maximumRecords = 16

    private let names: [String]
    private var isFound: [Bool]
    /// The names of the records that do not have one.
    private var others = FieldNames()
    private var collectedRecords = 0

    init(_ input: KeptInput) {
        // All members are kept under their own names.
        self.init(names: input.isAll ? [] : input.names)
    }

    init(names: [String]) {
        self.names = names
        isFound = names.map { _ in false }
    }

    /// The indices of the names that were not found so far.
    var missing: [Int] { isFound.indices.filter { !isFound[$0] } }

    /// Whether every name was found.
    var isComplete: Bool { !isFound.contains(false) }

    mutating func markAsFound(_ index: Int) { isFound[index] = true }

    /// Collects the names of a record, if there is a name that no record has so far.
    mutating func collect(_ record: JSONNode) {
        guard collectedRecords < Self.maximumRecords, isFound.contains(false) else { return }
        collectedRecords += 1
        others.add(of: record)
    }

    /// Adds what another thread has found.
    mutating func add(_ other: KeptNames) {
        for (index, isFound) in other.isFound.enumerated() where isFound { self.isFound[index] = true }
        // Those of one thread are enough for a suggestion.
        if other.others.all.count > others.all.count { others = other.others }
    }

    /// The names that no record has, with the names that may be meant.
    var absent: [BatchSummary.AbsentName] {
        zip(names, isFound).filter { !$0.1 }.map { name, _ in
            BatchSummary.AbsentName(name: name, suggestion: FieldNames.nearest(to: name, in: others.all))
        }
    }
}
