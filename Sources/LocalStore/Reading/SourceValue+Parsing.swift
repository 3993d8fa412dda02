internal import ReceiptTypes
internal import ReceiptVerification

extension SourceValue {
    /// Parses a file whose outermost value is an object.
    static func parse(_ bytes: [UInt8]) throws(StoreConfigurationError) -> SourceValue {
        let limit = ConfigurationBudget.self
        guard bytes.count <= limit.fileSize else {
            throw fault(
                .fileTooLarge, at: 0, in: [], "the file is too large", expected: "\(limit.fileSize) bytes at the most",
                found: "\(bytes.count) bytes"
            )
        }
        let markLength = SourceText.hasByteOrderMark(bytes) ? 3 : 0
        let text = markLength == 0 ? bytes : Array(bytes.dropFirst(markLength))
        let count = SourceText.markCount(text)
        guard count <= limit.valueCount else {
            throw fault(
                .tooManyValues, at: 0, in: [], "the file holds more values than is read",
                expected: "\(limit.valueCount) at the most", found: "\(count)"
            )
        }
        // The parser passes over a NUL that stands right behind a number.
        if let offset = bytes.firstIndex(of: 0) {
            throw fault(
                .nulCharacter, at: offset, in: bytes, "the file holds a NUL character", hint: "save it as UTF-8"
            )
        }
        let value: JSONValue
        do throws(JSONDocument.Fault) {
            value = try JSONDocument.value(of: text, maximumDepth: limit.depth)
        } catch {
            throw FaultPlace(text, error).error(shiftedBy: markLength, in: bytes)
        }
        // Places count from the beginning of the file, so a byte order mark stays in the text, as a space.
        let source = SourceText(bytes: [UInt8](repeating: 0x20, count: markLength) + text)
        let root = SourceValue(text: source, value: value, range: source.root, path: "")
        guard case .object = value else {
            throw fault(
                .notAnObject, at: root.range.lowerBound, in: bytes, "the file is no JSON object",
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

/// Where a text stops being JSON, and what a person would say of it.
///
/// The parser says where it stood when it noticed, which is behind the word that it could not take.
private struct FaultPlace {
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
        case .syntax, .byteOrderMark: (.notJSON, "the text is no JSON from here on", hint(at: start))
        case .utf8: (.notUTF8, "the text is not UTF-8", "save it as UTF-8")
        case .nul: (.nulCharacter, "the text holds a NUL character", nil)
        case .duplicateKey, .duplicateAlgorithm:
            (.duplicateKey, "the key \(key(at: start)) appears twice in one object", "remove one")
        case .tooDeep:
            (.tooDeep, "arrays and objects are nested more than \(ConfigurationBudget.depth) levels deep", nil)
        case .numberRange: (.numberOutOfRange, "the number does not fit", nil)
        case .outOfMemory: (.outOfMemory, "there is no memory left to read the file", nil)
        }
    }

    private func byte(_ position: Int) -> UInt8? { text.indices.contains(position) ? text[position] : nil }

    /// Where the word begins behind which the parser stood.
    private var wordStart: Int {
        let end = min(max(fault.offset, 0), text.count)
        guard let last = byte(end - 1), !endsTooEarly else { return end }
        if last == UInt8(ascii: "\"") { return stringStart(before: end) }
        var start = end
        while let byte = byte(start - 1), Self.isWord(byte) { start -= 1 }
        return start == end ? end - 1 : start
    }

    /// The mark that opens the string whose closing mark is right before a place.
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

    /// Whether the parser came to the end and still missed something.
    ///
    /// It stands at the end also behind a last word that is wrong, but then more is missing, but for a bracket that
    /// closes something behind a comma.
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

    /// The key that begins at a place, as it may be shown.
    private func key(at start: Int) -> String {
        let end = min(fault.offset, text.count)
        guard start < end else { return "" }
        let word = text[start..<end].dropFirst().dropLast()
        return Quotation.of(String(decoding: word, as: UTF8.self))
    }

    /// What those who write by hand forget most.
    private func hint(at start: Int) -> String? {
        guard start < text.count, let here = byte(start) else { return "the text ends too early" }
        var position = start - 1
        while let before = byte(position), Self.isSpace(before) { position -= 1 }
        let before = byte(position)
        switch here {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            return before == UInt8(ascii: ",") ? "remove the comma before it" : nil
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return "JSON has no comments"
        case UInt8(ascii: "'"): return "JSON has double quotation marks only"
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
            let ends: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")]
            return before.map { ends.contains($0) || Self.isWord($0) } == true ? "a comma is missing before it" : nil
        default: return nil
        }
    }
}
