public import ReceiptTypes

/// What a batch has found, in numbers that a page or a mail can show: counts by several choices of fields, duplicates,
/// and the first receipts that were not verified.
///
/// Its size is bounded for any input.
public struct BatchOverview: Sendable {
    /// The counts of all results.
    public internal(set) var summary = BatchSummary()
    /// The counts for each choice of fields, in their order; ``ResultCounts/others`` counts what has no group.
    public internal(set) var counts: [ResultCounts]
    /// The purchases that are presented more than once.
    public internal(set) var duplicates = DuplicateTotals()
    /// The sums of the prices of all purchases.
    public internal(set) var sales = SalesTotals()
    /// The first results of each failure code, in the order of the input.
    public internal(set) var refusals: [RefusedReceipt] = []

    /// The most groups for each choice of fields.
    public static let maximumGroups = 10_000
    /// The most bytes of values in the groups of one choice of fields.
    static let maximumByteCount = 2_097_152

    init(_ groupings: [ResultFields], groupLimit: Int = maximumGroups) {
        counts = groupings.map {
            ResultCounts(names: $0.names, groupLimit: groupLimit, byteLimit: Self.maximumByteCount)
        }
    }

    mutating func add(_ output: BatchOutput) {
        for (index, groups) in output.groups.enumerated() { counts[index].addWithOthers(groups) }
    }
}

/// The numbers of purchases that a batch presents more than once, and the most frequent of them.
public struct DuplicateTotals: Sendable, Hashable {
    /// The most purchases that are listed.
    public static let maximumListed = 10

    /// The number of purchases.
    public private(set) var purchases = 0
    /// The number of receipts that present one of them.
    public private(set) var receipts = 0
    /// The purchases with the most receipts, these first, at most ``maximumListed``.
    ///
    /// Receipts are not compared with each other, so ``DuplicateReceipt/isSameReceipt`` is false.
    public private(set) var mostFrequent: [DuplicateReceipt] = []

    mutating func add(_ duplicate: DuplicateReceipt) {
        purchases += 1
        receipts += duplicate.count
        let place = mostFrequent.firstIndex { $0.count < duplicate.count } ?? mostFrequent.count
        guard place < Self.maximumListed else { return }
        mostFrequent.insert(duplicate, at: place)
        if mostFrequent.count > Self.maximumListed { mostFrequent.removeLast() }
    }
}

/// A result that is not verified, with its place in the input.
public struct RefusedReceipt: Sendable, Hashable {
    /// The most results of one failure code that an overview lists.
    public static let maximumPerCode = 3

    /// The name of the source; a redaction replaces it by a pseudonym.
    public let source: String
    /// The number of the record's first line in its source, from 1.
    public let line: Int
    /// The number of the receipt in its record, from 1.
    public let item: Int
    /// The reason. A redaction replaces the identifiers in it.
    public let failure: VerificationFailure
}

/// The first results of each failure code.
struct RefusedReceipts: Sendable {
    private(set) var receipts: [RefusedReceipt] = []
    private var counts: [VerificationFailure.Code: Int] = [:]

    mutating func add(_ result: BatchResult, at place: ResultPlace) {
        guard let failure = result.failure, isMissing(failure.code) else { return }
        add(RefusedReceipt(source: place.source, line: place.line, item: place.item, failure: failure))
    }

    mutating func add(_ other: RefusedReceipts) {
        for receipt in other.receipts where isMissing(receipt.failure.code) { add(receipt) }
    }

    private func isMissing(_ code: VerificationFailure.Code) -> Bool {
        counts[code] ?? 0 < RefusedReceipt.maximumPerCode
    }

    private mutating func add(_ receipt: RefusedReceipt) {
        counts[receipt.failure.code, default: 0] += 1
        receipts.append(receipt)
    }
}
