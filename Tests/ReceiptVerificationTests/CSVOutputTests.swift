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
}
