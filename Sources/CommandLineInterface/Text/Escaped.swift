internal import ReceiptTypes

/// Text that is safe to print on a terminal, the only text that a tool prints.
///
/// Control characters could move the cursor or forge a line, bidirectional controls could display text in another
/// order, and invisible characters could make two texts look equal. All are written as `\u{…}`, and a byte of a path
/// that is no part of UTF-8 as `\xFF`. A backslash stays as it is, so that paths and JSON remain readable.
///
/// A literal is text of the program and stands as it is; each value that is put into it with `\(…)` is escaped.
package struct Escaped: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable, Hashable {
    package let description: String

    /// Escapes a text.
    package init(_ text: String) {
        // Most texts are printable ASCII, for which no property of a character is looked up.
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        description = isPlain ? text : HiddenCharacters.escaped(text.shownPath, where: Self.isUnsafe)
    }

    /// Creates text of the program itself.
    package init(stringLiteral text: String) { description = text }

    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

    /// Joins texts to one.
    package init(joining texts: some Sequence<Escaped>, by separator: Escaped) {
        description = texts.map(\.description).joined(separator: separator.description)
    }

    private init(safe text: String) { description = text }

    /// The text in quotation marks, cut to 80 characters.
    package var quoted: Escaped {
        Self(safe: description.count <= 80 ? "\"\(description)\"" : "\"\(description.prefix(77))...\"")
    }

    package var isEmpty: Bool { description.isEmpty }

    /// The number of characters, as a terminal shows them.
    package var count: Int { description.count }

    /// Returns the text with spaces behind it, up to a width.
    package func padded(to width: Int) -> Escaped {
        Self(safe: description + String(repeating: " ", count: max(0, width - count)))
    }

    /// The text without white space at its end.
    package var trimmed: Escaped {
        Self(safe: String(description.reversed().drop(while: \.isWhitespace).reversed()))
    }

    /// Returns a number of spaces.
    package static func spaces(_ count: Int) -> Escaped { Self(safe: String(repeating: " ", count: max(0, count))) }

    package static func + (left: Escaped, right: Escaped) -> Escaped {
        Self(safe: left.description + right.description)
    }

    package static func += (left: inout Escaped, right: Escaped) { left = left + right }

    /// Returns the text in a color of a terminal.
    func colored(_ code: StaticString) -> Escaped { Self(safe: "\u{1b}[\(code)m\(description)\u{1b}[0m") }

    /// Returns whether a terminal might interpret or hide a character instead of displaying it.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if HiddenCharacters.contains(scalar.value) { return true }
        return switch scalar.properties.generalCategory {
        // Format characters include the bidirectional controls and other characters without a glyph.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ escaped: Escaped) { text += escaped.description }

        /// Adds the escaped description of a value.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += Escaped(value.description).description
        }
    }
}
