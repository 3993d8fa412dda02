import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Results that join to the caller's rows: numbers of records and receipts, and kept columns and members.
@Suite("Joining results of batches")
struct BatchJoinTests {
    /// A table in which the key of each row ends with the number of the row.
    private struct Table {
        var text: String
        /// The key of each row.
        var keys: [String]
        static let distinct = 23

        init(_ count: Int, delimiter: Character, lineBreak: String, seed: UInt64) throws {
            var generator = SplitMix64(seed: seed)
            let receipts = try (0..<Self.distinct).map { try Fixture.jws($0) }
            let parts = ["a", "Ü", "\"", "\r\n", "\n", ",", ";", "\t", "=", "-", "'", " ", "\u{202e}", "😀", "NULL"]
            keys = (1...count).map { number in
                let length = Int.random(in: 0...5, using: &generator)
                return (0..<length).map { _ in parts.randomElement(using: &generator) ?? "" }.joined() + "#\(number)"
            }
            func quoted(_ cell: String) -> String { "\"" + cell.replacing("\"", with: "\"\"") + "\"" }
            text = ["note", "key", "receipt"].joined(separator: "\(delimiter)") + lineBreak
            for (index, key) in keys.enumerated() {
                let receipt = receipts[(index + 1) % Self.distinct]
                let note = Bool.random(using: &generator) ? "" : quoted(key + key)
                let isPlain = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "#" }
                let cells = [
                    note, isPlain ? key : quoted(key),
                    Bool.random(using: &generator) ? receipt : quoted(receipt),
                ]
                text += cells.joined(separator: "\(delimiter)") + lineBreak
            }
        }

