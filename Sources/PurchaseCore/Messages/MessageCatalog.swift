/// Texts for the customer, as data: a text for each key and language.
///
/// ``standard`` has the texts of this package in English, Japanese and Simplified Chinese. An app adds its own keys and
/// languages, or replaces a text, with ``merging(_:)``:
///
/// ```swift
/// let texts = MessageCatalog.standard.merging(
///     MessageCatalog(["error.network": ["de": "Der Store ist nicht erreichbar."]]))
/// show(texts.text("error.network", languages: ["de-AT", "en"]))
/// ```
public struct MessageCatalog: Sendable, Hashable, Codable {
    /// The texts by key and by language, a BCP 47 tag such as `ja` or `zh-Hans`.
    public let texts: [String: [String: String]]

    /// Creates a catalog.
    public init(_ texts: [String: [String: String]]) {
        self.texts = texts
    }

    /// Returns a catalog with the texts of both; where both have one, the other catalog's is taken.
    public func merging(_ other: MessageCatalog) -> MessageCatalog {
        MessageCatalog(texts.merging(other.texts) { own, others in own.merging(others) { $1 } })
    }

    /// Returns a text in the first of the customer's languages that has it, otherwise in English.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - languages: BCP 47 tags in the order of preference. A tag without a text falls back to a shorter one, and
    ///     then to any text of the language: `zh-Hans-CN` to `zh-Hans`, and `zh-SG` over `zh` to `zh-Hans`.
    ///   - values: The values of placeholders such as `{seconds}`; a placeholder without a value stays in the text.
    /// - Returns: Nil if the catalog does not have the key.
    public func text(_ key: MessageKey, languages: [String], values: [String: String] = [:]) -> String? {
        guard let texts = texts[key.rawValue] else { return nil }
        let tag = (languages + ["en"]).lazy.compactMap { LanguageTag.match($0, among: texts.keys) }.first
        guard let text = tag.flatMap({ texts[$0] }) ?? texts.min(by: { $0.key < $1.key })?.value else { return nil }
        return Template(text).filled(with: values)
    }
}

/// The name of a text in a ``MessageCatalog``.
public struct MessageKey: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, such as `error.network`.
    public let rawValue: String

    /// Creates a key of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a key from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The name.
    public var description: String { rawValue }

    /// The key of the text that says what the customer can do next.
    var next: MessageKey { MessageKey(rawValue: "\(rawValue).next") }
}

// MARK: - Findings

extension MessageCatalog {
    /// A text that a catalog lacks, or that differs from the texts of other languages.
    public struct Finding: Sendable, Hashable {
        /// What is wrong with a text.
        public enum Problem: String, Sendable, Hashable, CaseIterable {
            /// There is no text, or an empty one.
            case missing
            /// The text has other placeholders than the English one.
            case placeholders
        }

        /// What is wrong.
        public let problem: Problem
        /// The name of the text.
        public let key: MessageKey
        /// The language of the text.
        public let language: String
    }

    /// Returns the texts that are missing in some languages or whose placeholders differ from the English text.
    public func findings(languages: [String]) -> [Finding] {
        texts.sorted { $0.key < $1.key }.flatMap { key, texts in
            languages.compactMap { language in
                let finding = { Finding(problem: $0, key: MessageKey(rawValue: key), language: language) }
                guard let text = texts[language], !text.isEmpty else { return finding(.missing) }
                let reference = texts["en"] ?? text
                return Template(text).names == Template(reference).names ? nil : finding(.placeholders)
            }
        }
    }
}

/// A text with placeholders: names of letters, digits and hyphens in braces.
private struct Template {
    /// The text before each placeholder with the placeholder's name, and the text after the last one.
    private var pieces: [(text: String, name: String)] = []
    private var rest = ""

    init(_ text: String) {
        var remaining = text[...]
        while let open = remaining.firstIndex(of: "{") {
            guard let close = remaining[open...].firstIndex(of: "}") else { break }
            let name = remaining[remaining.index(after: open)..<close]
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || Character(Unicode.Scalar(byte)).isASCIILetterOrDigit
                }
            guard isName else {
                let after = remaining.index(after: open)
                rest += remaining[..<after]
                remaining = remaining[after...]
                continue
            }
            pieces.append((rest + remaining[..<open], String(name)))
            rest = ""
            remaining = remaining[remaining.index(after: close)...]
        }
        rest += remaining
    }

    var names: Set<String> { Set(pieces.map(\.name)) }

    // A value is never searched for placeholders.
    func filled(with values: [String: String]) -> String {
        pieces.map { $0.text + (values[$0.name] ?? "{\($0.name)}") }.joined() + rest
    }
}

extension Character {
    fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
