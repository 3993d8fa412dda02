internal import PurchaseCore
internal import ReceiptTypes

/// A length of time as ISO 8601 writes it, with a calendar part and a part on the clock: `P1M`, `P3DT12H`, `PT90S`.
struct TimeSpan: Hashable {
    /// Months and days; nil where there are none.
    let period: BillingPeriod?
    let milliseconds: Int64

    /// Takes a calendar part alone.
    init(_ period: BillingPeriod) {
        self.period = period
        milliseconds = 0
    }

    /// Reads a duration; nil for any other text, and for no time at all.
    init?(iso8601 text: String) {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        switch (first, parts.count) {
        case ("P", 2): period = nil
        case (_, 1...2):
            guard let period = BillingPeriod(iso8601: String(first)) else { return nil }
            self.period = period
        default: return nil
        }
        guard parts.count == 2 else {
            milliseconds = 0
            return
        }
        guard let time = Self.clockPart(parts[1]), time > 0 || period != nil else { return nil }
        milliseconds = time
    }

    /// The instant that is so much later.
    func after(_ start: Timestamp) -> Timestamp {
        (period.map { start.adding($0) } ?? start).adding(milliseconds: milliseconds)
    }

    /// Hours, minutes and seconds in this order, each at most once and at least one of them.
    private static func clockPart(_ text: Substring) -> Int64? {
        var units = text.utf8[...]
        var sum: Int64 = 0
        var designators: [(letter: UInt8, milliseconds: Int64)] = [
            (UInt8(ascii: "H"), 3_600_000), (UInt8(ascii: "M"), 60_000), (UInt8(ascii: "S"), 1000),
        ]
        guard !units.isEmpty else { return nil }
        while !units.isEmpty {
            let digits = units.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // Nine digits of hours are far from every overflow.
            guard !digits.isEmpty, digits.count <= 9, let number = Int64(String(decoding: digits, as: UTF8.self))
            else { return nil }
            units = units.dropFirst(digits.count)
            guard let unit = units.popFirst(), let place = designators.firstIndex(where: { $0.letter == unit })
            else { return nil }
            sum += number * designators[place].milliseconds
            designators.removeFirst(place + 1)
        }
        return sum
    }
}
