/// Something in a `.storekit` file that is not as the format or the store wants it, with its place.
///
/// A finding never holds a long text of the file, so that the private key that a file may hold is in no finding,
/// wherever somebody has put it.
public struct LintFinding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Xcode or the store would refuse it, or would take it for something else.
        case error
        /// It is taken as it is, but was hardly meant so.
        case warning
    }

    /// How bad it is.
    public var severity: Severity
    /// What kind of thing it is.
    public var code: Code
    /// The line, from 1.
    public var line: Int
    /// The column in code points, from 1.
    public var column: Int
    /// The way to the value, such as `products[0].displayPrice`; empty for the file as a whole.
    public var path: String
    /// What is wrong, in words.
    public var message: String
    /// What the format or the store wants.
    public var expected: String?
    /// What is there instead.
    public var found: String?
    /// What to do about it, or how it was read.
    public var hint: String?

    /// Describes something that is not as it should be.
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
    /// One line in the form of a compiler: `12:9: error: the price is a number; … [price-as-number]`.
    public var description: String {
        var text = "\(line):\(column): \(severity.rawValue): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let found { text += expected == nil ? "; found \(found)" : ", found \(found)" }
        if !path.isEmpty { text += ", at \(path)" }
        if let hint { text += "; \(hint)" }
        return text + " [\(code)]"
    }
}
