import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// The records of a batch: where the receipt is in them, empty ones, and one result for each.
@Suite("Records of batches")
struct BatchRecordTests {
    private func error(_ batch: BatchRunner, _ texts: String...) -> BatchError? {
        do {
            _ = try batch.run(texts)
            return nil
        } catch {
            return error as? BatchError
        }
    }

    // MARK: Marks

    @Test("a source that is only a byte order mark has no record")
    func onlyMark() throws {
        let run = try BatchRunner().run([try Fixture.jws(), "\u{FEFF}", "\u{FEFF}\n\u{FEFF}"])
        #expect(run.rows.map { $0["verdict"]?.text } == ["verified", "undecided"])
    }

    // MARK: Paths

    @Test(
        "a receipt is found by the path of its member",
        arguments: [
            ("order.receipt", #"{"order":{"receipt":$}}"#), ("items[].jws", #"{"items":[{"jws":$}]}"#),
            ("order.receipt", #"{"order.receipt":$,"order":{"receipt":"x"}}"#), ("a\\.b.c", #"{"a.b":{"c":$}}"#),
            ("[].x", #"[{"x":$}]"#), ("a[][]", #"{"a":[[$]]}"#), ("odd[", #"{"odd[":$}"#), ("a\\[\\]", #"{"a[]":$}"#),
            ("..", #"{"..":$}"#),
        ])
    func paths(path: String, line: String) throws {
        let text = line.replacing("$", with: "\"\(try Fixture.jws())\"")
        #expect(try BatchRunner(format: .json(field: path))(text).summary.verdicts == [.verified: 1])
    }

    @Test(
        "a text that is no path is only the name of a member", arguments: [".a", "a.", "a..b", "a[0]", "a[]b", "a\\"])
    func noPaths(path: String) {
        #expect(FieldPath(path).steps.isEmpty)
    }

    @Test("a name with its special characters escaped is a path of that name", arguments: ["a.b", "[]", "a\\b", "é"])
    func escapedNames(name: String) {
        #expect(FieldPath(FieldPath.escaped(name)).steps == [.member(name)])
    }

    @Test("each receipt at a path with elements has its number in the record")
    func elements() throws {
        let jws = try Fixture.jws()
        let text =
            "{\"i\":[{\"j\":\"\(jws)\"},{},{\"j\":null},{\"j\":\"bad\"},{\"j\":\"\(jws)\"}]}\n{\"i\":[{\"j\":\"\"}]}"
        let run = try BatchRunner(format: .json(field: "i[].j"))(text)
        #expect(run.rows.map { $0["item"]?.integer } == [1, 2, 3])
        #expect(run.rows.map { $0["verdict"]?.text } == ["verified", "undecided", "verified"])
        #expect(run.summary.empty == 1)
        let many = try BatchRunner(format: .json(field: "i[].j"), maximumReceipts: 2)(text)
        #expect(many.summary.codes == ["too-many-receipts": 1])
    }

    @Test(
        "an array without elements holds no receipt, and its name is right", arguments: ["i", "i[]", "i[].j", "i[][]"])
    func emptyArrays(path: String) throws {
        var batch = BatchRunner(format: .json(field: path))
        let line = #"{"i":[]}"# + "\n"
        #expect(try batch(line + line).summary.empty == 2)
        #expect(try batch(line + line).rows.isEmpty)
        batch.isEveryRecordAnswered = true
        let rows = try batch(line + #"{"i":[7]}"#).rows
        let isThere = ["i", "i[]"].contains(path)
        #expect(rows.map { $0["code"]?.text } == ["empty", isThere ? "format-unrecognized" : "receipt-missing"])
        #expect(rows[0]["verdict"]?.text == "undecided")
        batch.format = .csv(column: path)
        #expect(try batch("i\n[]\n").rows.map { $0["code"]?.text } == [path == "i" ? "format-unrecognized" : "empty"])
    }

    @Test("a receipt is found in the JSON of a column, and a column with the complete name takes precedence")
    func pathsInColumns() throws {
        let jws = try Fixture.jws()
        let batch = BatchRunner(format: .csv(column: "data.jws"))
        let text = "id,data\n1,\"{\"\"jws\"\":\"\"\(jws)\"\"}\"\n2,\n3,{}\n"
        let rows = try batch(text + "4,no JSON\n").rows
        #expect(rows.map { $0["verdict"]?.text } == ["verified", "undecided", "unverified"])
        #expect(rows.map { $0["code"]?.text } == [nil, "receipt-missing", "record-malformed"])
        #expect(rows[1]["expected"]?.text == "the member data.jws")
        #expect(try batch("data,data.jws\n{},\(jws)\n").summary.verdicts == [.verified: 1])
    }

    @Test("a quotation mark inside a field hides no row", arguments: [",", ";", "\t"])
    func strayQuotationMarks(delimiter: String) throws {
        let jws = try Fixture.jws()
        let rows = [
            ["receipt", "note"], [jws, "5\" pipe"], ["eyJ.forged.x", "ok"], [jws, "7\" pipe"],
            ["\"\(jws)\"", "\"a \"\"b\"\" \n c\""], [jws, "\"x\"y\"z"],
        ]
        let text = rows.map { $0.joined(separator: delimiter) }.joined(separator: "\n")
        let run = try BatchRunner(format: .csv(column: "receipt"))(text)
        #expect(
            run.rows.map { $0["verdict"]?.text } == ["verified", "unverified", "verified", "verified", "verified"])
    }

    @Test("rows that a quotation mark without a partner has joined are not verified")
    func joinedRows() throws {
        let jws = try Fixture.jws()
        for text in ["receipt,note\n\(jws),\"open\neyJ.forged.x,b\n", "receipt,note\n\(jws),\"a\neyJ.forged.x,\"b\n"] {
            let run = try BatchRunner(format: .csv(column: "receipt"))(text)
            #expect(run.rows.map { $0["verdict"]?.text } == ["unverified"])
            #expect(run.rows[0]["code"]?.text == "record-malformed")
            #expect(run.rows[0]["actual"]?.text == "2 lines in one row")
            #expect(run.summary.misquoted == 1 && run.summary.json["misquoted"] == .integer(1))
            #expect(run.summary.firstMisquoted == .init(source: "source 0", line: 2, lineCount: 2))
        }
    }

    // MARK: Empty records

    @Test("an empty cell, and a cell with a word for a missing value, is counted and has no result")
    func emptyCells() throws {
        let jws = try Fixture.jws()
        let text = "id,r\n1,\n2,NULL\n3,null\n4,\\N\n5,\"\"\n\n6\n7,\(jws)\n8,\"NULL\"\n9,None\n"
        let run = try BatchRunner(format: .csv(column: "r"))(text)
        #expect(run.rows.map { $0["record"]?.integer } == [7, 8, 10])
        #expect(run.rows.map { $0["code"]?.text } == ["receipt-missing", nil, "format-unrecognized"])
        #expect(run.rows[0]["verdict"]?.text == "undecided")
        #expect(run.rows[0]["expected"]?.text == "the column r")
        #expect(run.rows[0]["actual"]?.text == "a row of 1 cell")
        #expect(run.summary.empty == 7)
        #expect(run.summary.json["empty"]?.integer == 7)
        let json = "{\"r\":null}\n{\"r\":\"\"}\n\n{\"r\":\"\(jws)\"}\n{}\n"
        let fromJSON = try BatchRunner(format: .json(field: "r"))(json)
        #expect(fromJSON.rows.map { $0["record"]?.integer } == [4, 5])
        #expect(fromJSON.summary.codes == ["receipt-missing": 1])
        #expect(fromJSON.summary.empty == 3)
    }

    @Test("a summary with empty records is read from its JSON, and an impossible number is not")
    func emptyInSummary() throws {
        let summary = try BatchRunner()("\n\nx\n").summary
        #expect(summary.empty == 2)
        #expect(BatchSummary(json: summary.json) == summary)
        var damaged = summary.json
        damaged["empty"] = .integer(-1)
        #expect(BatchSummary(json: damaged) == nil)
    }

    @Test("each record has exactly one result if every record is to have one", arguments: [1, 3], [true, false])
    func everyRecord(jobs: Int, isImmediate: Bool) throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(jobs: jobs, isEveryRecordAnswered: true, isImmediate: isImmediate)
        let lines = "\n\(jws)\r\n \r\n[\"\(jws)\",\"\(jws)\"]\nbad\n{}\n\n"
        let codes = try batch(lines).rows.map { $0["code"]?.text ?? "verified" }
        #expect(
            codes == [
                "empty", "verified", "empty", "too-many-receipts", "format-unrecognized", "format-unrecognized",
                "empty",
            ])
        #expect(try batch(lines).rows.map { $0["record"]?.integer } == (1...7).map { $0 })
        #expect(try batch(lines).rows[0]["verdict"]?.text == "undecided")
        batch.format = .csv(column: "r")
        #expect(
            try batch("r,x\n,1\n\n\(jws)\nNULL,\n").rows.map { $0["code"]?.text } == ["empty", "empty", nil, "empty"])
        batch.format = .json(field: "r.s")
        let json = "{\"r\":{\"s\":null}}\n{}\n[]\n\n{\"r\":{\"s\":\"\(jws)\"}}"
        #expect(
            try batch(json).rows.map { $0["code"]?.text } == [
                "empty", "receipt-missing", "receipt-missing", "empty", nil,
            ])
        batch.format = .whole
        #expect(try batch(" \n").rows.map { $0["code"]?.text } == ["empty"])
        batch.format = .lines
        batch.policy.maximumSize = 1000
        let long = String(repeating: "x", count: 5000)
        #expect(try batch("\(long)\n\n").rows.map { $0["code"]?.text } == ["too-large", "empty"])
    }

