import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Batch")
struct BatchVerifierTests {
    private func run(
        _ sources: [BatchSource],
        output: BatchOutputFormat = .jsonLines,
        jobs: Int = 1,
        policy: VerificationPolicy = .init()
    ) throws -> (text: String, summary: BatchSummary) {
        var text: [UInt8] = []
        let batch = BatchVerifier(verifier: try Fixture.verifier(policy: policy), output: output, jobs: jobs)
        let summary = try batch.run(sources) { lines, _ in text += lines }
        return (String(decoding: text, as: UTF8.self), summary)
    }

    private func rows(_ text: String) -> [JSONObject] {
        text.split(separator: "\n").compactMap { (try? JSONDocument.value(of: [UInt8]($0.utf8)))?.object }
    }

    /// Returns lines with receipts, of which two in seven are damaged or no receipt.
    private func mixedLines(_ count: Int) throws -> String {
        try (1...count).map { number in
            let jws = try Fixture.jws(number)
            return switch number % 7 {
            case 3: String(jws.dropLast(3)) + (number % 2 == 0 ? "AAA" : "BBB")
            case 5: "no receipt, \(number)"
            default: jws
            }
        }.joined(separator: "\n")
    }

    @Test("[CARD-6] results are in the order of the input, with line numbers, also after a line that is not a receipt")
    func resultsAreInOrder() throws {
        let text = try mixedLines(70) + "\n\n" + Fixture.jws(71) + "\r\n"
        let (output, summary) = try run([BatchSource(name: "a", bytes: [UInt8](text.utf8))])
        let rows = rows(output)
        #expect(rows.count == 71)
        #expect(rows.compactMap { $0["line"]?.integer } == Array(1...70) + [72])
        #expect(summary.total == 71)
        #expect(summary.verdicts[.verified] == rows.filter { $0["verdict"]?.text == "verified" }.count)
        for row in rows where row["verdict"]?.text == "unverified" {
            #expect(row["code"]?.text != nil)
            #expect(row["productId"] == .null && row["signedDate"] == .null)
        }
        #expect(rows[0]["signedDate"]?.text == "2025-10-09T08:53:20Z")
        #expect(rows[0]["transactionId"]?.text == "2000000000000001")
    }