        func transaction(ofRow number: Int) -> String {
            String(2_000_000_000_000_000 + number % Self.distinct)
        }
    }

    @Test(
        "each result has the key and the number of its own row, in any dialect, with any number of jobs",
        arguments: [",", ";", "\t"], [1, 2, 3])
    func joins(delimiter: String, jobs: Int) throws {
        let lineBreak = jobs == 2 ? "\n" : "\r\n"
        let table = try Table(150, delimiter: Character(delimiter), lineBreak: lineBreak, seed: UInt64(jobs))
        var batch = BatchRunner(format: .csv(column: "receipt"), jobs: jobs, keeping: KeptInput(names: ["key"]))
        batch.pieceSize = 70_001
        let rows = try batch(table.text).rows
        #expect(rows.count == 150)
        for (index, row) in rows.enumerated() {
            #expect(row["record"]?.integer == Int64(index + 1))
            #expect(row["item"]?.integer == 1)
            #expect(row["input"]?.object == ["key": .string(table.keys[index])])
            #expect(row["transactionId"]?.text == table.transaction(ofRow: index + 1))
        }
        batch.output = .csv
        let run = try batch(table.text)
        #expect(run.header.prefix(5) == ["key", "source", "line", "record", "item"])
        #expect(run.cells.count == 150)
        for (index, cells) in run.cells.enumerated() {
            let key = table.keys[index]
            #expect(cells[0] == CSVOutputTests.defused(key))
            #expect(cells[3] == "\(index + 1)")
            #expect(cells[10] == table.transaction(ofRow: index + 1))
        }
    }

    @Test("a run that continues anywhere writes the remaining results with their keys and numbers", arguments: [1, 3])
    func resumes(jobs: Int) throws {
        let tables = try [5, 6].map { try Table(12, delimiter: ";", lineBreak: "\r\n", seed: $0).text }
        for output in BatchOutputFormat.allCases {
            var batch = BatchRunner(format: .csv(column: "receipt"), output: output, jobs: jobs, keeping: .all)
            batch.isImmediate = true
            batch.pieceSize = 4001
            let complete = try batch.run(tables)
            #expect(complete.positions.count > 10)
            for point in complete.positions {
                let rest = try batch.run(tables, from: point.position)
                #expect(rest.bytes == [UInt8](complete.bytes.dropFirst(point.byteCount)))
            }
        }
    }

    // MARK: JSON

    @Test("JSON members are kept as they were written: digits, escapes, order and nesting")
    func exactMembers() throws {
        let jws = try Fixture.jws()
        let line = """
            { "id" : 9007199254740993, "price":1.10,"e":1E+3, "s":"a\\u0062\\"\\/" , "o":{"x":[1, 2.50, null]}, \
            "r":"\(jws)", "t":true,"bidi":"\u{202e}" }
            """
        let all = try BatchRunner(format: .json(field: "r"), keeping: .all)(line).text
        let kept = #"{"id":9007199254740993,"price":1.10,"e":1E+3,"s":"a\u0062\"\/","o":{"x":[1,2.50,null]},"t":true,"#
        #expect(all.contains(",\"item\":1,\"input\":" + kept + #""bidi":"\u202e"},"verdict":"verified""#), "\(all)")
        let searched = try BatchRunner(keeping: .all)(line).text
        #expect(searched.contains(kept))
        #expect(!searched.contains(jws))
        let cursor = #"{"cursor":"eyJvZmZzZXQiOjEwfQ==","r":"\#(jws)","cut":"eyJhbGciOiJFUzI1NiJ9.eyJh"}"#
        let row = try BatchRunner(keeping: .all)(cursor).rows.first
        #expect(row?["input"]?.description == #"{"cursor":"eyJvZmZzZXQiOjEwfQ=="}"#)
        let named = KeptInput(isAll: true, names: ["r"])
        #expect(try BatchRunner(format: .json(field: "r"), keeping: named)(line).text.contains(",\"r\":\"\(jws)\","))
    }

    @Test("a name that a record does not have is null or an empty cell, and an escaped or nested name is found")
    func missingMembers() throws {
        let jws = try Fixture.jws()
        let lines = """
            {"r":"\(jws)","id":1,"order":{"id":"x,y"}}
            {"r":"\(jws)","\\u0069d":[true],"order.id":-5,"order":{"id":7}}
            {"r":"\(jws)","order":"id"}
            not JSON
            """
        var batch = BatchRunner(format: .json(field: "r"), keeping: KeptInput(names: ["id", "order.id", "id"]))
        #expect(
            try batch(lines).rows.map { $0["input"]?.description ?? "" } == [
                #"{"id":1,"order.id":"x,y"}"#, #"{"id":[true],"order.id":-5}"#, #"{"id":null,"order.id":null}"#, "null",
            ])
        batch.output = .csv
        let run = try batch(lines)
        #expect(run.header.prefix(3) == ["id", "order.id", "source"])
        #expect(run.cells.map { [String]($0.prefix(2)) } == [["1", "x,y"], ["[true]", "'-5"], ["", ""], ["", ""]])
    }

    @Test("everything but the receipt is kept of a record in which the receipt is nested")
    func nestedReceipts() throws {
        let jws = try Fixture.jws()
        let line = #"{"a":1,"items":[{"jws":"\#(jws)","sku":"x"},{"sku":"y"},{"jws":"\#(jws)"},7],"b":{}}"#
        let run = try BatchRunner(format: .json(field: "items[].jws"), keeping: .all)(line)
        #expect(run.rows.map { $0["item"]?.integer } == [1, 2])
        for row in run.rows {
            #expect(row["input"]?.description == #"{"a":1,"items":[{"sku":"x"},{"sku":"y"},{},7],"b":{}}"#)
        }
    }

    @Test("a copy of any member has the value that the parser reads")
    func copiesOfRandomJSON() throws {
        var generator = SplitMix64(seed: 3)
        let space = ["", " ", "\t", " \r "]
        func blank() -> String { space.randomElement(using: &generator) ?? "" }
        let strings = ["\"\"", #""\\""#, #""\"}]""#, #""\\\"{,""#, "\"é\u{2028}\"", #""\ud83d\ude00""#, "\"[:]\""]
        func value(_ depth: Int) -> String {
            let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in depth }
            switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
            case 0: return ["0", "-1.50", "1e-7", "12345678901234567"].randomElement(using: &generator) ?? ""
            case 1: return ["true", "false", "null"].randomElement(using: &generator) ?? ""
            case 2, 3: return strings.randomElement(using: &generator) ?? ""
            case 4: return "[" + items.map { blank() + value($0 - 1) + blank() }.joined(separator: ",") + "]"
            default:
                let members = items.enumerated().map { "\(blank())\"m\($0)\"\(blank()):\(blank())\(value($1 - 1))" }
                return "{" + members.joined(separator: ",") + blank() + "}"
            }
        }
        for _ in 0..<1000 {
            let members = (0..<4).map { "\(blank())\"k\($0)\"\(blank()):\(blank())\(value(4))\(blank())" }
            let text = [UInt8](("{" + members.joined(separator: ",") + "}").utf8)
            let expected = try #require(try JSONDocument.value(of: text).object)
            for names in [["k3"], ["k2", "k0", "none"]] {
                var copy: [UInt8] = []
                var found = KeptNames(KeptInput(names: names))
                text.withRawSpan {
                    RecordCopier(KeptInput(names: names), .jsonLines)
                        .append(json: $0, without: nil, names: &found, to: &copy)
                }
                #expect(found.absent.map(\.name) == names.filter { expected[$0] == nil })
                let copied = try JSONDocument.value(of: [UInt8(ascii: "{")] + copy.dropFirst() + [UInt8(ascii: "}")])
                for name in names { #expect(copied.object?["input"]?.object?[name] == expected[name] ?? .null) }
            }
        }
    }

    @Test("a name that no record has is reported at the end with the name that may be meant", arguments: [1, 3])
    func absentNames(jobs: Int) throws {
        let jws = try Fixture.jws()
        let line = #"{"id":1,"order":{"number":2,"receipt":"\#(jws)"}}"# + "\n"
        var batch = BatchRunner(format: .json(field: "order.receipt"), jobs: jobs)
        batch.keeping = KeptInput(names: ["di", "id", "order.numbre", "zzz"])
        let run = try batch(line + line, line)
        #expect(run.summary.absentNames.map(\.name) == ["di", "order.numbre", "zzz"])
        #expect(run.summary.absentNames.map(\.suggestion) == ["id", "order.number", nil])
        #expect(try batch(line, line + #"{"di":null,"order":{"numbre":3}}"#).summary.absentNames.map(\.name) == ["zzz"])
        // A run that continues does not know what was found before.
        #expect(try batch(line + line, line, from: run.positions[0].position).summary.absentNames.isEmpty)
        #expect(try batch("").summary.absentNames.isEmpty)
        batch.format = .lines
        #expect(try batch(line, jws).summary.absentNames.map(\.suggestion) == ["id", "order.number", nil])
        batch.keeping = KeptInput(isAll: true, names: ["zzz"])
        #expect(try batch(line).summary.absentNames.isEmpty)
    }

    // MARK: Columns

    @Test("everything but the receipt's column is kept, repeated names are numbered, and taken names get a prefix")
    func allColumns() throws {
        let jws = try Fixture.jws()
        let text = "id,receipt,id,verdict,\"two\nlines\"\n1,\(jws),2,mine\n"
        var batch = BatchRunner(format: .csv(column: "receipt"), keeping: .all)
        let row = try #require(try batch(text).rows.first)
        #expect(row["input"]?.description == #"{"id":"1","id_2":"2","verdict":"mine","two\nlines":null}"#)
        #expect(row["line"]?.integer == 3 && row["record"]?.integer == 1)
        batch.output = .csv
        let run = try batch(text)
        #expect(run.header.prefix(5) == ["id", "id_2", "input.verdict", "two\nlines", "source"])
        #expect(run.cells.map { [String]($0.prefix(4)) } == [["1", "2", "mine", ""]])
        batch.keeping = KeptInput(isAll: true, names: ["receipt"])
        #expect(try batch(text).cells.first?[1] == jws)
        batch.keeping = .all
        batch.contents = ResultContents(fields: try ResultFields(["verdict"]))
        let prefixed = try batch("input.verdict,receipt,verdict,input.input.verdict\n1,\(jws),2,3\n")
        #expect(
            prefixed.header == ["input.verdict", "input.input.input.verdict", "input.input.verdict", "verdict"])
        #expect(prefixed.cells == [["1", "2", "3", "verified"]])
    }

    @Test("CSV for a spreadsheet keeps all digits of IDs, in the results and in the copies of columns and members")
    func digits() throws {
        let jws = try Fixture.jws()
        let fields = try ResultFields(["transactionId", "quantity", "price", "line", "payload.signedDate"])
        var batch = BatchRunner(
            format: .csv(column: "r"), output: .csv, keeping: .all,
            contents: ResultContents(fields: fields, keepsDigits: true))
        let shown = [#"="2000000000000001""#, "1", "1.99", "2", #"="1760000000000""#]
        let table = "order,sum,r\n\"20000001234567890123\",12,\(jws)\n007,=1+1,\(jws)\n"
        let rows = try batch(table).cells
        #expect(rows.first == [#"="20000001234567890123""#, "12"] + shown)
        #expect(rows.last?.prefix(3) == [#"="007""#, "'=1+1", shown[0]])
        batch.contents.keepsDigits = false
        #expect(try batch(table).cells.first?.prefix(3) == ["20000001234567890123", "12", "2000000000000001"])
        batch = BatchRunner(
            format: .json(field: "r"), output: .csv, keeping: KeptInput(names: ["id", "text", "sum"]),
            contents: ResultContents(keepsDigits: true))
        let record = #"{"id":2000000123456789,"text":"007","sum":-123456789012,"r":"\#(jws)"}"#
        #expect(try batch(record).cells.first?.prefix(3) == [#"="2000000123456789""#, #"="007""#, "'-123456789012"])
        batch.output = .jsonLines
        #expect(try batch(record).rows.first?["transactionId"]?.text == "2000000000000001")
    }

    @Test("CSV results with all columns of several inputs have the columns of the first one")
    func columnsOfSeveralInputs() throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(format: .csv(column: "r"), output: .csv, keeping: .all)
        let run = try batch("a,b,r\n1,2,\(jws)\n", "r,b\n\(jws),3\n")
        #expect(run.cells.map { [String]($0.prefix(2)) } == [["1", "2"], ["", "3"]])
        let error = #expect(throws: BatchError.self) { try batch("a,r\n1,x\n", "a,c,r\n1,2,x\n") }
        #expect(error?.code == .columnsDiffer && error?.detail == "c")
        #expect(throws: BatchError.self) { try BatchRunner(output: .csv, keeping: .all)("x\n") }
        // A name need not be in a later input.
        batch.keeping = KeptInput(names: ["a"])
        #expect(try batch("a,r\n1,\(jws)\n", "r\n\(jws)\n").cells.map { $0[0] } == ["1", ""])
        #expect(throws: BatchError.self) { try batch("r\n\(jws)\n", "a,r\n1,\(jws)\n") }
    }

    @Test("everything but the receipt is kept of a column in which the receipt is in JSON")
    func receiptsInColumns() throws {
        let jws = try Fixture.jws()
        let order = #"{"id": 7, "receipt": "\#(jws)", "items": [1, 2]}"#
        let text = "id,order\n1,\"\(order.replacing("\"", with: "\"\""))\"\n2,not JSON\n3\n"
        var batch = BatchRunner(format: .csv(column: "order.receipt"), keeping: .all)
        #expect(
            try batch(text).rows.map { $0["input"]?.description } == [
                #"{"id":"1","order":"{\"id\":7,\"items\":[1,2]}"}"#, #"{"id":"2","order":"not JSON"}"#,
                #"{"id":"3","order":null}"#,
            ])
        batch.output = .csv
        let run = try batch(text)
        #expect(run.header.prefix(3) == ["id", "order", "source"])
        #expect(run.cells.map { $0[1] } == [#"{"id":7,"items":[1,2]}"#, "not JSON", ""])
        batch.keeping = KeptInput(isAll: true, names: ["order"])
        #expect(try batch(text).cells.first?[1] == order)
    }

    @Test("an input without a header line is none of the first columns: neither for --keep all nor for a name")
    func emptyFirstInputs() throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(format: .csv(column: "r"), output: .csv, keeping: .all)
        batch.isImmediate = true
        batch.pieceSize = 1000
        let texts = ["", "a,b,r\n1,2,\(jws)\n", "r,b\n\(jws),3\n\(jws),4\n"]
        let complete = try batch.run(texts)
        #expect(complete.cells.map { [String]($0.prefix(2)) } == [["1", "2"], ["", "3"], ["", "4"]])
        #expect(complete.positions.count == 3)
        for point in complete.positions {
            let rest = try batch.run(texts, from: point.position)
            #expect(rest.bytes == [UInt8](complete.bytes.dropFirst(point.byteCount)))
        }
        batch.keeping = KeptInput(names: ["c"])
        let error = #expect(throws: BatchError.self) { try batch.run(texts) }
        #expect(error?.code == .noSuchColumn && error?.detail == "c")
    }

    // With the square of their number, the time would be hours.
    @Test("each of very many columns with one name is numbered", .timeLimit(.minutes(10)))
    func manyColumns() throws {
        let count = 40_000
        let header = Array(repeating: "a", count: count).joined(separator: ",")
        let batch = BatchRunner(format: .csv(column: "r"), output: .csv, keeping: .all)
        let run = try batch("r,\(header)\n", "r,\(header)\n")
        #expect(run.header.prefix(3) == ["a", "a_2", "a_3"])
        #expect(run.header[count - 1] == "a_\(count)" && run.header[count] == "source")
    }

    @Test("a run without a record writes the header line with the kept columns")
    func noRecords() throws {
        let batch = BatchRunner(format: .csv(column: "r"), output: .csv, keeping: .all)
        #expect(try batch("id,r\n").header.prefix(2) == ["id", "source"])
        #expect(try batch("id,r").header.prefix(2) == ["id", "source"])
        #expect(try batch("").header.first == "source")
    }

    // MARK: Limits

    @Test("a record that is too long has a result without a copy, and so have many receipts with a long copy")
    func longRecords() throws {
        let jws = try Fixture.jws()
        var batch = BatchRunner(format: .json(field: "r"), keeping: .all)
        batch.policy.maximumSize = 10_000
        let long = String(repeating: "x", count: 60_000)
        let text = "{\"id\":1,\"r\":\"\(long)\"}\n{\"id\":2,\"r\":\"\(jws)\"}\n"
        let rows = try batch(text).rows
        #expect(rows.map { $0["input"]?.description } == ["null", #"{"id":2}"#])
        #expect(rows.map { $0["code"]?.text } == ["too-large", nil])
        #expect(rows.map { $0["record"]?.integer } == [1, 2])
        batch.output = .csv
        batch.keeping = KeptInput(names: ["id"])
        #expect(try batch(text).cells.map { $0[0] } == ["", "2"])

        batch = BatchRunner(format: .json(field: "r"), keeping: .all)
        let list = Array(repeating: "\"\(jws)\"", count: 30).joined(separator: ",")
        let short = try batch("{\"note\":\"\(long.prefix(30_000))\",\"r\":[\(list)]}")
        #expect(short.rows.allSatisfy { $0["input"]?.object?["note"]?.text?.count == 30_000 })
        #expect(short.rows.map { $0["item"]?.integer } == (1...30).map { $0 })
        let copies = try batch("{\"note\":\"\(long)\",\"r\":[\(list)]}")
        #expect(copies.rows.count == 30 && copies.rows.allSatisfy { $0["input"] == .null })
    }
}
