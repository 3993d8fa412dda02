internal import ReceiptTypes

/// Finds Google Play purchases whose data and signature stand in a text as they are: in forms, tables, logs, and what
/// programs print.
///
/// The data is an object with the members that Google Play signs; the signature is base64 of the length of an RSA
/// signature, before or after it. An object with its signature inside is decoded, and is no purchase.
struct PurchaseScan {
    /// A purchase, and where its data and its signature are.
    struct Found {
        let ranges: [Range<Int>]
        let data: [UInt8]
        let signature: [UInt8]
    }

    /// The purchases in a text, in its order, and the data beside them that have no signature.
    struct Findings {
        var purchases: [Found] = []
        var unpaired: [[UInt8]] = []
    }

    /// The shortest line of a signature that continues in the next one.
    private static let minimumLine = 16
    private static let maximumGap = 64
    private static let padding = ByteSet("=")
    private static let blank = ByteSet(" ")
    private static let notDigits = ByteSet.base64Digits.inverted
    /// What stands between the lines of one signature: white space, and the quotation marks of joined strings.
    private static let gaps = ByteSet(" \t\r\n'\"")

    private let text: ScannedText
    private let joiningLines: Bool

    /// Returns the purchases in a text.
    ///
    /// - Parameter joiningLines: Whether line breaks within the data are left out, and data that is no JSON even so
    ///   counts as a damaged purchase.
    static func purchases(in text: ScannedText, joiningLines: Bool, maximumSize: Int) -> Findings {
        let scan = Self(text: text, joiningLines: joiningLines)
        let data = scan.data(maximumSize: maximumSize)
        guard !data.isEmpty else { return Findings() }
        var parts = data.map { (part: PlayInputShape.Part.data, value: $0) }
        var start = 0
        for end in data.map(\.range) + [text.count..<text.count] {
            parts += scan.signatures(in: start..<end.lowerBound).map { (.signature, $0) }
            start = end.upperBound
        }
        guard !text.budget.isExceeded else { return Findings() }
        parts.sort { $0.value.range.lowerBound < $1.value.range.lowerBound }
        let trials = text.budget.trials
        let found = PlayPairs(parts) { trials?.isValid($0.bytes, over: $1.bytes) ?? false }
        return Findings(
            purchases: found.pairs.map { pair in
                Found(
                    ranges: [pair.data.range, pair.signature.range], data: pair.data.bytes,
                    signature: pair.signature.bytes)
            }, unpaired: found.unpaired.map(\.bytes))
    }

    // MARK: A purchase alone

    /// The most bytes beside the data and the signature of a purchase that stands alone.
    private static let maximumRest = 512
    private static let wordBytes = ByteSet { ByteSet.base64Digits.contains($0) || $0 == UInt8(ascii: ".") }

    /// Returns the purchase that a form or a printed object consists of; nil for a text that quotes one.
    static func only(in bytes: [UInt8], _ trials: SignatureTrials? = nil) -> ReceiptInput? {
        var text = ScannedText(bytes, SearchBudget(forTextOf: bytes.count, trials))
        if text.index(of: "%", from: 0) != nil, let decoded = EscapeWrappings.withoutPercentEncoding(text) {
            text = text.with(decoded)
        }
        let found = purchases(in: text, joiningLines: false, maximumSize: Budget.receiptSize)
        guard found.purchases.count == 1, found.unpaired.isEmpty, let purchase = found.purchases.first,
            !text.budget.isExceeded
        else { return nil }
        let ranges = purchase.ranges.sorted { $0.lowerBound < $1.lowerBound }
        let rest = [
            0..<ranges[0].lowerBound, ranges[0].upperBound..<ranges[1].lowerBound, ranges[1].upperBound..<text.count,
        ]
        guard rest.reduce(0, { $0 + $1.count }) <= maximumRest, rest.allSatisfy({ !hasSentence(text.part($0)) })
        else { return nil }
        return .play(data: purchase.data, signature: purchase.signature)
    }

    /// Returns whether two words stand beside each other with nothing but white space between them, as in a sentence.
    private static func hasSentence(_ text: ArraySlice<UInt8>) -> Bool {
        var (isAfterWord, isAfterSpace) = (false, false)
        for byte in text {
            if byte.isWhiteSpace {
                isAfterSpace = isAfterWord
            } else if wordBytes.contains(byte) {
                if isAfterSpace { return true }
                isAfterWord = true
            } else {
                (isAfterWord, isAfterSpace) = (false, false)
            }
        }
        return false
    }

    private struct PlacedValue {
        let range: Range<Int>
        let bytes: [UInt8]
    }

    // MARK: Data

