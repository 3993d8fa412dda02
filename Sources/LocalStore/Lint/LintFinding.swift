public import ReceiptTypes

/// An error or a warning about a `.storekit` file, with its place in the file.
///
/// A finding quotes only short strings of the file, so it cannot reveal the private key that a file may contain, even
/// where the key is in the wrong place.
public struct LintFinding: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Xcode or the App Store would reject the value or give it another meaning.
        case error
        /// The value is accepted as it is, but is probably a mistake.
        case warning
    }

    /// The kind of a finding.
    public struct Code: ErrorCode {
        /// The stable name in kebab case, such as `unknown-key`.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The severity.
    public var severity: Severity
    /// The kind of finding.
    public var code: Code
    /// The line, counted from 1.
    public var line: Int
    /// The column in code points, counted from 1.
    public var column: Int
    /// The path of the value, such as `products[0].displayPrice`; empty for the file itself.
    public var path: String
    /// What is wrong, in one sentence.
    public var message: String
    /// What the format or the App Store expects.
    public var expected: String?
    /// The value in the file.
    public var found: String?
    /// The remedy, or what the reader uses instead of the value.
    public var hint: String?

    /// Creates a finding.
    public init(
        _ severity: Severity,
        _ code: Code,
        line: Int,
        column: Int,
        path: String = "",
        message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.line = line
        self.column = column
        self.path = path
        self.message = message
        self.expected = expected
        self.found = found
        self.hint = hint
    }
}

extension LintFinding: CustomStringConvertible {
    /// The finding in one line, in the style of a compiler: `12:9: error: displayPrice is negative [negative-price]`.
    public var description: String {
        var text = "\(line):\(column): \(severity.rawValue): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let found { text += expected == nil ? "; found \(found)" : ", found \(found)" }
        if !path.isEmpty { text += ", at \(path)" }
        if let hint { text += "; \(hint)" }
        return text + " [\(code)]"
    }
}
