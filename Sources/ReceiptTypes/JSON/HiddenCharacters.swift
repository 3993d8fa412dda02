/// The characters that a terminal executes or hides instead of showing them.
///
/// They are the control characters, line and paragraph separators, interlinear annotations, the default-ignorable code
/// points, among them bidirectional controls, fillers, variation selectors and tags, which can hide a complete message,
/// and the empty Braille pattern, which has no dots.
package enum HiddenCharacters {
    /// Returns whether a code point is a hidden character.
    package static func contains(_ codePoint: UInt32) -> Bool {
        switch codePoint {
        case 0x20...0x7e: false
        case 0x00...0x9f, 0x2028...0x2029, 0x2800, 0xfff9...0xfffb: true
        default: isDefaultIgnorable(codePoint)
        }
    }

    private static func isDefaultIgnorable(_ codePoint: UInt32) -> Bool {
        DefaultIgnorableCodePoints.ranges.contains { $0.contains(codePoint) }
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
