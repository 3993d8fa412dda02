/// Takes off what programs write around lines: before each line, behind it, and between the parts of a string.
enum LineWrappings {
    // MARK: Quotations

    /// Removes the signs of quotation and comments at the beginnings of lines, such as `> `.
    static func withoutPrefixes(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var index = 0
        var isChanged = false
        while index < text.count {
            let start = text.end(of: prefixes, from: index)
            isChanged = isChanged || text.part(index..<start).contains { !$0.isWhiteSpace }
            // One line break stays, so that the lines do not become one word.
            if start > index { output.append(0x0A) }
            index = text.end(of: inLine, from: start)
            output += text.part(start..<index)
        }
        return isChanged ? output : nil
    }

    private static let prefixes = ByteSet(">|# \t\r\n")
    private static let inLine = ByteSet("\r\n").inverted

    // MARK: Signs of each line

    /// The fewest characters of a line that is longer than any word.
    private static let longLine = 17

    /// Removes the `+` at the end of each line of a value, as psql prints it, and the `+` or `-` at the beginning of
    /// each line of a difference.
    ///
    /// Base64 has these signs too, so they are removed only from lines of one length that follow each other.
    static func withoutSigns(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = 0
        forEachBlock(of: text, isAtEnd: true) { lines in
            for line in lines {
                output += text.part(rest..<line.upperBound - 1)
                rest = line.upperBound
            }
        }
        let first = rest > 0 ? text.with(output + text.part(rest..<text.count)) : text
        (output, rest) = ([], 0)
        forEachBlock(of: first, isAtEnd: false) { lines in
            for line in lines {
                output += first.part(rest..<line.lowerBound)
                rest = line.lowerBound + 1
            }
        }
        if rest > 0 { return output + first.part(rest..<first.count) }
        return first.count < text.count ? first.bytes : nil
    }

    /// Calls `body` with two or more lines that follow each other and have a sign at the same place: at their ends, or
    /// at their beginnings. All but the last one have the same length.
    ///
    /// Lines of base64 can end with `+` by chance: then a line beside them has the same length and no such end.
    private static func forEachBlock(of text: ScannedText, isAtEnd: Bool, _ body: ([Range<Int>]) -> Void) {
        var lines: [Range<Int>] = []
        var (index, before, previous) = (0, 0..<0, 0..<0)
        func isByChance(_ line: Range<Int>) -> Bool {
            isAtEnd && line.count == lines.first?.count && text.part(line).contains { $0 != UInt8(ascii: "-") }
        }
        while index < text.count {
            let next = text.index(of: "\n", from: index) ?? text.count
            let end = next > index && text[next - 1] == 0x0D ? next - 1 : next
            let (sign, digit) = isAtEnd ? (text[end - 1], text[end - 2]) : (text[index], text[index + 1])
            let isMarked =
                end - index > 1 && (sign == UInt8(ascii: "+") || !isAtEnd && sign == UInt8(ascii: "-"))
                && digit.map(ByteSet.base64Digits.contains) == true
            let continues = lines.last.map { last in
                isMarked && last.count == lines[0].count
                    && sign == text[isAtEnd ? last.upperBound - 1 : last.lowerBound]
                    && (end - index == last.count || !isAtEnd && end - index < last.count)
            }
            if continues == false {
                if lines.count > 1, !isByChance(before), !isByChance(index..<end) { body(lines) }
                lines = []
            }
            if isMarked, continues == true || end - index >= longLine {
                if lines.isEmpty { before = previous }
                lines.append(index..<end)
            }
            previous = index..<end
            index = next + 1
        }
        if lines.count > 1, !isByChance(before) { body(lines) }
    }

    // MARK: Frames

