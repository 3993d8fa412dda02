import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Google Play purchases whose signature has a column or a member of its own.
@Suite("Signatures in places of their own")
struct BatchSignatureTests {
    private static let key = try? TestPlayKey(bits: 1024)
    private let data =
        #"{"orderId":"GPA.1","packageName":"com.example.app","productId":"pro","purchaseTime":1760000000000,"#
        + #""purchaseState":0,"purchaseToken":"t","developerPayload":"a\u003db\\"}"#

    private func run(_ format: BatchFormat, _ text: String) throws -> [String?] {
        let key = try #require(Self.key)
        var batch = BatchRunner(format: format, isEveryRecordAnswered: true)
        batch.playKeys.add([UInt8](key.publicKey.utf8), forPackage: "com.example.app")
        return try batch(text).rows.map { $0["code"]?.text ?? $0["verdict"]?.text }
    }

    /// Returns the results of a record with any number of receipts.
    private func rows(_ format: BatchFormat, _ text: String) throws -> [String?] {
        let key = try #require(Self.key)
        var batch = BatchRunner(format: format)
        batch.playKeys.add([UInt8](key.publicKey.utf8), forPackage: "com.example.app")
        let run = try batch(text)
        return run.summary.empty > 0 ? ["empty"] : run.rows.map { $0["code"]?.text ?? $0["verdict"]?.text }
    }

    private func cell(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

    @Test(
        "a purchase in two columns is verified, on either side, with commas, semicolons or tabs",
        arguments: [",", ";", "\t"])
    func columns(delimiter: String) throws {
        let signature = try #require(Self.key).sign(data)
        let jws = try Fixture.jws()
        let rows = [
            ["sig", "id", "json"], [signature, "1", cell(data)], [cell(signature + "\n"), "2", cell(data)],
            ["", "3", cell(data)], ["", "4", jws], [signature, "5", jws], [signature, "6", ""], ["", "7", ""],
            [String(signature.dropFirst(4)), "8", cell(data)], [signature, "9", cell(data + "\n")],
        ]
        let text = rows.map { $0.joined(separator: delimiter) }.joined(separator: "\r\n")
        #expect(
            try run(.csv(column: "json", signature: "sig"), text) == [
                "verified", "verified", "not-a-receipt", "verified", "verified", "empty", "empty", "signature-invalid",
                "signature-invalid",
            ])
    }

    @Test("a purchase in two members is verified, at paths too, and a receipt of the App Store needs no signature")
    func members() throws {
        let signature = try #require(Self.key).sign(data)
        let jws = try Fixture.jws()
        func line(_ data: JSONValue, _ signature: JSONValue) -> String {
            JSONValue.object(["a": .object(["d": data]), "s": signature]).description + "\n"
        }
        let text =
            line(.string(data), .string(signature)) + line(.string(data), .null) + line(.string(jws), .null)
            + line(.null, .string(signature)) + line(.string(data), .string("AAAA"))
            + "{\"a\":{\"d\":1},\"s\":1,\"s\":2}\n"
        #expect(
            try run(.json(field: "a.d", signature: "s"), text) == [
                "verified", "not-a-receipt", "verified", "empty", "signature-invalid", "record-malformed",
            ])
    }

    @Test("lists of data and of signatures are paired by place; of lists of different lengths, by what is valid")
    func lists() throws {
        let key = try #require(Self.key)
        let data = (1...3).map { self.data.replacing("GPA.1", with: "GPA.\($0)") }
        let signatures = try data.map { try key.sign($0) }
        let jws = try Fixture.jws()
        func line(_ data: [String?], _ signatures: [String?]) -> String {
            func list(_ texts: [String?]) -> JSONValue { .array(texts.map { $0.map(JSONValue.string) ?? .null }) }
            return JSONValue.object(["d": list(data), "s": list(signatures)]).description
        }
        let (verified, none) = ("verified" as String?, "not-a-receipt" as String?)
        let cases: [(String, [String?])] = [
            (line(data, signatures), [verified, verified, verified]),
            (line([data[0]], [signatures[0]]), [verified]),
            (line([data[0], nil, data[2]], [signatures[0], nil, signatures[2]]), [verified, verified]),
            (line([data[0], jws], [signatures[0], nil]), [verified, verified]),
            (
                line(data, [signatures[1], signatures[0], signatures[2]]),
                [
                    "signature-invalid", "signature-invalid", verified,
                ]
            ),
            (line(data, [signatures[0], signatures[2]]), [verified, none, verified]),
            (line([data[1]], signatures), [verified]),
            (line([data[1]], [signatures[0], signatures[2]]), [none]),
            (line(data, []), [none, none, none]), (line([], signatures), ["empty"]), (line([], []), ["empty"]),
            (line([nil], [nil]), ["empty"]),
        ]
        for (text, results) in cases {
            for (field, signature) in [("d", "s"), ("d[]", "s[]")] {
                // A list without a text is a value at `d`, and none at `d[]`.
                #expect(
                    try rows(.json(field: field, signature: signature), text + "\n") == results, "\(field) \(text)")
            }
            let object = try #require(try JSONDocument.value(of: [UInt8](text.utf8)).object)
            let cells = ["d", "s"].map { cell(object[$0]?.description ?? "") }
            #expect(
                try rows(.csv(column: "d", signature: "s"), "d,s\n\(cells.joined(separator: ","))\n") == results)
        }
    }

    @Test("a column of signatures that is missing or repeated ends the run", arguments: ["other", "b"])
    func missing(name: String) {
        #expect(throws: BatchError.self) { try run(.csv(column: "a", signature: name), "a,b,b\n1,2,3\n") }
    }
}
