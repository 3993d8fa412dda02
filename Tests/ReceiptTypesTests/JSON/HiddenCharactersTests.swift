import Testing

@testable import ReceiptTypes

@Suite("Hidden characters")
struct HiddenCharactersTests {
    private static let scalars = (UInt32(0)...0x10_ffff).compactMap(Unicode.Scalar.init)

    @Test("the table of default-ignorable code points is that of the standard library's Unicode version")
    func tableIsComplete() {
        let table = Set(DefaultIgnorableCodePoints.ranges.flatMap { $0 })
        let property = Set(Self.scalars.filter(\.properties.isDefaultIgnorableCodePoint).map(\.value))
        #expect(table == property)
    }

    @Test("every control, separator, default-ignorable or empty character is hidden, and no letter, mark or digit is")
    func hiddenCharacters() {
        let wrong = Self.scalars.filter { scalar in
            let properties = scalar.properties
            switch properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return !HiddenCharacters.contains(scalar.value)
            case .format where !properties.isDefaultIgnorableCodePoint: return false
            default:
                let isHidden = properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
                return HiddenCharacters.contains(scalar.value) != isHidden
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "JSON and plain text show hidden characters as escapes",
        arguments: [
            ("\u{3164}", "\\u3164"), ("\u{115f}", "\\u115f"), ("\u{1160}", "\\u1160"), ("\u{ffa0}", "\\uffa0"),
            ("\u{2800}", "\\u2800"), ("\u{034f}", "\\u034f"), ("\u{180b}", "\\u180b"), ("\u{180f}", "\\u180f"),
            ("\u{fe00}", "\\ufe00"), ("\u{e0100}", "\\udb40\\udd00"), ("\u{e0041}", "\\udb40\\udc41"),
        ]
    )
    func jsonEscapes(text: String, escape: String) throws {
        #expect(JSONValue.string("a\(text)b").description == "\"a\(escape)b\"")
        let value = try #require(text.unicodeScalars.first).value
        #expect(HiddenCharacters.escaped("a\(text)b") == "a\\u{\(String(value, radix: 16))}b")
    }
}
