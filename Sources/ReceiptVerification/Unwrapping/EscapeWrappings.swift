/// Takes off the wrappings that write characters as sequences of others.
enum EscapeWrappings {
    // MARK: Mail

    /// Decodes quoted-printable (RFC 2045 6.7), if the text has one of its signs: `=3D`, or soft line breaks.
    ///
    /// A line that ends with `=` continues in the next one. The padding of base64 ends lines too, and must stay: of a
    /// JWS at most two of many.
    static func withoutQuotedPrintable(_ text: ScannedText) -> [UInt8]? {
        guard hasEncodedEqualsSign(text) || hasSoftBreaks(text) else { return nil }
        return replacing("=", in: text) { index in
            if let byte = hexadecimal(text, at: index + 1) { return (3, [byte]) }
            return lengthOfSoftBreak(at: index, in: text).map { ($0, []) }
        }
    }

    private static func hasEncodedEqualsSign(_ text: ScannedText) -> Bool {
        var index = 0
        while let found = text.index(of: "=", from: index) {
            index = found + 1
            if text[index] == UInt8(ascii: "3"), text[index + 1].map(isD) == true { return true }
        }
        return false
    }

    /// Returns whether soft line breaks end at least half of the text in the long lines that continue, and three of
    /// them: as many as are needed for a receipt, and one more than a JWS can have segments with padding before its
    /// last one.
    private static func hasSoftBreaks(_ text: ScannedText) -> Bool {
        var (soft, others, count) = (0, 0, 0)
        var start = 0
        while let end = text.index(of: "\n", from: start) {
            let last = end > start && text[end - 1] == 0x0D ? end - 1 : end
            let isContinued = text[end + 1].map { !$0.isLineBreak } == true
            if isContinued, last - start >= shortestFullLine {
                let isSoft = text[last - 1] == UInt8(ascii: "=") && last - start <= longestLine
                if isSoft { (soft, count) = (soft + last - start, count + 1) } else { others += last - start }
            }
            start = end + 1
        }
        return count > 2 && soft >= others
    }

    /// The length of the shortest line that an encoder breaks, and of the longest one (RFC 2045 6.7).
    private static let (shortestFullLine, longestLine) = (70, 76)

    /// Returns the length of a `=` with the end of a line after it; nil if the line is too long, or the last one.
    private static func lengthOfSoftBreak(at index: Int, in text: ScannedText) -> Int? {
        var end = index + 1
        while end - index < longestLine, let byte = text[end], byte == 0x20 || byte == 0x09 { end += 1 }
        if text[end] == 0x0D { end += 1 }
        guard text[end] == 0x0A, let next = text[end + 1], !next.isLineBreak else { return nil }
        let line = text.part(max(index - longestLine, 0)..<index)
        return line.count < longestLine || line.contains(0x0A) ? end + 1 - index : nil
    }

