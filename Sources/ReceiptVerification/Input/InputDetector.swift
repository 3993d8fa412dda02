internal import ReceiptTypes

/// Finds receipts inside their wrappings.
///
/// Each kind of wrapping is removed at most once.
struct InputDetector {
    private enum Wrapping: CaseIterable {
        case quotes
        case urlEscapes
        case base64
    }

    /// The most values in a JSON text that is searched; the tree of each takes some hundred bytes of memory.
    private let maximumValues: Int
    /// Whether a JSON text was not searched because it can have more than ``maximumValues``.
    private(set) var isOverLimit = false
    private var removed: Set<Wrapping> = []
    /// Decides between several signatures of a Google Play purchase; nil if no key is known.
    let trials: SignatureTrials?
    /// The maximum nesting depth of JSON that is searched.
    private static let maximumDepth = 64

    init(maximumValues: Int = .max, trials: SignatureTrials? = nil) {
        self.maximumValues = maximumValues
        self.trials = trials
    }

    /// Returns whether a JSON text can have more values than a number.
    ///
    /// Each value follows a comma or the beginning of an array or an object, except the outermost one.
    static func canHaveMoreValues(than maximum: Int, _ text: RawSpan) -> Bool {
        guard text.byteCount > maximum else { return false }
        let marks = [UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")]
        return marks.reduce(0) { $0 + text.count(of: $1) } >= maximum
    }

    /// Returns the receipts in the bytes; nil if there are none.
    mutating func detect(_ text: [UInt8]) -> [ReceiptInput]? {
        let trimmed = Self.trimmed(text)
        guard let first = trimmed.first else { return nil }
        if let jws = JWSForm.complete(trimmed) { return [.jws(jws)] }
        let receipts = AppReceiptForm.receipts(in: text, trimmed: trimmed)
        if !receipts.isEmpty { return receipts.map { .appReceipt($0) } }
        if [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first) {
            guard !trimmed.withRawSpan({ Self.canHaveMoreValues(than: maximumValues, $0) }) else {
                isOverLimit = true
                return nil
            }
            if let found = inJSON(trimmed) { return found }
        }
        for wrapping in Wrapping.allCases where !removed.contains(wrapping) {
            guard let inner = Self.remove(wrapping, from: trimmed) else { continue }
            removed.insert(wrapping)
            if let found = detect(inner) { return found }
            removed.remove(wrapping)
        }
        return JWSForm.matches(trimmed) ? [.jws(trimmed)] : nil
    }

    // MARK: Forms

    private func inJSON(_ text: [UInt8]) -> [ReceiptInput]? {
        guard
            let document = try? text.withRawSpan({ (span) throws(JSONDocument.Fault) in
                // Duplicates are not allowed: a receipt that another one hides would have no result.
                try JSONDocument.readSurroundings(span, maximumDepth: Self.maximumDepth, allowsDuplicates: false)
            })
        else { return nil }
        var found: [ReceiptInput] = []
        collect(in: document.root.value, into: &found)
        return found.isEmpty ? nil : found
    }

    /// Collects the receipts of all formats, so that a receipt of one format cannot hide one of another.
    private func collect(in value: JSONValue, into found: inout [ReceiptInput]) {
        switch value {
        case .string(let text): found += Self.receipts(inString: text)
        case .array(let elements):
            found += PlayInputShape.purchases(among: elements, trials)
            for element in elements { collect(in: element, into: &found) }
        case .object(let object):
            found += PlayInputShape.purchases(in: object, trials)
            for member in object.members { collect(in: member.value, into: &found) }
        default: break
        }
    }

    /// Returns the JWS that a string inside JSON is, or the app receipts with which it begins.
    static func receipts(inString text: String) -> [ReceiptInput] {
        let bytes = trimmed([UInt8](text.utf8))
        if let jws = JWSForm.complete(bytes) { return [.jws(jws)] }
        let receipts = AppReceiptForm.receipts(in: bytes, trimmed: bytes)
        if !receipts.isEmpty { return receipts.map { .appReceipt($0) } }
        return JWSForm.matchesSegments(bytes) ? [.jws(bytes)] : []
    }

    // MARK: Wrappings

    private static func remove(_ wrapping: Wrapping, from text: [UInt8]) -> [UInt8]? {
        switch wrapping {
        case .quotes:
            guard text.count >= 2, let quote = text.first, text.last == quote,
                quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            else { return nil }
            return [UInt8](text.dropFirst().dropLast())
        case .urlEscapes:
            return text.contains(UInt8(ascii: "%")) ? unescaped(text) : nil
        case .base64:
            return looseBase64(text)
        }
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                guard index + 2 < text.count, let high = Hexadecimal.value(of: text[index + 1]),
                    let low = Hexadecimal.value(of: text[index + 2])
                else { return nil }
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(text[index])
                index += 1
            }
        }
        return output
    }

    private static let looseBase64Characters = ByteSet {
        ByteSet.base64Digits.contains($0) || $0 == UInt8(ascii: "=") || $0.isWhiteSpace
    }

    /// Decodes base64 in either alphabet, with or without padding and line breaks.
    ///
    /// A wrapping need not be canonical, because only the receipt inside is verified.
    static func looseBase64(_ text: [UInt8]) -> [UInt8]? {
        if let bytes = text.withRawSpan({ Base64.standard.decode($0) }) { return bytes }
        guard looseBase64Characters.containsAll(of: text) else { return nil }
        let digits = joiningLines(text).filter { $0 != UInt8(ascii: "=") }.map { character -> UInt8 in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        return digits.withRawSpan { Base64.url.decode($0) }
    }

    // MARK: Characters

    /// Returns the bytes without white space around them, and without byte order marks before them.
    static func trimmed(_ text: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var content = text[...]
        while let start = content.firstIndex(where: { !$0.isWhiteSpace }), content[start...].starts(with: mark) {
            content = content[start...].dropFirst(mark.count)
        }
        guard let start = content.firstIndex(where: { !$0.isWhiteSpace }),
            let end = content.lastIndex(where: { !$0.isWhiteSpace })
        else { return [] }
        return [UInt8](content[start...end])
    }

    /// Returns the bytes without line breaks and the white space around them.
    static func joiningLines(_ text: [UInt8]) -> [UInt8] {
        guard !ByteSet.withoutLineBreaks.containsAll(of: text) else { return text }
        return [UInt8](text.split(whereSeparator: \.isLineBreak).map { trimmed([UInt8]($0)) }.joined())
    }
}
