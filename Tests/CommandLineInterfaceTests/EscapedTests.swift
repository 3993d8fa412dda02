import Testing

@testable import CommandLineInterface

@Suite("Escaped text")
struct EscapedTests {
    @Test(
        "control, bidirectional and invisible characters are written as code points",
        arguments: [
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"), ("a\nb", "a\\u{a}b"), ("a\u{9b}b", "a\\u{9b}b"),
            ("a\u{202e}b", "a\\u{202e}b"), ("a\u{2066}b", "a\\u{2066}b"), ("a\u{200b}b", "a\\u{200b}b"),
            ("a\u{7f}b", "a\\u{7f}b"), ("a\u{e0041}b", "a\\u{e0041}b"), ("a\u{3164}b", "a\\u{3164}b"),
            ("a\u{115f}b", "a\\u{115f}b"), ("a\u{1160}b", "a\\u{1160}b"), ("a\u{ffa0}b", "a\\u{ffa0}b"),
            ("a\u{2800}b", "a\\u{2800}b"), ("a\u{34f}b", "a\\u{34f}b"), ("a\u{180b}b", "a\\u{180b}b"),
            ("a\u{fe0f}b", "a\\u{fe0f}b"), ("a\u{e0100}b", "a\\u{e0100}b"), ("a\u{e0001}b", "a\\u{e0001}b"),
        ]
    )
    func unsafeCharacters(text: String, expected: String) {
        #expect(Escaped(text).description == expected)
    }

    @Test("printable text is unchanged", arguments: ["", "Grüße, 東京 👍", "C:\\a\\b", "{\"a\": 1}"])
    func printableText(text: String) {
        #expect(Escaped(text).description == text)
    }

    @Test("quoted text is cut to 80 characters")
    func longText() {
        let quoted = Escaped(String(repeating: "x", count: 1000)).quoted
        #expect(quoted.count == 82)
        #expect(quoted.hasSuffix("...\""))
    }
}
