import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Records with odd values and damaged records: nothing hides a receipt beside it, and nothing passes for empty.
@Suite("Odd and damaged records of batches")
struct BatchDamageTests {
    private func error(_ batch: BatchRunner, _ texts: String...) -> BatchError? {
        do {
            _ = try batch.run(texts)
            return nil
        } catch {
            return error as? BatchError
        }
    }

    // MARK: JSON

    /// Values of JSON that the parser for receipts does not accept.
    private static let oddValues = [
        "9223372036854775808", "-123456789012345678901234567890", "1e400", "-1.5E+4000",
        "0.\(String(repeating: "1", count: 400))", #""\u0000""#, #""a\ud800""#, #""\udc00\ud83d\ude00""#,
        #"{"a":1,"a":2}"#, #"{"\u0000":1e999,"b\"":["\\u0000"]}"#,
    ]

    @Test("a receipt is verified beside any other JSON, which is kept as it was written", arguments: oddValues)
    func oddNeighbours(value: String) throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(format: .json(field: "order.receipt"), keeping: KeptInput(names: ["key", "order.id"]))
        let line = #"{"key":\#(value),"order":{"id":\#(value),"receipt":"\#(jws)"}}"#
        let run = try batch(line)
        #expect(run.summary.verdicts == [.verified: 1])
        #expect(run.text.contains(#""input":{"key":\#(value),"order.id":\#(value)},"#), "\(run.text)")
        batch.keeping = .all
        #expect(try batch(line).text.contains(#""input":{"key":\#(value),"order":{"id":\#(value)}},"#))
        // Without a named place, a repeated name could hide a receipt.
        batch.format = .lines
        let isRepeated = value.contains(#""a":1,"a""#)
        #expect(try batch(line).summary.verdicts == [isRepeated ? .undecided : .verified: 1])
        batch.format = .csv(column: "c.order.receipt")
        let cell = line.replacing("\"", with: "\"\"")
        #expect(try batch("c\n\"\(cell)\"\n").summary.verdicts == [.verified: 1])
    }

    @Test(
        "text that is almost JSON is not read",
        arguments: [
            #"{"r":"$","a":1e}"#, #"{"r":"$","a":01}"#, #"{"r":"$","a":-}"#, #"{"r":"$","a":1e400"#,
            #"{"r":"$","a":.5}"#, #"{"r":"$","a":"\u00g0"}"#, #"{"r":"$","a":1e400 2}"#, #"{"r":"$","a":+1e400}"#,
            #"{"r":"$","a":"\ud80"}"#, #"{"r":"$","r\ud800}"#, #"{"r":"$","a":1.e400}"#,
            #"{"r":"$"} 9223372036854775808"#, "{\"r\":\"$\u{0}\"}", "$",
        ])
    func almostJSON(line: String) throws {
        let text = line.replacing("$", with: try Fixture.jws())
        let run = try BatchRunner(format: .json(field: "r"), keeping: .all)(text + "\n{\"r\":null}")
        #expect(run.rows.map { $0["code"]?.text } == ["record-malformed"])
        #expect(run.rows[0]["verdict"]?.text == "unverified")
        #expect(run.rows[0]["actual"]?.text?.contains("near byte") == true)
        #expect(run.rows[0]["input"] == .null)
    }

    @Test("repeated names beside a receipt do not exchange long values, and the last one is kept")
    func repeatedNames() throws {
        let (first, second) = (try Fixture.jws(1), try Fixture.jws(2))
        let line = #"{"a":1,"r":"\#(first)","a":"\#(second)"}"#
        let run = try BatchRunner(format: .json(field: "r"), keeping: KeptInput(names: ["a"]))(line)
        #expect(run.rows.map { $0["transactionId"]?.text } == ["2000000000000001"])
        #expect(run.rows[0]["input"]?.object?["a"]?.text == second)
        let document = try [UInt8](line.utf8).withRawSpan { span in
            try JSONDocument.readSurroundings(span, maximumDepth: 2, allowsDuplicates: true)
        }
        #expect(document.root.object["r"]?.text == first && document.root.object["a"]?.text == second)
    }