    // MARK: Names

    @Test("a member that no record has ends the run before a result, with the names that are there")
    func wrongMember() throws {
        let jws = try Fixture.jws()
        let line = #"{"id":1,"order":{"receipt":"\#(jws)","a.b":[{"c":1}]},"e":{}}"# + "\n"
        let found = error(BatchRunner(format: .json(field: "reciept"), jobs: 2), line + line)
        #expect(found?.code == .noSuchField && found?.detail == "reciept")
        #expect(found?.names == ["id", "order.receipt", "order.a\\.b[].c"])
        #expect(found?.suggestion == "order.receipt")
        #expect(found?.message.contains("there are id, order.receipt") == true)
        let near = error(BatchRunner(format: .json(field: "order.reciept")), line)
        #expect(near?.suggestion == "order.receipt")
        let plain = error(BatchRunner(format: .json(field: "r")), "\(jws)\n")
        #expect(plain?.code == .noSuchField && plain?.names == [])
    }

    @Test("a path into a column that no cell has ends the run before a result, with the paths that are there")
    func wrongPathInColumn() throws {
        let cell = #""{""order"":{""jws"":""\#(try Fixture.jws())""}}""#
        let found = error(BatchRunner(format: .csv(column: "body.nonsense"), jobs: 2), "id,body\n1,\(cell)\n2,\n")
        #expect(found?.code == .noSuchField && found?.detail == "body.nonsense")
        #expect(found?.names == ["body.order.jws"])
        #expect(found?.suggestion == "body.order.jws" || found?.suggestion == nil)
        let right = try BatchRunner(format: .csv(column: "body.order.jws"))("id,body\n1,{}\n1,\(cell)\n")
        #expect(right.rows.map { $0["code"]?.text } == ["receipt-missing", nil])
        // Cells without JSON do not say whether the path is right.
        for rest in ["1,\n2,NULL", "1,no JSON", "1"] {
            #expect(error(BatchRunner(format: .csv(column: "body.receipt")), "id,body\n\(rest)\n") == nil, "\(rest)")
        }
        // A path does not enter JSON inside a JSON string.
        let inner = #""{""data"":""{\""receipt\"":\""x\""}""}""#
        let tooFar = error(BatchRunner(format: .csv(column: "body.data.receipt")), "id,body\n1,\(inner)\n")
        #expect(tooFar?.code == .noSuchField && tooFar?.names == ["body.data"])
    }

