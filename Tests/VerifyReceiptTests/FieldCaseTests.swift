import Foundation
import Testing
import TranscriptSupport

/// Small inputs that people reported, with their right answers, in a folder beside the repository.
private let folder = PackageFolder.url.deletingLastPathComponent().appending(path: "shared/field-cases")

@Suite(
    "Cases from the field",
    .enabled(
        if: FileManager.default.fileExists(atPath: folder.path),
        "the folder with cases from the field is missing beside the repository"))
struct FieldCaseTests {
    /// A file, the verdicts of its results, and texts that its output has.
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let verdicts: [String]
        let texts: [String]
        var testDescription: String { file }

        init(_ file: String, _ verdicts: [String] = ["verified"], _ texts: String...) {
            (self.file, self.verdicts, self.texts) = (file, verdicts, texts)
        }
    }

    private static let undecided = ["undecided"]

    static let cases = [
        Case("01-external-purchase-token-created.jws"), Case("02-03-ios27-members.jws"), Case("04-prorated-refund.jws"),
        Case("05-batch.jsonl", ["verified", "verified"]), Case("05-quantity-3-refund-of-one.jws"),
        Case("05-quantity-3-total-14.97.jws"), Case("06-volume-purchase.b64"),
        Case("07-lines-as-percent-0A.txt"), Case("07-percent-encoded.json"), Case("07-percent-encoded.txt"),
        Case("08-plus-became-blank.json", ["unverified"], "blanks"),
        Case("08-plus-became-blank.txt", ["unverified"], "blanks"),
        Case("09-csv-cell.txt"), Case("09-text-after.txt"), Case("09-two-receipts.txt", ["verified", "verified"]),
        Case("27-bytea.csv"),
        Case("10a-maui.json"), Case("10b-playfab.json"), Case("10c-godot.json"), Case("10d-anjlab.json"),
        Case("10e-rniap.json"), Case("10f-flutter.json"), Case("10g-form.txt"),
        Case("11-flat.json", undecided, "with its signature, but without the signed text", "GPA.3288-9697-8600-00010"),
        Case("11-flat-token.json", undecided, "with its signature, but without the signed text", ".AO-J1Obpghf"),
        Case("12-signature-in-lines.json"), Case("12-signature-unpadded.json"), Case("12-signature-with-newline.json"),
        Case("13-custom-link-token.txt", undecided, "an external purchase token", "External Purchase Server API"),
        Case("13-external-purchase-token.txt", undecided, "not signed", "b2158121-7af9-49d4-9561-1f588205523e"),
        Case("14-inspect-form.txt"), Case("15-play-two-columns.csv"), Case("17-play-without-state.json"),
        Case("20-empty-fields.json", undecided, "originalJson and signature are empty", "2000000796570433"),
        Case("29-consumption-request.jws"), Case("29-renewal-extension-summary.jws"),
        Case("30-commitment-renewal.jws"), Case("30-commitment-transaction.jws"),
        Case("31-advanced-commerce-item-refund.jws"),
        Case("34-voided-purchases.json", undecided, "voided purchases", "GPA.1-2-3-4", "abc"),
    ]

    private static let flags =
        "-q --root root.der --root app-receipt-root.der --only-given-roots -b com.example.app "
        + "--play-key com.example.app=play-key.txt"

    private func run(_ command: String) throws -> (code: Int32, output: [String]) {
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file != "hostile" {
            let copy = runner.folder.appending(path: file)
            if !FileManager.default.fileExists(atPath: copy.path) {
                try FileManager.default.copyItem(at: folder.appending(path: file), to: copy)
            }
        }
        let outcome = try runner.run(command)
        return (outcome.code, outcome.output)
    }

    @Test("each file has its right answer", arguments: cases)
    func answers(item: Case) throws {
        let (code, output) = try run("verify-receipt \(Self.flags) \(item.file)")
        // The results of what is inside a receipt are indented.
        let verdicts = output.filter { !$0.hasPrefix(" ") }.compactMap { line in
            ["verified", "unverified", "undecided"].first { line.hasPrefix("\($0):") || line.contains(": \($0): ") }
        }
        #expect(verdicts == item.verdicts)
        #expect(code == (item.verdicts.contains("unverified") ? 1 : item.verdicts.contains("undecided") ? 3 : 0))
        for text in item.texts { #expect(output.joined(separator: "\n").contains(text), "\(output)") }
    }

    @Test("a purchase in two columns is verified by a batch that is told both")
    func columns() throws {
        let (code, output) = try run(
            "verify-receipt batch \(Self.flags) --column originalJson --signature-column signature 15-play-two-columns.csv"
        )
        #expect(code == 0)
        #expect(output.count == 1 && output[0].contains("\"verdict\":\"verified\""))
    }

    @Test("the table has every file of the folder")
    func isComplete() throws {
        let others: Set = ["README.md", "app-receipt-root.der", "root.der", "play-key.txt", "hostile"]
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(others)
        #expect(files == Set(Self.cases.map(\.file)))
    }

    @Test("a batch of whole files gives each purchase and each input without a receipt the same verdict")
    func batch() throws {
        let files = Self.cases.filter {
            !["15-play-two-columns.csv", "27-bytea.csv"].contains($0.file) && $0.verdicts.count == 1
        }
        let (_, output) = try run(
            "verify-receipt batch \(Self.flags) --whole-files \(files.map(\.file).joined(separator: " "))")
        #expect(output.count == files.count)
        for (line, item) in zip(output, files) {
            #expect(line.contains("\"verdict\":\"\(item.verdicts[0])\""), "\(item.file): \(line.prefix(300))")
        }
    }
}
