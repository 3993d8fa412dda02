internal import ReceiptTypes

/// Consecutive periods of equal kind, so few that a chart can show them.
struct TimeBuckets {
    /// The kinds of periods, the shortest first.
    enum Unit: CaseIterable {
        case day, week, month, quarter, year, decade, century

        /// Returns the number of the period that has a day, counted from any one.
        func index(of day: CivilDate) -> Int64 {
            switch self {
            case .day: day.daysSince1970
            // 1970-01-01 was a Thursday, and weeks begin on Mondays.
            case .week: (day.daysSince1970 + 3).quotientAndRemainderFloored(dividingBy: 7).quotient
            case .month: day.year * 12 + day.month - 1
            case .quarter: day.year * 4 + (day.month - 1) / 3
            case .year: day.year
            case .decade: day.year / 10
            case .century: day.year / 100
            }
        }

        /// Returns the name of a period.
        func label(of index: Int64) -> String {
            switch self {
            case .day: Self.text(CivilDate(daysSince1970: index))
            case .week: Self.text(CivilDate(daysSince1970: index * 7 - 3))
            case .month: "\(Self.digits(index / 12, 4))-\(Self.digits(index % 12 + 1, 2))"
            case .quarter: "\(Self.digits(index / 4, 4)) Q\(index % 4 + 1)"
            case .year: Self.digits(index, 4)
            case .decade: "\(Self.digits(index * 10, 4))s"
            case .century: "\(Self.digits(index * 100, 4))s"
            }
        }

        /// What each period is, in a heading.
        var title: String {
            switch self {
            case .day: "Day"
            case .week: "Week from"
            case .month: "Month"
            case .quarter: "Quarter"
            case .year: "Year"
            case .decade: "Decade"
            case .century: "Century"
            }
        }

        private static func text(_ date: CivilDate) -> String {
            "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
        }

        private static func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
    }

    /// The numbers of a period.
    struct Bucket {
        let label: String
        var count = 0
        var revokedCount = 0
    }

    let unit: Unit
    /// The periods from the first to the last with a result, also those without one between them.
    let buckets: [Bucket]

    /// The most periods, unless there are more centuries.
    static let maximumCount = 45

    /// Creates the buckets of numbers by day; the days are those of the field `day`.
    init(_ totals: [CountedResults.Total]) {
        let dated = totals.compactMap { total in Self.day(total.value).map { (day: $0, total: total) } }
        let unit =
            Unit.allCases.first { unit in
                let indices = dated.map { unit.index(of: $0.day) }
                return (indices.max() ?? 0) - (indices.min() ?? 0) < Self.maximumCount
            } ?? .century
        self.unit = unit
        let indices = dated.map { unit.index(of: $0.day) }
        guard let first = indices.min(), let last = indices.max() else {
            buckets = []
            return
        }
        var buckets = (first...last).map { Bucket(label: unit.label(of: $0)) }
        for (index, entry) in zip(indices, dated) {
            buckets[Int(index - first)].count += entry.total.count
            buckets[Int(index - first)].revokedCount += entry.total.revokedCount
        }
        self.buckets = buckets
    }

    private static func day(_ text: String?) -> CivilDate? {
        let parts = (text ?? "").split(separator: "-").compactMap { Int64($0) }
        return parts.count == 3 ? CivilDate(year: parts[0], month: parts[1], day: parts[2]) : nil
    }
}