    @Test(
        "a record in which the receipt's name is repeated is not read: which one is meant is not known",
        arguments: [
            ("r", #"{"r":"$","r":"$"}"#), ("r", #"{"r":null,"\u0072":"$"}"#), ("o.r", #"{"o":{"r":"$"},"o":{}}"#),
            ("i[].r", #"{"i":[{"r":"$"},{"r":"$","r":"$"}]}"#), ("i[].r", #"{"i":[{"r":"$","r":1},{"r":"$"}]}"#),
            ("o.r", #"{"o.r":"$","o.r":"$","o":{"r":"$"}}"#),
        ])
    func repeatedReceipts(path: String, line: String) throws {
        let text = line.replacing("$", with: try Fixture.jws())
        let run = try BatchRunner(format: .json(field: path))(text)
        #expect(run.rows.map { $0["code"]?.text } == ["record-malformed"])
        #expect(run.rows[0]["expected"]?.text == "the member \(path) once")
    }

    @Test("an object at the place of the receipt is searched as strictly as before")
    func repeatedNamesInside() throws {
        let jws = try Fixture.jws()
        let batch = BatchRunner(format: .json(field: "n"))
        let first = #"{"x":1e400,"n":{"a":"\#(jws)"}}"# + "\n"
        let repeated = try batch(first + #"{"n":{"a":"\#(jws)","a":"\#(jws)"}}"#).summary
        #expect(repeated.verdicts == [.verified: 1, .undecided: 1])
        #expect(repeated.codes == ["format-unrecognized": 1])
        for escape in [#"\u0000"#, #"\ud800"#] {
            let run = try batch(first + #"{"n":"\#(jws)\#(escape)"}"#)
            #expect(run.summary.verdicts == [.verified: 1, .unverified: 1])
        }
    }

    // MARK: CSV

    @Test(
        "rows that a quotation mark swallows up to the end are counted, with the place of the first one",
        arguments: [1, 3], [1, 5000])
    func unclosedQuotationMark(jobs: Int, pieceSize: Int) throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(format: .csv(column: "r"), jobs: jobs)
        batch.pieceSize = pieceSize
        let run = try batch("k,r\n1,\(jws)\n2,\"\(jws)\n3,\(jws)\n4,\(jws)\n")
        #expect(run.rows.map { $0["code"]?.text } == [nil, "record-malformed"])
        #expect(run.rows[1]["actual"]?.text == "3 lines in one row")
        #expect(run.summary.firstMisquoted == .init(source: "source 0", line: 3, lineCount: 3))
        #expect(BatchSummary(json: run.summary.json)?.misquoted == 1)
        // A limit does not hide them either.
        batch.policy.maximumSize = 500
        let long = try batch("k,r\n1,\"\(jws)\n3,\(jws)\n4,\(jws)\n")
        #expect(long.rows.map { $0["code"]?.text } == ["too-large"])
        #expect(long.rows[0]["actual"]?.text?.hasSuffix("in 3 lines") == true)
        #expect(long.summary.firstMisquoted?.lineCount == 3)
    }

    @Test(
        "a quotation mark that is not closed in the last row joins nothing, and is counted",
        arguments: ["", "\n", "\r\n\n"])
    func unclosedLastRow(end: String) throws {
        let run = try BatchRunner(format: .csv(column: "r"))("k,r\n1,\"\(try Fixture.jws())\(end)")
        #expect(run.summary.verdicts == [.verified: 1])
        #expect(run.summary.firstMisquoted == .init(source: "source 0", line: 2, lineCount: 1))
    }

    @Test("quotation marks in their places are not counted, neither in JSON")
    func closedQuotationMarks() throws {
        let jws = try Fixture.jws()
        let text = "r,n\n\"\(jws)\",\"a \"\"b\"\"\n c\"\n\(jws),5\" pipe\n\"\(jws)\",\"x\"\n"
        #expect(try BatchRunner(format: .csv(column: "r"))(text).summary.misquoted == 0)
        #expect(try BatchRunner()("\"\n\(jws)\n").summary.misquoted == 0)
    }

    // MARK: Other formats

    @Test("lines that are CSV with receipts in a column end the run before a result, with the names of the columns")
    func linesOfCSV() throws {
        let jws = try Fixture.jws()
        for delimiter in [",", ";", "\t"] {
            let table = ["key,note,receipt", "1,x,\(jws)", "2,\"a", "b\",\(jws)", "3,,\(jws)"]
            let rows = table.map { $0.replacing(",", with: delimiter) }
            let text = rows.joined(separator: "\r\n")
            let found = error(BatchRunner(), text)
            #expect(found?.code == .linesOfCSV && found?.suggestion == "receipt")
            #expect(found?.names == ["key", "note", "receipt"])
            #expect(found?.message.contains("looks like CSV with the columns key, note, receipt") == true)
            // A receipt among the first lines shows that lines are meant; results that are immediate are not delayed.
            #expect(try BatchRunner()(text, jws).summary.total == 6)
            #expect(try BatchRunner(isImmediate: true)(text).summary.total == 5)
        }
        for text in ["a,b\n1,2\n", "x,\(jws)\ny,\(jws)\n", "no table\n\n"] {
            #expect(try BatchRunner()(text).summary.verified == 0)
        }
    }

    @Test("UTF-16 ends the run with its name, in each format", arguments: [true, false], [true, false])
    func foreignEncoding(isLittle: Bool, hasMark: Bool) throws {
        let text = (hasMark ? "\u{feff}" : "") + "key,receipt\n1,\(try Fixture.jws())\n"
        let bytes = text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
            return isLittle ? [low, high] : [high, low]
        }
        for format in [BatchFormat.lines, .json(field: "receipt"), .csv(column: "receipt")] {
            let batch = BatchVerifier(verifier: try Fixture.verifier())
            let found = #expect(throws: BatchError.self) {
                try batch.run([BatchSource(name: "a", format: format, bytes: bytes)]) { _, _ in }
            }
            #expect(found?.code == .encodingUnsupported)
            #expect(found?.detail == (hasMark ? "UTF-16" : isLittle ? "UTF-16LE" : "UTF-16BE"))
        }
    }

    @Test(
        "compressed data end the run with their name, in each format",
        arguments: [
            ("gzip data", [0x1F, 0x8B, 8, 0]), ("a zip archive", [0x50, 0x4B, 3, 4]),
            ("bzip2 data", [UInt8]("BZh91AY&".utf8)),
        ])
    func compressedData(name: String, beginning: [UInt8]) throws {
        for format in [BatchFormat.lines, .json(field: "receipt"), .csv(column: "receipt")] {
            let batch = BatchVerifier(verifier: try Fixture.verifier())
            let found = #expect(throws: BatchError.self) {
                try batch.run([BatchSource(name: "a", format: format, bytes: beginning + [1, 0x0A, 7])]) { _, _ in }
            }
            #expect(found?.code == .encodingUnsupported)
            #expect(found?.detail == name)
        }
    }

    @Test("one damaged line in another encoding does not end a run over receipts")
    func foreignLine() throws {
        let mixed = BatchSource(name: "a", bytes: [0xff, 0xfe, 0x0a] + [UInt8]((try Fixture.jws()).utf8))
        let summary = try BatchVerifier(verifier: try Fixture.verifier()).run([mixed]) { _, _ in }
        #expect(summary.verdicts == [.verified: 1, .undecided: 1])
    }

    @Test("lines that were read before a source fails have results", arguments: [1, 2])
    func failingSource(jobs: Int) throws {
        struct Failure: Error {}
        let failing = BatchSource(name: "b", appending: { _ in throw Failure() })
        let batch = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs)
        var count = 0
        #expect(throws: Failure.self) {
            try batch.run([BatchSource(name: "a", bytes: [UInt8]("x\ny\n".utf8)), failing]) { _, progress in
                count = progress.summary.total
            }
        }
        #expect(count == 2)
    }
}

extension BatchSummary {
    fileprivate var verified: Int { verdicts[.verified] ?? 0 }
}
