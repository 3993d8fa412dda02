internal import PurchaseCore
internal import ReceiptTypes

/// Returns a text of a value that differs if one byte of a text in the value does.
///
/// It is in ASCII, so that texts which look alike can be told apart. All stored properties are in it.
package func exactText(of value: Any) -> String {
    switch value {
    case let text as String: return quoted(text)
    case let time as Timestamp: return "\(time.millisecondsSince1970) ms"
    case let digest as TextDigest: return "digest \(quoted(digest.bytes))"
    default: break
    }
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { ($0.label, exactText(of: $0.value)) }
    let members = children.map { label, text in label.map { "\($0): \(text)" } ?? text }.joined(separator: ", ")
    switch mirror.displayStyle {
    case .optional: return children.first?.1 ?? "nil"
    case .collection: return "[\(members)]"
    case .enum: return children.isEmpty ? "\(value)" : "(\(members))"
    case .struct, .tuple: return "(\(members))"
    default: return "\(value)"
    }
}

private func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case " "..."~": text.unicodeScalars.append(scalar)
        default: text += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return text + "\""
}

private func quoted(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { text, byte in
        let isPlain = (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\\")
        text += isPlain ? "\(Unicode.Scalar(byte))" : "\\x\(String(byte, radix: 16))."
    }
}

/// An observation that differs from what a rule promises.
struct Mismatch: Error {
    /// What was done.
    let situation: String
    let expected: String
    let found: String

    init(_ situation: String, expected: String, found: String) {
        self.situation = situation
        self.expected = expected
        self.found = found
    }
}

/// Compares two values byte by byte.
func expect<Value>(_ found: Value, _ expected: Value, _ situation: String) throws {
    let texts = (exactText(of: found), exactText(of: expected))
    guard texts.0 != texts.1 else { return }
    throw Mismatch(situation, expected: excerpt(texts.1, texts.0), found: excerpt(texts.0, texts.1))
}

/// Returns the part of a text around its first difference from another one, at most 400 characters.
private func excerpt(_ text: String, _ other: String) -> String {
    guard text.utf8.count > 400 else { return text }
    let start = max(0, zip(text.utf8, other.utf8).prefix { $0 == $1 }.count - 200)
    // The texts are ASCII, so each byte is a character.
    let part = String(decoding: text.utf8.dropFirst(start).prefix(400), as: UTF8.self)
    return (start > 0 ? "\u{2026}" : "") + part + (text.utf8.count > start + 400 ? "\u{2026}" : "")
}
