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
        #expect(quoted.description.hasSuffix("...\""))
    }

    @Test("a value in a literal is escaped, once, and the literal is not")
    func interpolation() {
        let value = "a\u{1b}b"
        let line: Escaped = "\t\(value) \(Escaped(value)) \(7)\n"
        #expect(line.description == "\ta\\u{1b}b a\\u{1b}b 7\n")
        #expect(Escaped(joining: ["x", "\(value)"], by: "\n").description == "x\na\\u{1b}b")
        #expect(Escaped(joining: [], by: ",").isEmpty)
    }

    @Test("padding and trimming count what is shown")
    func layout() {
        #expect(Escaped(String("\u{1b}")).padded(to: 8).description == "\\u{1b}  ")
        #expect(Escaped("abc").padded(to: 2).description == "abc")
        #expect(Escaped(" a  ").trimmed.description == " a")
        #expect(Escaped("  ").trimmed.isEmpty)
    }
}
