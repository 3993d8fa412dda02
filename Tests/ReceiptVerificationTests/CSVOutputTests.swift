import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("CSV output")
struct CSVOutputTests {
    /// Returns a text with an apostrophe before each sign that could begin a formula in a cell.
    static func defused(_ text: String) -> String {
        let inside = text.replacing(/(?<separator>[;\t\r\n]"*)(?<sign>'*[=+\-@])/.matchingSemantics(.unicodeScalar)) {
            match in
            "\(match.separator)'\(match.sign)"
        }
        return text.starts(with: /'*[=+\-@\t\r\n]/.matchingSemantics(.unicodeScalar)) ? "'" + inside : inside
    }

    /// Returns the value of a field as it is written.
    private func written(_ text: String, keepsDigits: Bool = false) -> String {
        var output: [UInt8] = []
        CSV.append(text, keepsDigits: keepsDigits, to: &output)
        return output.withRawSpan { CSV.fields(of: $0).map { String(decoding: $0, as: UTF8.self) }.joined() }
    }

    @Test(
        "a field that a spreadsheet reads as a formula gets an apostrophe",
        arguments: [
            "=1+1", "+1", "-1", "@A", "＝1+1", "＋1", "－1", "＠A", "=\u{338}1", "\ta", "'=1", "''=1", "'＝1",
            "'\ta",
        ]
    )
    func formulas(text: String) {
        #expect(written(text) == "'" + text)
    }

    @Test(
        "what a spreadsheet with another separator reads as a formula gets an apostrophe, also behind a quotation mark",
        arguments: [
            ("a;=1", "a;'=1"), ("a;\"=1;b", "a;\"'=1;b"), ("a\t+1", "a\t'+1"), ("a\r\n-1", "a\r\n'-1"),
            ("a;@b", "a;'@b"),
            ("=1;=2", "'=1;'=2"), ("a;＝1", "a;'＝1"), ("a;b=1", "a;b=1"), ("a,=1", "a,=1"), ("\"=1", "\"=1"),
            ("a;'=1", "a;''=1"), ("\t=1", "'\t'=1"), ("'\t=1", "''\t'=1"), ("a;\"'=1", "a;\"''=1"),
        ])
    func separators(text: String, expected: String) {
        #expect(written(text) == expected)
        if !text.contains("＝") { #expect(Self.defused(text) == expected) }
    }

    @Test("two different fields are never written as the same one")
    func distinctFields() {
        let signs = ["", "'", "=", ";", "\"", "\t", "a"]
        var fields = [""]
        for _ in 0..<5 { fields = fields.flatMap { field in signs.map { field + $0 } } }
        fields += ["007", "=\"007\"", "'=\"007\"", "'007", "7", "123456789012", "=\"123456789012\"", "1E2", "=\"1E2\""]
        let distinct = Set(fields)
        for keepsDigits in [false, true] {
            #expect(Set(distinct.map { written($0, keepsDigits: keepsDigits) }).count == distinct.count)
        }
    }

    // MARK: Digits

    @Test(
        "a number that a spreadsheet would shorten is the formula of a text on request, and unchanged otherwise",
        arguments: [
            "123456789012", "2000000123456789", "20000001234567890123", "007", "00", "1E5", "12e4567",
            String(repeating: "9", count: 255),
        ])
    func shortenedNumbers(text: String) {
        var output: [UInt8] = []
        CSV.append(text, keepsDigits: true, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #""=""\#(text)""""#)
        #expect(written(text, keepsDigits: true) == #"="\#(text)""#)
        #expect(written(text) == text)
        var value: [UInt8] = []
        ValueWriter(format: .csv, keepsDigits: true).append(text, to: &value)
        #expect(value == output)
    }

    @Test(
        "what a spreadsheet shows as it is, or does not read as one number, is written as without the request",
        arguments: [
            "", "0", "1", "12345678901", "1.99", "-2000000123456789", "+2000000123456789", "=2000000123456789",
            "=\"2000000123456789\"", "'2000000123456789", "2000000123456789 ", "2000000123456789;7",
            "a\n2000000123456789", "GPA.3300-1111-2222-33333", "1E", "E5", "1E5E6", "0x1F", "2025-10-01T00:00:00Z",
            "１２３４５６７８９０１２", String(repeating: "9", count: 256),
        ])
    func otherNumbers(text: String) {
        #expect(written(text, keepsDigits: true) == written(text))
        #expect(!written(text, keepsDigits: true).hasPrefix("="))
    }

    @Test(
        "a field with a character that any spreadsheet takes for a separator is quoted",
        arguments: ["a;b", "a\tb", "a,b"])
    func quotes(text: String) {
        var output: [UInt8] = []
        CSV.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "\"\(text)\"")
    }

    @Test("other fields have no apostrophe", arguments: ["a=1", "1-1", "", "東京＝", "'a", "'", "''"])
    func others(text: String) {
        var output: [UInt8] = []
        CSV.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }

    @Test(
        "a value of a result is escaped like any other cell",
        arguments: [
            "", "plain text", "=1", "+1", "-1", "@1", "1-1", "a,b", "\"a\"", "a\nb", "é", "＝1", "\u{202e}a", "\t=1",
            "~", "'=1", "'a", "a;b", "a;=1", "a;\"=1", "a\t=1",
        ])
    func values(text: String) {
        var value: [UInt8] = []
        ValueWriter(format: .csv).append(text, to: &value)
        var cell: [UInt8] = []
        CSV.append(HiddenCharacters.escaped(text), to: &cell)
        #expect(value == cell)
    }
}