    @Test("a wrong name is found in the first thousand records only, and not where results are immediate")
    func limitsOfCheck() throws {
        let jws = try Fixture.jws()
        let late = String(repeating: "{\"a\":1}\n", count: 999)
        let last = "{\"r\":\"\(jws)\"}\n"
        var batch = BatchRunner(format: .json(field: "r"), jobs: 2)
        #expect(try batch(late + last).summary.total == 1000)
        #expect(try batch(late, last).summary.total == 1000)
        #expect(error(batch, late + "{}\n" + last)?.code == .noSuchField)
        batch.isImmediate = true
        #expect(try batch(late + "{}\n" + last).summary.total == 1001)
        #expect(try batch("\n\n").summary.total == 0)
    }

    @Test("a misspelled name is also compared with the last name of a path")
    func nearestPath() {
        let found = error(BatchRunner(format: .json(field: "reciept")), #"{"id":1,"order":{"receipt":"x","id":2}}"#)
        #expect(found?.suggestion == "order.receipt")
    }

    @Test("a row of tabs is an empty record with empty cells, also one that ends before the receipt's column")
    func rowsOfTabs() throws {
        var batch = BatchRunner(format: .csv(column: "r"), keeping: KeptInput(names: ["id"]))
        batch.isEveryRecordAnswered = true
        let rows = try batch("id\tx\tr\n\t\t\n\t\n\n").rows
        #expect(rows.map { $0["code"]?.text } == ["empty", "empty", "empty"])
        #expect(rows.map { $0["record"]?.integer } == [1, 2, 3])
        #expect(rows.map { $0["input"]?.description } == [#"{"id":""}"#, #"{"id":""}"#, "null"])
    }

    @Test("a row that begins with empty cells is read in its columns")
    func emptyFirstCells() throws {
        let text = "id\tr\tx\n1\tbad\t\n\t\(try Fixture.jws())\t\n"
        let run = try BatchRunner(format: .csv(column: "r"), keeping: KeptInput(names: ["id", "x"]))(text)
        #expect(run.summary.verdicts == [.verified: 1, .undecided: 1])
        #expect(run.rows.map { $0["input"]?.description } == [#"{"id":"1","x":""}"#, #"{"id":"","x":""}"#])
    }

    @Test("a name without a receipt ends the run if the receipts are in another place, and only then")
    func receiptsElsewhere() throws {
        let jws = try Fixture.jws()
        let found = error(BatchRunner(format: .csv(column: "id")), "id,receipt,x\n1,\(jws),\n2,\(jws),\n")
        #expect(found?.code == .receiptElsewhere && found?.suggestion == "receipt")
        let inJSON = error(BatchRunner(format: .json(field: "id")), #"{"id":1,"o":{"j":"\#(jws)"}}"#)
        #expect(inJSON?.code == .receiptElsewhere && inJSON?.suggestion == "o.j")
        // An empty or a damaged value, or one that is no receipt among no receipts, is a result.
        let csv = BatchRunner(format: .csv(column: "id"))
        #expect(try csv("id,receipt\n,\(jws)\n").summary.empty == 1)
        #expect(try csv("id,receipt\n\(jws.dropLast(9)),\(jws)\n").summary.total == 1)
        #expect(try csv("id,receipt\n1,2\n").summary.codes == ["format-unrecognized": 1])
    }

    @Test("a name of several columns ends the run: which one is meant is not known")
    func repeatedColumns() throws {
        let jws = try Fixture.jws()
        let text = "id,receipt,receipt\n1,\(jws),\n"
        let found = error(BatchRunner(format: .csv(column: "receipt")), text)
        #expect(found?.code == .repeatedColumn && found?.detail == "receipt")
        #expect(error(BatchRunner(format: .csv(column: "receipt.jws")), text)?.code == .repeatedColumn)
        let table = "id,id,receipt\n1,2,\(jws)\n"
        let kept = error(BatchRunner(format: .csv(column: "receipt"), keeping: KeptInput(names: ["id"])), table)
        #expect(kept?.code == .repeatedColumn && kept?.detail == "id")
        #expect(try BatchRunner(format: .csv(column: "receipt"))(table).summary.verdicts == [.verified: 1])
    }

    @Test("a column that is not in the header line ends the run with the names that are there")
    func wrongColumn() {
        let found = error(BatchRunner(format: .csv(column: "reciept")), "\u{feff}id;receipt;note, long\n")
        #expect(found?.code == .noSuchColumn)
        #expect(found?.names == ["id", "receipt", "note, long"])
        #expect(found?.suggestion == "receipt")
        let kept = error(BatchRunner(format: .csv(column: "r"), keeping: KeptInput(names: ["di"])), "id,r\n1,x\n")
        #expect(kept?.code == .noSuchColumn && kept?.suggestion == "id")
    }

    // MARK: Dialects

    @Test(
        "the header line tells what separates the columns",
        arguments: [
            "r", "r,id", "id;r", "id\tr", "a;b,c;r", "\"a;r;b\",r", "id;\"r\"", "r\t", "\u{feff}id;r",
            "\u{feff}\"r\";id",
        ])
    func dialects(header: String) throws {
        let delimiter = header.contains("\t") ? "\t" : header.contains("r,") || header.contains(",r") ? "," : ";"
        let names = [UInt8](header.replacing("\u{feff}", with: "").utf8).withRawSpan {
            CSV.fields(of: $0, delimiter: [UInt8](delimiter.utf8)[0])
        }
        let jws = try Fixture.jws()
        let row = names.map { String(decoding: $0, as: UTF8.self) == "r" ? jws : "\"x\n\(delimiter)\"" }
        let text = "\(header)\r\n\(row.joined(separator: delimiter))\r\n"
        #expect(try BatchRunner(format: .csv(column: "r"))(text).summary.verdicts == [.verified: 1])
    }

    @Test("a byte order mark before JSON lines is ignored, in pieces of any size", arguments: [1, 2, 5000])
    func byteOrderMark(pieceSize: Int) throws {
        let text = "\u{feff}{\"r\":\"\(try Fixture.jws())\"}\n"
        let batch = BatchRunner(format: .json(field: "r"), isImmediate: pieceSize == 2, pieceSize: pieceSize)
        let run = try batch(text)
        #expect(run.summary.verdicts == [.verified: 1])
        #expect(try batch(text, from: run.positions[0].position).summary.total == 0)
        let whole = BatchRunner(format: .whole, pieceSize: pieceSize * 500)
        let files = ["\u{feff}\(try Fixture.jws())", try Fixture.jws(2)]
        let first = try whole.run(files)
        #expect(first.summary.verdicts == [.verified: 2])
        let rest = try whole.run(files, from: first.positions[0].position)
        #expect(rest.bytes == [UInt8](first.bytes.dropFirst(first.positions[0].byteCount)))
    }

    @Test("a header line with an open quotation mark does not hide the records")
    func openQuotationMark() throws {
        let run = try BatchRunner(format: .csv(column: "r"))("id,r,5\" size\n1,\(try Fixture.jws()),2\n")
        #expect(run.summary.verdicts == [.verified: 1])
    }
}