    private static func isD(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "D") || byte == UInt8(ascii: "d") }

    // MARK: Markup

    private static let entities: [String: UInt8] = [
        "quot": 0x22, "apos": 0x27, "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "nbsp": 0x20, "period": 0x2E, "lowbar": 0x5F,
        "hyphen": 0x2D, "equals": 0x3D, "plus": 0x2B, "sol": 0x2F, "lbrace": 0x7B, "lcub": 0x7B, "rbrace": 0x7D,
        "rcub": 0x7D, "colon": 0x3A, "comma": 0x2C,
    ]

    /// Decodes the entities of HTML and XML, and replaces each tag by a line feed.
    static func withoutMarkup(_ text: ScannedText) -> [UInt8]? {
        // The next sign that ends what was begun: looking for it from each beginning would read a text many times.
        var end = -1
        let decoded = replacing("&", in: text) { index in
            if end < index { end = text.index(of: ";", from: index) ?? text.count }
            guard end < text.count, end - index < longestEntity else { return nil }
            return entity(String(decoding: text.part((index + 1)..<end), as: UTF8.self)).map { (end + 1 - index, $0) }
        }
        let source = decoded.map(text.with) ?? text
        end = -1
        let untagged = replacing("<", in: source) { index in
            guard let first = source[index + 1], first == UInt8(ascii: "/") || isLetter(first) else { return nil }
            if end < index { end = source.index(of: ">", from: index) ?? source.count }
            guard end < source.count, end - index < longestTag, !hasEscapedBytes(source.part(index..<end))
            else { return nil }
            return (end + 1 - index, [0x0A])
        }
        return untagged ?? decoded
    }

    private static let (longestEntity, longestTag) = (12, 256)

    /// Returns whether a part of a text has bytes as octal or hexadecimal escapes: among such bytes, some look like the
    /// beginning of a tag.
    private static func hasEscapedBytes(_ part: ArraySlice<UInt8>) -> Bool {
        let backslash = UInt8(ascii: "\\")
        return zip(part, part.dropFirst()).contains { sign, next in
            sign == backslash && (next == UInt8(ascii: "x") || (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(next))
        }
    }

    private static func entity(_ name: String) -> [UInt8]? {
        if let byte = entities[name] { return [byte] }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap(Unicode.Scalar.init).map { [UInt8](String($0).utf8) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    // MARK: URLs and forms

    /// Decodes percent-encoding (RFC 3986 2.1), and the `+` of a form for a blank in values that are JSON.
    static func withoutPercentEncoding(_ text: ScannedText) -> [UInt8]? {
        var form = text.bytes
        var index = 0
        // A form writes a blank as +. A receipt in base64 can have a + too, so only JSON is a form.
        let hasPlus = text.index(of: "+", from: 0) != nil
        while hasPlus, let sign = text.index(of: "%", from: index) {
            index = sign + 1
            guard hexadecimal(text, at: index) == UInt8(ascii: "{") else { continue }
            index = text.end(of: inValue, from: sign)
            for place in sign..<index where form[place] == UInt8(ascii: "+") { form[place] = 0x20 }
        }
        let source = text.with(form)
        let hasBackslash = source.index(of: "\\", from: 0) != nil
        return replacing("%", in: source) { index in
            guard let byte = hexadecimal(source, at: index + 1) else { return nil }
            // Among escaped bytes, a percent sign is one of them.
            let around = max(index - longestEscape, 0)..<min(index + longestEscape, source.count)
            return hasBackslash && hasEscapedBytes(source.part(around)) ? nil : (3, [byte])
        }
    }

    private static let longestEscape = 32

    private static let inValue = ByteSet("& \r\n\t").inverted

    // MARK: Strings

    /// Removes one level of backslashes, as in the strings of JSON and of programming languages, and in Markdown.
    static func withoutBackslashes(_ text: ScannedText) -> [UInt8]? {
        replacing("\\", in: text) { index in
            guard let next = text[index + 1] else { return nil }
            switch next {
            case UInt8(ascii: "n"): return (2, [0x0A])
            case UInt8(ascii: "r"): return (2, [0x0D])
            case UInt8(ascii: "t"): return (2, [0x09])
            // A line that continues in the next one.
            case 0x0A: return (2, [])
            case 0x0D: return (text[index + 2] == 0x0A ? 3 : 2, [])
            case UInt8(ascii: "x"): return hexadecimal(text, at: index + 2).map { (4, [$0]) }
            case UInt8(ascii: "u"):
                guard let high = hexadecimal(text, at: index + 2), let low = hexadecimal(text, at: index + 4),
                    let scalar = Unicode.Scalar(UInt32(high) << 8 | UInt32(low))
                else { return nil }
                return (6, [UInt8](String(scalar).utf8))
            case _ where isLetter(next) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next): return nil
            default: return (2, [next])
            }
        }
    }

    // MARK: Tables

    /// Replaces the doubled quotation marks of a cell of CSV (RFC 4180) by single ones, if the text has a cell with
    /// JSON in it.
    static func withoutDoubledQuotes(_ text: ScannedText) -> [UInt8]? {
        guard hasCellOfJSON(text) else { return nil }
        return replacing("\"", in: text) { text[$0 + 1] == UInt8(ascii: "\"") ? (2, [UInt8(ascii: "\"")]) : nil }
    }

    /// Returns whether a text has `"{""` and a letter after it.
    private static func hasCellOfJSON(_ text: ScannedText) -> Bool {
        var index = 0
        while let brace = text.index(of: "{", from: index) {
            index = brace + 1
            if text.has([UInt8]("\"\"".utf8), at: index), text[index + 2].map(isLetter) == true { return true }
        }
        return false
    }

    // MARK: Tools

    /// Replaces sequences that begin with a sign; returns nil if there are none.
    ///
    /// - Parameter sequence: Returns the length of the sequence at an index and its replacement; nil if there is none.
    private static func replacing(
        _ sign: Unicode.Scalar, in text: ScannedText, _ sequence: (Int) -> (count: Int, bytes: [UInt8])?
    ) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = 0
        var index = 0
        while let found = text.index(of: sign, from: index) {
            index = found + 1
            guard let (count, bytes) = sequence(found) else { continue }
            output += text.part(rest..<found)
            output += bytes
            index = min(found + count, text.count)
            rest = index
        }
        return rest == 0 ? nil : output + text.part(rest..<text.count)
    }

    private static func hexadecimal(_ text: ScannedText, at index: Int) -> UInt8? {
        guard let high = text[index].flatMap(Hexadecimal.value(of:)),
            let low = text[index + 1].flatMap(Hexadecimal.value(of:))
        else { return nil }
        return high << 4 | low
    }
}
