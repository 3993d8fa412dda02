/// The work that a search may do, counted in bytes that it looks at or copies, each as often as that happens.
///
/// A search and everything that it calls share one budget. A text for which it does not suffice is hostile: searching
/// a text takes some steps for each byte, whatever its size.
final class SearchBudget {
    /// The steps that are allowed for each byte of a text, and for any text.
    static let stepsPerByte = 256
    static let minimumSteps = 65_536

    /// The steps so far; at most the maximum.
    private(set) var steps = 0
    private let maximum: Int
    /// Whether more steps were needed than are allowed. From then on, texts seem to end where they are looked at.
    private(set) var isExceeded = false
    /// The trials of signatures, which have a limit of their own; nil if no key is known.
    let trials: SignatureTrials?

    init(maximum: Int, trials: SignatureTrials? = nil) {
        self.maximum = maximum
        self.trials = trials
    }

    /// Allows the steps for a text of some bytes.
    convenience init(forTextOf byteCount: Int, _ trials: SignatureTrials? = nil) {
        let (steps, isOverflow) = byteCount.multipliedReportingOverflow(by: Self.stepsPerByte)
        self.init(maximum: isOverflow ? .max : max(steps, Self.minimumSteps), trials: trials)
    }

    /// The steps that are left.
    var rest: Int { isExceeded ? 0 : maximum - steps }

    /// Counts steps before they are taken; returns false if they are too many.
    @discardableResult
    func spend(_ count: Int) -> Bool {
        guard count <= rest else {
            isExceeded = true
            steps = maximum
            return false
        }
        steps += count
        return true
    }
}

/// A text in a search, which counts each look at its bytes.
///
/// When the budget is exceeded, every look finds the end of the text, so that all loops over it end. What they return
/// then means nothing.
struct ScannedText {
    let bytes: [UInt8]
    let budget: SearchBudget

    init(_ bytes: [UInt8], _ budget: SearchBudget) {
        (self.bytes, self.budget) = (bytes, budget)
    }

    /// A text with a budget of its own.
    init(_ bytes: [UInt8]) {
        self.init(bytes, SearchBudget(forTextOf: bytes.count))
    }

    var count: Int { bytes.count }
    var indices: Range<Int> { bytes.indices }

    /// Returns another text, such as a part of this one, with the same budget.
    func with(_ bytes: [UInt8]) -> ScannedText { ScannedText(bytes, budget) }

    /// Returns the index of the first byte from `start` up to `limit` that is not in a set; the limit if there is none.
    func end(of set: ByteSet, from start: Int, to limit: Int = .max) -> Int {
        let limit = min(limit, count)
        guard start < limit else { return limit }
        // No more is looked at than the budget has left.
        let window = limit - start > budget.rest ? start + budget.rest : limit
        let end = set.end(in: bytes, from: start, to: window)
        return budget.spend(min(end, limit - 1) + 1 - start) ? end : limit
    }

    /// Returns the index of the first byte from `start` up to `limit` that is in a set; the limit if there is none.
    func index(of byte: Unicode.Scalar, from start: Int, to limit: Int = .max) -> Int? {
        let limit = min(limit, count)
        guard start < limit else { return nil }
        let window = limit - start > budget.rest ? start + budget.rest : limit
        let found = bytes.withRawSpan { $0.extracting(0..<window).firstOffset(of: UInt8(ascii: byte), from: start) }
        return budget.spend((found ?? limit - 1) + 1 - start) ? found : nil
    }

    /// The byte at an index; nil beyond the end.
    subscript(index: Int) -> UInt8? {
        guard index >= 0, index < count, budget.spend(1) else { return nil }
        return bytes[index]
    }

    /// Returns a part; nothing if the budget does not suffice for it.
    func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
        let range = range.clamped(to: bytes.indices)
        return budget.spend(range.count) ? bytes[range] : []
    }

    /// Returns whether some bytes stand at an index.
    func has(_ other: [UInt8], at index: Int) -> Bool {
        budget.spend(other.count) && bytes[min(index, count)...].starts(with: other)
    }

    /// Returns the text with a byte that belongs to no receipt in place of some ranges, which are in order.
    func without(_ ranges: [Range<Int>]) -> ScannedText {
        guard !ranges.isEmpty, budget.spend(count) else { return self }
        var rest: [UInt8] = []
        var index = 0
        for range in ranges {
            rest += bytes[index..<range.lowerBound]
            rest.append(UInt8(ascii: "*"))
            index = range.upperBound
        }
        return with(rest + bytes[index...])
    }
}
