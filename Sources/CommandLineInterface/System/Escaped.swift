internal import ReceiptTypes

/// Text from outside, made harmless for a terminal.
///
/// Control characters could move the cursor or forge a line, and bidirectional controls could show text in another order
/// than it has; both are written as `\u{…}`. A backslash stays one, so that paths and JSON read as they are.
package struct Escaped: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = HiddenCharacters.escaped(text, where: Self.isUnsafe)
    }

    /// The text between quotation marks, cut where it is very long.
    package var quoted: String {
        description.count <= 80 ? "\"\(description)\"" : "\"\(description.prefix(77))...\""
    }

    /// Whether a terminal might obey the character, or hide it, instead of showing it.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters are the bidirectional controls and others without a shape of their own.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
