internal import ReceiptTypes
internal import ReceiptVerification

extension SourceValue {
    /// Parses a file; throws unless it is a JSON object within ``ConfigurationBudget``.
    static func parse(_ bytes: [UInt8]) throws(StoreConfigurationError) -> SourceValue {
        let limit = ConfigurationBudget.self
        guard bytes.count <= limit.fileSize else {
            throw fault(
                .fileTooLarge, at: 0, in: [], "the file is too large", expected: "at most \(limit.fileSize) bytes",
                found: "\(bytes.count) bytes"
            )
        }
        let markLength = SourceText.hasByteOrderMark(bytes) ? 3 : 0
        let text = markLength == 0 ? bytes : Array(bytes.dropFirst(markLength))
        let count = SourceText.delimiterCount(text)
        guard count <= limit.valueCount else {
            throw fault(
                .tooManyValues, at: 0, in: [], "the file has too many values",
                expected: "at most \(limit.valueCount)", found: "\(count)"
            )
        }
        // Checked here, because the parser accepts a NUL directly after a number.
        if let offset = bytes.firstIndex(of: 0) {
            throw fault(
                .nulCharacter, at: offset, in: bytes, "the file contains a NUL character", hint: "save it as UTF-8"
            )
        }
        let value: JSONValue
        do throws(JSONDocument.Fault) {
            value = try JSONDocument.value(of: text, maximumDepth: limit.depth)
        } catch {
            throw SyntaxErrorLocator(text, error).error(shiftedBy: markLength, in: bytes)
        }
        // Spaces replace the byte order mark, so that offsets count from the beginning of the file.
        let source = SourceText(bytes: [UInt8](repeating: 0x20, count: markLength) + text)
        let root = SourceValue(text: source, value: value, range: source.root, path: "")
        guard case .object = value else {
            throw fault(
                .notAnObject, at: root.range.lowerBound, in: bytes, "the file is not a JSON object",
                expected: "an object", found: value.kind.name
            )
        }
        return root
    }

    fileprivate static func fault(
        _ code: LintFinding.Code,
        at offset: Int,
        in bytes: [UInt8],
        _ message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) -> StoreConfigurationError {
        let place = SourceText.places(of: [offset], in: bytes).first ?? SourceText.Place(line: 1, column: 1)
        return StoreConfigurationError(
            LintFinding(
                .error, code, line: place.line, column: place.column, message: message, expected: expected,
                found: found, hint: hint
            )
        )
    }
}

/// Finds the place and the probable cause of a JSON syntax error.
///
/// The parser reports the position after the token that it could not accept; findings report the start of that token.
private struct SyntaxErrorLocator {
    let text: [UInt8]
    let fault: JSONDocument.Fault

    init(_ text: [UInt8], _ fault: JSONDocument.Fault) {
        self.text = text
        self.fault = fault
    }

    func error(shiftedBy shift: Int, in bytes: [UInt8]) -> StoreConfigurationError {
        let start = fault.problem == .tooDeep ? min(fault.offset, text.count) : wordStart
        let (code, message, hint) = words(at: start)
        return SourceValue.fault(code, at: start + shift, in: bytes, message, hint: hint)
    }

    private func words(at start: Int) -> (code: LintFinding.Code, message: String, hint: String?) {
        switch fault.problem {
        case .syntax, .byteOrderMark: (.notJSON, "the file is not valid JSON from here on", hint(at: start))
        case .utf8: (.notUTF8, "the file is not UTF-8", "save it as UTF-8")
        case .nul: (.nulCharacter, "the file contains a NUL character", nil)
        case .duplicateKey, .duplicateAlgorithm:
            (.duplicateKey, "the key \(key(at: start)) appears twice in one object", "remove one")
        case .tooDeep:
            (.tooDeep, "arrays and objects are nested more than \(ConfigurationBudget.depth) levels deep", nil)
        case .numberRange: (.numberOutOfRange, "the number is too large", nil)
        case .outOfMemory: (.outOfMemory, "not enough memory to read the file", nil)
        }
    }

    private func byte(_ position: Int) -> UInt8? { text.indices.contains(position) ? text[position] : nil }

    /// The start of the token that ends at the parser's position.
    private var wordStart: Int {
        let end = min(max(fault.offset, 0), text.count)
        guard let last = byte(end - 1), !endsTooEarly else { return end }
        if last == UInt8(ascii: "\"") { return stringStart(before: end) }
        var start = end
        while let byte = byte(start - 1), Self.isWord(byte) { start -= 1 }
        return start == end ? end - 1 : start
    }

    /// Returns the position of the opening quotation mark of the string that ends at a position.
    private func stringStart(before end: Int) -> Int {
        var position = end - 2
        while let byte = byte(position) {
            if byte == UInt8(ascii: "\"") {
                var escapes = 0
                while self.byte(position - 1 - escapes) == UInt8(ascii: "\\") { escapes += 1 }
                if escapes.isMultiple(of: 2) { return position }
            }
            position -= 1
        }
        return max(end - 1, 0)
    }

    /// Whether the file ends before its outermost value does.
    ///
    /// The parser's position is the end of the file also where the last token is wrong. An open bracket tells the two
    /// cases apart, except for a closing bracket after a comma, which is a wrong token.
    private var endsTooEarly: Bool {
        guard fault.problem == .syntax, fault.offset >= text.count else { return false }
        var source = text[...]
        while let last = source.last, Self.isSpace(last) { source = source.dropLast() }
        guard let last = source.last else { return true }
        if last == UInt8(ascii: "}") || last == UInt8(ascii: "]") {
            source = source.dropLast()
            while let last = source.last, Self.isSpace(last) { source = source.dropLast() }
            if source.last == UInt8(ascii: ",") { return false }
        }
        return SourceText.openBrackets(text) != 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    /// Returns the key that starts at a position, as a finding quotes it.
    private func key(at start: Int) -> String {
        let end = min(fault.offset, text.count)
        guard start < end else { return "" }
        let word = text[start..<end].dropFirst().dropLast()
        return Quotation.of(String(decoding: word, as: UTF8.self))
    }

    /// Returns a hint for the most common mistakes in hand-written JSON.
    private func hint(at start: Int) -> String? {
        guard start < text.count, let here = byte(start) else { return "the file ends too early" }
        var position = start - 1
        while let before = byte(position), Self.isSpace(before) { position -= 1 }
        let before = byte(position)
        switch here {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            return before == UInt8(ascii: ",") ? "remove the comma before it" : nil
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return "JSON has no comments"
        case UInt8(ascii: "'"): return "JSON strings need double quotation marks"
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
            let ends: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")]
            return before.map { ends.contains($0) || Self.isWord($0) } == true ? "a comma is missing before it" : nil
        default: return nil
        }
    }
}
