/// Finds base64 in a text, in either alphabet, with or without padding and line breaks.
enum Base64Scan {
    /// Base64 over one or more lines.
    struct Run {
        let range: Range<Int>
        /// The characters without white space and padding; then, if the last line is shorter, those without it.
        ///
        /// The last line can be the rest of the base64 or the next line of the text. The second reading counts only if
        /// nothing is found in the first one, so that it cannot leave out the end of a receipt, or if the last line
        /// does not encode text.
        ///
        /// A line that is longer than any that programs fold comes first, alone: words follow it. It counts if it has a
        /// complete receipt.
        let readings: [[UInt8]]
        /// The number of readings, from the first one on, that count only if they have a complete receipt: the long
        /// line, and all lines if the last one does not encode text like the others.
        var doubtfulCount = 0
    }

    /// The fewest characters of a run.
    private static let minimumCount = 32
    /// The length of a line that is longer than any word, and continues in the next line.
    private static let minimumLine = 40
    private static let maximumGap = 256
    /// The length of the longest line of a mail (RFC 5322 2.1.1).
    private static let longestFold = 998
    private static let others = ByteSet.base64Digits.inverted
    private static let standardDigits = ByteSet("+/").inverted

    /// Returns the runs of a text, in order.
    static func runs(in text: ScannedText) -> [Run] {
        var runs: [Run] = []
        var index = 0
        while case let start = text.end(of: others, from: index), start < text.count {
            var lines = [word(in: text, from: start)]
            while let next = continuation(of: lines, in: text) { lines.append(next) }
            let end = lines[lines.count - 1].upperBound
            if !isSegment(start..<end, in: text), let run = run(lines, in: text) { runs.append(run) }
            index = end
        }
        return runs
    }

    /// Returns what base64 encodes; nil unless it begins like text.
    ///
    /// The check of the first bytes keeps words and keys, which decode to random bytes, from being searched.
    static func content(of digits: [UInt8]) -> [UInt8]? {
        // The beginning decides before the rest is decoded.
        guard let head = decoded(Array(digits.prefix(32))), beginsLikeText(head) else { return nil }
        // A JWS at the end of a text that was cut can be incomplete: the padding after it is a part of no signature.
        return decoded(digits)
            ?? decoded(Array(digits.prefix(digits.count / 4 * 4))).map { $0 + [UInt8(ascii: "=")] }
    }

    private static func decoded(_ digits: [UInt8]) -> [UInt8]? {
        guard standardDigits.end(in: digits, from: 0) < digits.count else {
            return digits.withRawSpan { Base64.url.decode($0) }
        }
        let digits = digits.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        return digits.withRawSpan { Base64.url.decode($0) }
    }

    private static func beginsLikeText(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(16)
        let zeros = head.reduce(0) { $1 == 0 ? $0 + 1 : $0 }
        let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || zeros >= head.count / 2
        return isUTF16 || head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0.isWhiteSpace }
    }

    // MARK: Lines

    private static func word(in text: ScannedText, from start: Int) -> Range<Int> {
        start..<text.end(of: ByteSet.base64Digits, from: start)
    }

    /// Returns the line that continues a run: after white space, and after a long line or one of the same length.
    private static func continuation(of lines: [Range<Int>], in text: ScannedText) -> Range<Int>? {
        let last = lines[lines.count - 1]
        let isFull = lines.count < 2 || last.count >= lines[lines.count - 2].count
        let index = text.end(of: ByteSet.spaces, from: last.upperBound, to: last.upperBound + maximumGap)
        guard index > last.upperBound, text[index].map(ByteSet.base64Digits.contains) == true else { return nil }
        let next = word(in: text, from: index)
        let isRegular = lines.count > 1 && isFull && next.count <= last.count
        return last.count >= minimumLine && isFull || next.count == last.count || isRegular ? next : nil
    }

    private static func run(_ lines: [Range<Int>], in text: ScannedText) -> Run? {
        let count = lines.reduce(0) { $0 + $1.count }
        guard count >= minimumCount else { return nil }
        let (all, last) = (lines.flatMap { text.part($0) }, lines[lines.count - 1])
        var (readings, doubtfulCount) = ([all], 0)
        if lines.count > 1, last.count < lines[lines.count - 2].count {
            readings.append(Array(all.prefix(count - last.count)))
            if text.budget.spend(last.count * 2), !encodesText(last, after: count - last.count, in: all) {
                doubtfulCount = 1
            }
        }
        if lines.count > 1, lines[0].count > longestFold, lines[1].count < lines[0].count {
            readings.insert(Array(text.part(lines[0])), at: 0)
            doubtfulCount += 1
        }
        return Run(range: lines[0].lowerBound..<last.upperBound, readings: readings, doubtfulCount: doubtfulCount)
    }

    /// Returns whether the last line of base64 encodes text; a word behind base64 hardly does.
    private static func encodesText(_ line: Range<Int>, after count: Int, in digits: [UInt8]) -> Bool {
        var groups = Array(digits[min((count + 3) / 4 * 4, digits.count)...])
        let byteCount = groups.count * 3 / 4
        while groups.count % 4 != 0 { groups.append(UInt8(ascii: "A")) }
        let bytes = (decoded(groups) ?? []).prefix(byteCount)
        return bytes.allSatisfy { (0x20...0x7E).contains($0) || $0.isWhiteSpace || $0 == 0 }
    }

    /// Returns whether a dot joins a run to other base64, as a segment of a JWS that was not recognized.
    ///
    /// What is in a segment is not searched: a receipt in the payload of a notification must not stand for it.
    private static func isSegment(_ run: Range<Int>, in text: ScannedText) -> Bool {
        let dot = UInt8(ascii: ".")
        let isAfterDot =
            text[run.lowerBound - 1] == dot
            && text[run.lowerBound - 2].map(ByteSet.base64Digits.contains) == true
        return isAfterDot
            || text[run.upperBound] == dot && text[run.upperBound + 1].map(ByteSet.base64Digits.contains) == true
    }
}