    private func data(maximumSize: Int) -> [PlacedValue] {
        guard text.index(of: "{", from: 0) != nil else { return [] }
        var values: [PlacedValue] = []
        for range in JSONScan(text).signable.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // The parser looks at each byte some times.
            guard range.lowerBound >= values.last?.range.upperBound ?? 0, range.count <= maximumSize,
                text.budget.spend(range.count * 4)
            else { continue }
            let bytes = unquoted(range)
            guard joiningLines || (try? JSONDocument.value(of: bytes)) != nil else { continue }
            values.append(PlacedValue(range: range, bytes: bytes))
        }
        return values
    }

    /// Returns the bytes of an object; without the escapes that programs print in strings with other quotation marks.
    private func unquoted(_ range: Range<Int>) -> [UInt8] {
        var bytes = Array(text.bytes[range])
        if joiningLines { bytes.removeAll(where: \.isLineBreak) }
        let backslash = UInt8(ascii: "\\")
        guard let quote = text[range.lowerBound - 1], quote == UInt8(ascii: "'") || quote == UInt8(ascii: "`"),
            text[range.upperBound] == quote, bytes.contains(backslash)
        else { return bytes }
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == backslash {
                index += 1
                guard index < bytes.count, bytes[index] == backslash || bytes[index] == quote else { return bytes }
            }
            output.append(bytes[index])
            index += 1
        }
        return output
    }

    // MARK: Signatures

    private func signatures(in range: Range<Int>) -> [PlacedValue] {
        var values: [PlacedValue] = []
        var index = range.lowerBound
        while case let start = text.end(of: Self.notDigits, from: index, to: range.upperBound), start < range.upperBound
        {
            let end = text.end(of: ByteSet.base64Digits, from: start, to: range.upperBound)
            index = end
            guard
                let value = signature(from: start..<end, to: range.upperBound)
                    ?? signatureWithBlanks(from: start..<end, to: range.upperBound)
            else { continue }
            values.append(value)
            index = value.range.upperBound
        }
        return values
    }

    /// Returns the signature that begins with a line, and goes on in lines of the same length.
    private func signature(from line: Range<Int>, to limit: Int) -> PlacedValue? {
        var lines = [line]
        var count = line.count
        while !PlayValue.signatureLengths.contains(count) {
            guard line.count >= Self.minimumLine, count < PlayValue.longestSignature,
                lines[lines.count - 1].count == line.count,
                let next = continuation(of: lines[lines.count - 1], to: limit), next.count <= line.count
            else { return nil }
            lines.append(next)
            count += next.count
        }
        guard let last = lines.last, !isWithinWord(line.lowerBound, last.upperBound) else { return nil }
        let end = endOfPadding(from: last.upperBound, to: limit)
        return PlacedValue(
            range: line.lowerBound..<end, bytes: lines.flatMap { text.part($0) } + text.part(last.upperBound..<end))
    }

    /// Returns the signature that begins with a run of digits and goes on behind blanks, where a form decoder has
    /// written them in place of `+`.
    ///
    /// The blanks stay in it, so that the verifier rejects and names them.
    private func signatureWithBlanks(from run: Range<Int>, to limit: Int) -> PlacedValue? {
        // A signature can begin with one.
        let start = text[run.lowerBound - 1] == UInt8(ascii: " ") ? run.lowerBound - 1 : run.lowerBound
        var end = run.upperBound
        var blanks = 0
        // One digit of 64 is a plus sign; words are much shorter.
        while end - start <= PlayValue.longestSignature, blanks <= (end - start) / Self.minimumLine + 2 {
            if blanks > 0, !isWithinWord(start, end),
                let start = [start, run.lowerBound].first(where: { PlayValue.signatureLengths.contains(end - $0) })
            {
                let range = start..<endOfPadding(from: end, to: limit)
                return PlacedValue(range: range, bytes: Array(text.part(range)))
            }
            let next = text.end(of: Self.blank, from: end, to: min(end + 3, limit))
            guard next > end, text[next].map(ByteSet.base64Digits.contains) == true else { return nil }
            blanks += next - end
            end = text.end(of: ByteSet.base64Digits, from: next, to: min(next + PlayValue.longestSignature, limit))
        }
        return nil
    }

    private func endOfPadding(from start: Int, to limit: Int) -> Int {
        text.end(of: Self.padding, from: start, to: min(start + 2, limit))
    }

    private func continuation(of line: Range<Int>, to limit: Int) -> Range<Int>? {
        let gapLimit = min(line.upperBound + Self.maximumGap, limit)
        var start = text.end(of: Self.gaps, from: line.upperBound, to: gapLimit)
        if text[start] == UInt8(ascii: "+"), text[start + 1].map(Self.gaps.contains) == true {
            start = text.end(of: Self.gaps, from: start + 1, to: gapLimit)
        }
        guard start > line.upperBound, start < gapLimit else { return nil }
        let end = text.end(of: ByteSet.base64Digits, from: start, to: min(start + line.count + 1, limit))
        return end > start ? start..<end : nil
    }

    /// Returns whether a dot joins the digits to others: a segment of a JWS, or a purchase token.
    private func isWithinWord(_ start: Int, _ end: Int) -> Bool {
        let dot = UInt8(ascii: ".")
        return text[start - 1] == dot || text[end] == dot && text[end + 1].map(ByteSet.base64Digits.contains) == true
    }
}
