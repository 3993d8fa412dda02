internal import ReceiptTypes

/// Untrusted text that is safe to print on a terminal.
///
/// Control characters could move the cursor or forge a line, bidirectional controls could display text in another
/// order, and invisible characters could make two texts look equal. All are written as `\u{…}`. A backslash stays as it
/// is, so that paths and JSON remain readable.
package struct Escaped: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = HiddenCharacters.escaped(text, where: Self.isUnsafe)
    }

    /// The text in quotation marks, cut to 80 characters.
    package var quoted: String {
        description.count <= 80 ? "\"\(description)\"" : "\"\(description.prefix(77))...\""
    }

    /// Returns whether a terminal might interpret or hide a character instead of displaying it.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if HiddenCharacters.contains(scalar.value) { return true }
        return switch scalar.properties.generalCategory {
        // Format characters include the bidirectional controls and other characters without a glyph.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
