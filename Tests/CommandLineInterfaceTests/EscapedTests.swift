import Testing

@testable import CommandLineInterface

@Suite("Text from receipts on a terminal [CARD-6]")
struct EscapedTests {
    @Test(
        "control and bidirectional characters are shown as numbers [CARD-6]",
        arguments: [
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"), ("a\nb", "a\\u{a}b"), ("a\u{9b}b", "a\\u{9b}b"),
            ("a\u{202e}b", "a\\u{202e}b"), ("a\u{2066}b", "a\\u{2066}b"), ("a\u{200b}b", "a\\u{200b}b"),
            ("a\u{7f}b", "a\\u{7f}b"), ("a\u{e0041}b", "a\\u{e0041}b"),
        ]
    )
    func unsafeCharacters(text: String, expected: String) {
        #expect(Escaped(text).description == expected)
    }

    @Test("other text stays as it is [CARD-6]", arguments: ["", "Grüße, 東京 👍", "C:\\a\\b", "{\"a\": 1}"])
    func otherText(text: String) {
        #expect(Escaped(text).description == text)
    }

    @Test("a long text is cut between its quotation marks [CARD-6]")
    func longText() {
        let quoted = Escaped(String(repeating: "x", count: 1000)).quoted
        #expect(quoted.count == 82)
        #expect(quoted.hasSuffix("...\""))
    }
}
