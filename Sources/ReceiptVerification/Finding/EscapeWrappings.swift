/// Takes off the wrappings that write characters as sequences of others.
enum EscapeWrappings {
    // MARK: Mail

    /// Decodes quoted-printable (RFC 2045 6.7), if the text has one of its signs: `=3D`, or soft line breaks.
    ///
    /// A line that ends with `=` continues in the next one. The padding of base64 ends lines too, and must stay: of a
    /// JWS at most two of many.
    static func withoutQuotedPrintable(_ text: [UInt8]) -> [UInt8]? {
        guard hasEncodedEqualsSign(text) || hasSoftBreaks(text) else { return nil }
        return replacing("=", in: text) { index in
            if let byte = hexadecimal(text, at: index + 1) { return (3, [byte]) }
            return lengthOfSoftBreak(at: index, in: text).map { ($0, []) }
        }
    }

    private static func hasEncodedEqualsSign(_ text: [UInt8]) -> Bool {
        var index = 0
        while let found = text.firstIndex(of: "=", from: index) {
            index = found + 1
            if text[safe: index] == UInt8(ascii: "3"), text[safe: index + 1].map(isD) == true { return true }
        }
        return false
    }

    /// Returns whether soft line breaks end at least half of the text in the long lines that continue, and three of
    /// them: as many as are needed for a receipt, and one more than a JWS can have segments with padding before its
    /// last one.
    private static func hasSoftBreaks(_ text: [UInt8]) -> Bool {
        var (soft, others, count) = (0, 0, 0)
        var start = 0
        while let end = text.firstIndex(of: "\n", from: start) {
            let line = text[start..<end].last == 0x0D ? text[start..<end - 1] : text[start..<end]
            let isContinued = text[safe: end + 1].map { !$0.isLineBreak } == true
            if isContinued, line.count >= shortestFullLine {
                let isSoft = line.last == UInt8(ascii: "=") && line.count <= longestLine
                if isSoft { (soft, count) = (soft + line.count, count + 1) } else { others += line.count }
            }
            start = end + 1
        }
        return count > 2 && soft >= others
    }

    /// The length of the shortest line that an encoder breaks, and of the longest one (RFC 2045 6.7).
    private static let (shortestFullLine, longestLine) = (70, 76)

    /// Returns the length of a `=` with the end of a line after it; nil if the line is too long, or the last one.
    private static func lengthOfSoftBreak(at index: Int, in text: [UInt8]) -> Int? {
        var end = index + 1
        while let byte = text[safe: end], byte == 0x20 || byte == 0x09, end - index < longestLine { end += 1 }
        if text[safe: end] == 0x0D { end += 1 }
        guard text[safe: end] == 0x0A, let next = text[safe: end + 1], !next.isLineBreak else { return nil }
        let line = text[..<index].suffix(longestLine)
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
    static func withoutMarkup(_ text: [UInt8]) -> [UInt8]? {
        let decoded = replacing("&", in: text) { index in
            guard let end = text[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
            return entity(String(decoding: text[(index + 1)..<end], as: UTF8.self)).map { (end + 1 - index, $0) }
        }
        let source = decoded ?? text
        let untagged = replacing("<", in: source) { index in
            guard let first = source[safe: index + 1], first == UInt8(ascii: "/") || isLetter(first),
                let end = source[index...].prefix(256).firstIndex(of: UInt8(ascii: ">"))
            else { return nil }
            return (end + 1 - index, [0x0A])
        }
        return untagged ?? decoded
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
    static func withoutPercentEncoding(_ text: [UInt8]) -> [UInt8]? {
        var form = text
        var index = 0
        // A form writes a blank as +. A receipt in base64 can have a + too, so only JSON is a form.
        let hasPlus = text.firstIndex(of: "+", from: 0) != nil
        while hasPlus, let sign = text.firstIndex(of: "%", from: index) {
            index = sign + 1
            guard hexadecimal(text, at: index) == UInt8(ascii: "{") else { continue }
            index = inValue.end(in: text, from: sign)
            for place in sign..<index where form[place] == UInt8(ascii: "+") { form[place] = 0x20 }
        }
        return replacing("%", in: form) { index in hexadecimal(form, at: index + 1).map { (3, [$0]) } }
    }

    private static let inValue = ByteSet("& \r\n\t").inverted

    // MARK: Strings

    /// Removes one level of backslashes, as in the strings of JSON and of programming languages, and in Markdown.
    static func withoutBackslashes(_ text: [UInt8]) -> [UInt8]? {
        replacing("\\", in: text) { index in
            guard let next = text[safe: index + 1] else { return nil }
            switch next {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return (2, [0x0A])
            // A line that continues in the next one.
            case 0x0A: return (2, [])
            case 0x0D: return (text[safe: index + 2] == 0x0A ? 3 : 2, [])
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

    // MARK: Tools

    /// Replaces sequences that begin with a sign; returns nil if there are none.
    ///
    /// - Parameter sequence: Returns the length of the sequence at an index and its replacement; nil if there is none.
    private static func replacing(
        _ sign: Unicode.Scalar, in text: [UInt8], _ sequence: (Int) -> (count: Int, bytes: [UInt8])?
    ) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = 0
        var index = 0
        while let found = text.firstIndex(of: sign, from: index) {
            index = found + 1
            guard let (count, bytes) = sequence(found) else { continue }
            output += text[rest..<found]
            output += bytes
            index = min(found + count, text.count)
            rest = index
        }
        return rest == 0 ? nil : output + text[rest...]
    }

    private static func hexadecimal(_ text: [UInt8], at index: Int) -> UInt8? {
        guard let high = text[safe: index].flatMap(Hexadecimal.value(of:)),
            let low = text[safe: index + 1].flatMap(Hexadecimal.value(of:))
        else { return nil }
        return high << 4 | low
    }
}