    @Test("[CARD-6] several threads and small pieces have the same results as one thread")
    func resultsAreIndependentOfThreads() throws {
        let bytes = [UInt8](try mixedLines(400).utf8)
        let alone = try run([BatchSource(name: "a", bytes: bytes)]).text
        let pieces = BatchSource(
            name: "a",
            pieces: stride(from: 0, to: bytes.count, by: 7001).map { start in
                [UInt8](bytes[start..<min(start + 7001, bytes.count)])
            })
        #expect(try run([pieces], jobs: 4).text == alone)
        let verifier = try Fixture.verifier()
        let single = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            verifier.verify(ReceiptInput.detect([UInt8]($0.utf8))[0]).verdict.rawValue
        }
        #expect(rows(alone).compactMap { $0["verdict"]?.text } == single)
    }

    @Test("[CARD-6] receipts are read from a JSON member, and from a CSV column beside quoted line breaks")
    func fieldsAndColumns() throws {
        let jws = try Fixture.jws()
        let json = "{\"id\":1,\"receipt\":\"\(jws)\"}\n{\"id\":2}\nnot json\n"
        let fromJSON = try run([
            BatchSource(name: "j", format: .json(field: "receipt"), bytes: [UInt8](json.utf8))
        ])
        #expect(rows(fromJSON.text).map { $0["verdict"]?.text } == ["verified", "undecided", "unverified"])

        let csv = "id,receipt,note\r\n1,\"\(jws)\",\"two\nlines, \"\"quoted\"\"\"\r\n2,\(jws),x\r\n3,,\r\n"
        let fromCSV = try run([BatchSource(name: "c", format: .csv(column: "receipt"), bytes: [UInt8](csv.utf8))])
        #expect(rows(fromCSV.text).map { $0["verdict"]?.text } == ["verified", "verified"])
        #expect(rows(fromCSV.text).map { $0["line"]?.integer } == [2, 4])
        #expect(throws: BatchError.self) {
            try run([BatchSource(name: "c", format: .csv(column: "other"), bytes: [UInt8](csv.utf8))])
        }
    }

    @Test("[CARD-6] an oversized line has the result too-large, and the next line is verified")
    func hugeLinesAreSkipped() throws {
        let jws = [UInt8](try Fixture.jws().utf8)
        // A line of 64 MB, and a line with a receipt.
        let piece = [UInt8](repeating: UInt8(ascii: "e"), count: 1_000_000)
        let source = BatchSource(name: "big", pieces: Array(repeating: piece, count: 64) + [[0x0A] + jws])
        let (text, _) = try run([source])
        #expect(rows(text).map { $0["code"]?.text ?? "none" } == ["too-large", "none"])
        #expect(rows(text).map { $0["line"]?.integer } == [1, 2])
    }

    @Test(
        "a long record full of quotation marks has the same result in pieces of five bytes", arguments: [true, false])
    func tinyPieces(isCSV: Bool) throws {
        let jws = try Fixture.jws()
        // A record of CSV, but thousands of lines, each with a result.
        let long = String(repeating: "\"\",\"\n\"", count: isCSV ? 60_000 : 3_000)
        let first = isCSV ? "receipt,note" : jws
        let text = [UInt8]("\(first)\n\(jws),\(long)\n\(jws),x\n".utf8)
        let pieces = stride(from: 0, to: text.count, by: 5).map { [UInt8](text[$0..<min($0 + 5, text.count)]) }
        let format: BatchFormat = isCSV ? .csv(column: "receipt") : .lines
        var atOnce: [UInt8] = []
        var inPieces: [UInt8] = []
        let verifier = try Fixture.verifier()
        _ = try BatchVerifier(verifier: verifier).run([BatchSource(name: "a", format: format, bytes: text)]) {
            lines, _ in
            atOnce += lines
        }
        _ = try BatchVerifier(verifier: verifier, jobs: 2, isImmediate: true)
            .run([BatchSource(name: "a", format: format, pieces: pieces)]) { lines, _ in inPieces += lines }
        #expect(atOnce == inPieces)
        if isCSV {
            #expect(
                rows(String(decoding: atOnce, as: UTF8.self)).map { $0["verdict"]?.text } == ["verified", "verified"])
        }
    }

    @Test(
        "each line of any length has one result when lines fill several blocks",
        arguments: [977, 5319, 131_071, 1_048_000])
    func blocksOfManyLengths(length: Int) throws {
        // No digit of base64, so that no time is spent on decoding the lines.
        let line = [UInt8](repeating: UInt8(ascii: "~"), count: length - 1) + [0x0A]
        // Enough for several blocks.
        let count = 3_200_000 / length
        let pieces = Array(repeating: line, count: count)
        for jobs in [1, 2] {
            let batch = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs)
            let summary = try batch.run([BatchSource(name: "a", pieces: pieces)]) { _, _ in }
            #expect(summary.total == count)
            #expect(summary.codes == ["format-unrecognized": count])
        }
    }

    @Test("[CARD-6] each line of CSV results has all columns")
    func csvResults() throws {
        let text = try mixedLines(20)
        let (output, _) = try run([BatchSource(name: "=a,b", bytes: [UInt8](text.utf8))], output: .csv)
        let records = output.split(separator: "\r\n")
        #expect(records.count == 21)
        for record in records {
            #expect([UInt8](record.utf8).withRawSpan { CSV.fields(of: $0) }.count == ResultFields.commonNames.count)
        }
        #expect(records[1].hasPrefix("\"'=a,b\",1,1,1,verified,"))
    }
}

extension BatchSource {
    /// Creates a source whose bytes arrive in the given pieces.
    fileprivate init(name: String, format: BatchFormat = .lines, pieces: [[UInt8]]) {
        let rest = Locked(pieces[...])
        self.init(name: name, format: format) { rest.withLock { $0.popFirst() } }
    }
}
