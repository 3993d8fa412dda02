internal import PurchaseCore
internal import ReceiptTypes

/// An ISO 8601 duration, such as `P1M`, `P3DT12H` or `PT90S`.
struct ISO8601Duration: Hashable {
    /// The calendar part; nil if there is none.
    let period: BillingPeriod?
    /// The clock part.
    let milliseconds: Int64

    /// Creates a duration that has only a calendar part.
    init(_ period: BillingPeriod) {
        self.period = period
        milliseconds = 0
    }

    /// Parses a duration; nil if the text is malformed or its length is zero.
    init?(_ text: String) {
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

    /// Returns the time that is this duration after `start`: the calendar part is added first.
    func after(_ start: Timestamp) -> Timestamp {
        (period.map { start.adding($0) } ?? start).adding(milliseconds: milliseconds)
    }

    /// Parses hours, minutes and seconds: in this order, each at most once, and at least one of them.
    private static func clockPart(_ text: Substring) -> Int64? {
        var units = text.utf8[...]
        var sum: Int64 = 0
        var designators: [(letter: UInt8, milliseconds: Int64)] = [
            (UInt8(ascii: "H"), 3_600_000), (UInt8(ascii: "M"), 60_000), (UInt8(ascii: "S"), 1000),
        ]
        guard !units.isEmpty else { return nil }
        while !units.isEmpty {
            let digits = units.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // Nine digits of hours cannot overflow the sum.
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
