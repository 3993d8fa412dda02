import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("CSV output")
struct CSVOutputTests {
    @Test(
        "a field that a spreadsheet reads as a formula gets an apostrophe",
        arguments: ["=1+1", "+1", "-1", "@A", "＝1+1", "＋1", "－1", "＠A", "=\u{338}1", "\t=1"]
    )
    func formulas(text: String) {
        var output: [UInt8] = []
        CSV.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "'" + text)
    }

    @Test("other fields have no apostrophe", arguments: ["a=1", "1-1", "", "東京＝"])
    func others(text: String) {
        var output: [UInt8] = []
        CSV.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }

    @Test(
        "a value of a result is escaped like any other cell",
        arguments: [
            "", "plain text", "=1", "+1", "-1", "@1", "1-1", "a,b", "\"a\"", "a\nb", "é", "＝1", "\u{202e}a", "\t=1",
            "~",
        ])
    func values(text: String) {
        var value: [UInt8] = []
        ValueWriter(format: .csv).append(text, to: &value)
        var cell: [UInt8] = []
        CSV.append(HiddenCharacters.escaped(text), to: &cell)
        #expect(value == cell)
    }
}
