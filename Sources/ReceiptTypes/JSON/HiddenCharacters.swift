/// The characters that a terminal executes or hides instead of showing them.
///
/// They are the control characters, the bidirectional controls, and the characters without width, among them the tag
/// characters, which can hide a complete message.
package enum HiddenCharacters {
    /// Returns whether a code point is a hidden character.
    package static func contains(_ codePoint: UInt32) -> Bool {
        switch codePoint {
        case 0x00...0x1f, 0x7f...0x9f, 0xad, 0x061c, 0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
            0xfff9...0xfffb, 0xe0000...0xe007f:
            true
        default: false
        }
    }

    /// Returns the text with each hidden character written as `\u{…}`.
    package static func escaped(_ text: String) -> String { escaped(text) { contains($0.value) } }

    /// Returns the text with each character that meets a condition written as `\u{…}`.
    package static func escaped(_ text: String, where isUnsafe: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
