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
    /// The maximum nesting depth of JSON that is searched.
    private static let maximumDepth = 64

    init(maximumValues: Int = .max) {
        self.maximumValues = maximumValues
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
        if let jws = Self.compactJWS(trimmed) { return [.jws(jws)] }
        if LegacyReceiptForm.isPKCS7(trimmed) { return [.legacyReceipt(trimmed)] }
        if [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first) {
            guard !trimmed.withRawSpan({ Self.canHaveMoreValues(than: maximumValues, $0) }) else {
                isOverLimit = true
                return nil
            }
            if let found = Self.inJSON(trimmed) { return found }
        }
        for wrapping in Wrapping.allCases where !removed.contains(wrapping) {
            guard let inner = Self.remove(wrapping, from: trimmed) else { continue }
            removed.insert(wrapping)
            if let found = detect(inner) { return found }
            removed.remove(wrapping)
        }
        return nil
    }

    // MARK: Forms

    /// Returns the bytes without line breaks if they look like a compact JWS, valid or not; otherwise nil.
    static func compactJWS(_ text: [UInt8]) -> [UInt8]? {
        guard text.starts(with: [UInt8]("eyJ".utf8)) else { return nil }
        let joined = text.contains(where: isLineBreak) ? joiningLines(text) : text
        let dots = joined.reduce(into: 0) { if $1 == UInt8(ascii: ".") { $0 += 1 } }
        return dots == 2 && joined.allSatisfy(isJWSCharacter) ? joined : nil
    }

    private static func inJSON(_ text: [UInt8]) -> [ReceiptInput]? {
        guard
            let document = try? text.withRawSpan({ (span) throws(JSONDocument.Fault) in
                try JSONDocument(parsing: span, maximumDepth: maximumDepth)
            })
        else { return nil }
        let value = document.root.value
        var found: [ReceiptInput] = []
        collectJWS(in: value, into: &found)
        if found.isEmpty { collectOthers(in: value, into: &found) }
        return found.isEmpty ? nil : found
    }

    private static func collectJWS(in value: JSONValue, into found: inout [ReceiptInput]) {
        switch value {
        case .string(let text):
            if let jws = compactJWS(trimmed([UInt8](text.utf8))) { found.append(.jws(jws)) }
        case .array(let elements): for element in elements { collectJWS(in: element, into: &found) }
        case .object(let object): for member in object.members { collectJWS(in: member.value, into: &found) }
        default: break
        }
    }

    private static func collectOthers(in value: JSONValue, into found: inout [ReceiptInput]) {
        switch value {
        case .string(let text):
            let bytes = trimmed([UInt8](text.utf8))
            if LegacyReceiptForm.isPKCS7(bytes) { found.append(.legacyReceipt(bytes)) }
        case .array(let elements): for element in elements { collectOthers(in: element, into: &found) }
        case .object(let object):
            if let purchase = PlayInputShape.purchase(in: object) {
                found.append(purchase)
            } else {
                for member in object.members { collectOthers(in: member.value, into: &found) }
            }
        default: break
        }
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

    /// Decodes base64 in either alphabet, with or without padding and line breaks.
    ///
    /// A wrapping need not be canonical, because only the receipt inside is verified.
    static func looseBase64(_ text: [UInt8]) -> [UInt8]? {
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

    static func trimmed(_ text: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = text.starts(with: mark) ? text.dropFirst(mark.count) : text[...]
        guard let start = content.firstIndex(where: { !isSpace($0) }),
            let end = content.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return [UInt8](content[start...end])
    }

    /// Returns the bytes without line breaks and the white space around them.
    private static func joiningLines(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: isLineBreak) else { return text }
        return [UInt8](text.split(whereSeparator: isLineBreak).map { trimmed([UInt8]($0)) }.joined())
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func isSpace(_ byte: UInt8) -> Bool { isLineBreak(byte) || byte == 0x20 || byte == 0x09 }

    /// Returns whether a byte can occur in a JWS, or in one to which a tool has added padding, spaces or `+` and `/`.
    private static func isJWSCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.+/= ".utf8.contains(byte)
        }
    }
}
