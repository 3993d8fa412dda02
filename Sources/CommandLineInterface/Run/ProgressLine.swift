/// The text of a progress line: what a run has done, how fast, and how much is left.
package struct ProgressLine {
    /// The name of the tool.
    package var name: String
    /// The number of items that are done, and their name in the plural.
    package var count: Int
    package var noun: String
    /// The share of the input that is done, from 0 to 1; nil if the size of the input is not known.
    package var share: Double?
    /// The number of items per second.
    package var rate: Int?
    /// The time that the rest takes, in seconds.
    package var secondsLeft: Int?
    /// What else to say, such as a number of failures.
    package var remark: String?

    package init(name: String, count: Int, noun: String) {
        self.name = name
        self.count = count
        self.noun = noun
    }

    /// Returns the text, without the parts that matter least if a terminal of `width` columns has no room for them.
    package func text(width: Int) -> String {
        // The parts in the order of the line, with their importance: the highest number is left out first.
        var parts: [(text: String, rank: Int)] = []
        if let share { parts.append(("\(Int(min(max(share, 0), 1) * 100)) %", 0)) }
        parts.append(("\(GroupedNumber(count)) \(noun)", 1))
        if let rate { parts.append(("\(GroupedNumber(rate)) per second", 4)) }
        if let secondsLeft { parts.append(("\(Self.duration(secondsLeft)) left", 3)) }
        if let remark { parts.append((remark, 2)) }
        let body = { (highest: Int) in
            parts.filter { $0.rank <= highest }.map(\.text).joined(separator: ", ")
        }
        let complete = "\(name): \(body(4))"
        if complete.count <= width { return complete }
        let fitting = (0...4).reversed().lazy.map(body).first { $0.count <= width && !$0.isEmpty }
        return fitting ?? String(body(1).prefix(max(width, 0)))
    }

    /// Returns a duration in its two largest units.
    private static func duration(_ seconds: Int) -> String {
        let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        if minutes == 0 { return "\(rest) s" }
        let (hours, restOfHour) = minutes.quotientAndRemainder(dividingBy: 60)
        return hours == 0 ? "\(minutes) min \(rest) s" : "\(GroupedNumber(hours)) h \(restOfHour) min"
    }
}