    /// Removes what stands before and behind the digits of lines that belong together: the names of files, numbers and
    /// times before them, the signs of comments, and quotation marks with commas.
    ///
    /// Such lines begin alike, except for numbers and white space. The first one can have a label as well.
    static func withoutFrames(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var (rest, index) = (0, 0)
        var isChanged = false
        var previous: Line?
        while index < text.count {
            let end = text.index(of: "\n", from: index) ?? text.count
            let line = Line(index..<end, in: text)
            if let line, let last = previous, line.continues(last) {
                output += text.part(rest..<last.digits.upperBound)
                output.append(0x0A)
                rest = line.digits.lowerBound
                isChanged = true
            }
            previous = line
            index = end + 1
        }
        return isChanged ? output + text.part(rest..<text.count) : nil
    }

    /// A line that ends with digits of base64 or of a JWS.
    private struct Line {
        let digits: Range<Int>
        /// What stands before the digits, with one digit for each number and one blank for white space within it.
        private let shape: [UInt8]

        private static let longestPrefix = 160
        private static let longestSuffix = 8
        /// What can stand alone behind the digits, although it is a digit.
        private static let loneSigns = ByteSet("+-._/=")
        /// The end of a prefix that the first line of a string does not have.
        private static let beginningsOfStrings = ByteSet(" \"'`")

        init?(_ range: Range<Int>, in text: ScannedText) {
            let line = text.part(range)
            var end = line.endIndex
            while end > line.startIndex, line.endIndex - end <= Self.longestSuffix {
                let isWithinWord = end - 1 > line.startIndex && ByteSet.partsOfJWS.contains(line[end - 2])
                let isDigit = ByteSet.partsOfJWS.contains(line[end - 1])
                guard !isDigit || Self.loneSigns.contains(line[end - 1]) && !isWithinWord else { break }
                end -= 1
            }
            var start = end
            while start > line.startIndex, ByteSet.partsOfJWS.contains(line[start - 1]) { start -= 1 }
            guard start < end, line.endIndex - end <= Self.longestSuffix,
                start - line.startIndex <= Self.longestPrefix
            else { return nil }
            digits = start..<end
            shape = line[..<start].drop(while: \.isWhiteSpace).reduce(into: []) { shape, byte in
                let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                let sign = isNumber ? UInt8(ascii: "0") : byte.isWhiteSpace ? 0x20 : byte
                if sign != shape.last || !isNumber && !byte.isWhiteSpace { shape.append(sign) }
            }
        }

        func continues(_ last: Line) -> Bool {
            guard last.digits.count >= longLine - 1, shape.contains(where: { $0 != 0x20 }) else { return false }
            if shape == last.shape { return true }
            var label = shape[...]
            while let sign = label.last, Self.beginningsOfStrings.contains(sign) { label.removeLast() }
            return label.contains { $0 != 0x20 } && last.shape.starts(with: label)
        }
    }

    // MARK: Strings

    private static let longestJoint = 256
    private static let notQuotes = ByteSet("\"'`").inverted
    private static let joints = ByteSet(" \t\r\n+.&|_\\~")
    private static let signsOfJoints = ByteSet("+.&|_\\~")
    private static let prefixesOfStrings = ByteSet("bBrRuUfFLN@")

    /// Joins the parts of a string of a programming language: `"ab" + "cd"`, or two strings in two lines.
    static func withoutJoints(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var (rest, index) = (0, 0)
        while case let close = text.end(of: notQuotes, from: index), close < text.count {
            index = close + 1
            guard let quote = text[close], text[close - 1] != UInt8(ascii: "\\") else { continue }
            var open = text.end(of: joints, from: close + 1, to: close + 1 + longestJoint)
            let joint = text.part(close + 1..<open)
            let hasSign = joint.contains(where: signsOfJoints.contains)
            if text[open].map(prefixesOfStrings.contains) == true { open += 1 }
            guard text[open] == quote, hasSign || joint.contains(0x0A) else { continue }
            output += text.part(rest..<close)
            // Two strings without a sign between them can also be two cells of a table.
            if !hasSign { output.append(0x0A) }
            (rest, index) = (open + 1, open + 1)
        }
        return rest == 0 ? nil : output + text.part(rest..<text.count)
    }
}
