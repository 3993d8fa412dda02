import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Redaction")
struct RedactionTests {
    private static let key = [UInt8](repeating: 7, count: Redaction.minimumKeyCount)
    private static let playKey = try? TestPlayKey(bits: 1024)

    private func redaction() throws -> Redaction { try #require(Redaction(key: Self.key)) }

    // MARK: Receipts

    /// The value of each member that identifies a purchase or a customer.
    private static let identifiers: [String: String] = {
        let names = [
            "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId", "developerPayload",
            "requestReferenceId", "obfuscatedAccountId", "obfuscatedProfileId", "purchaseToken", "deviceVerification",
            "externalPurchaseId", "previousOriginalTransactionId", "token",
        ]
        var values: [String: String] = [:]
        for (number, name) in names.enumerated() { values[name] = "7\(number)000123456789" }
        values["orderId"] = "GPA.3300-1111-2222-33333"
        values["appAccountToken"] = "0f8fad5b-d9cb-469f-a165-70867728950e"
        values["notificationUUID"] = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        values["deviceVerificationNonce"] = "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"
        values["requestIdentifier"] = "5d1f9c1e-3b52-4c2c-8f6a-9a3f4d2b1c00"
        values["tomorrow"] = "an-id-that-no-version-knows"
        return values
    }()

    private func transaction(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        var transaction = Fixture.transaction()
        for name in [
            "transactionId", "originalTransactionId", "previousOriginalTransactionId", "webOrderLineItemId",
            "appTransactionId", "tomorrow",
        ] {
            transaction.members[name] = Self.identifiers[name].map(JSONValue.string)
        }
        transaction.members["appAccountToken"] = Self.identifiers["appAccountToken"].map(JSONValue.string)
        transaction.members["advancedCommerceInfo"] = .object([
            "requestReferenceId": .string(Self.identifiers["requestReferenceId"] ?? ""), "taxCode": .string("C1"),
        ])
        transaction.members["later"] = .object(["numbers": .array([.integer(70_001_234_567_890), .decimal(1.25)])])
        change(&transaction.members)
        return try #require(Fixture.authority).signer.sign(transaction)
    }

    private func notification(_ inner: String, renewalOf original: String? = nil) throws -> String {
        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = inner
        if let original {
            var renewal = JWSRenewalInfoDecodedPayload()
            renewal.autoRenewStatus = .on
            renewal.originalTransactionId = original
            renewal.signedDate = Timestamp(milliseconds: Fixture.signedAt)
            data.signedRenewalInfo = try #require(Fixture.authority).signer.sign(renewal)
        }
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.data = data
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        notification.members["notificationUUID"] = Self.identifiers["notificationUUID"].map(JSONValue.string)
        return try #require(Fixture.authority).signer.sign(notification)
    }

    private func purchase() throws -> String {
        var data: JSONObject = ["packageName": .string(Fixture.bundleID), "purchaseState": .integer(0)]
        for name in [
            "orderId", "purchaseToken", "token", "developerPayload", "obfuscatedAccountId", "obfuscatedProfileId",
        ] {
            data.append(name, .string(Self.identifiers[name] ?? ""))
        }
        let object: JSONObject = [
            "INAPP_PURCHASE_DATA": .string(data.description),
            "INAPP_DATA_SIGNATURE": .string(try #require(Self.playKey).sign(data.description)),
        ]
        return object.description
    }

    /// Receipts of several kinds, verified ones and those whose failure or IDs quote identifiers.
    private func receipts() throws -> [String] {
        let stranger = try TestAuthority().signer
        var known = Fixture.transaction()
        known.transactionId = Self.identifiers["transactionId"]
        known.originalTransactionId = Self.identifiers["originalTransactionId"]
        return [
            try transaction(), try notification(try transaction()), try purchase(),
            try transaction { $0["transactionId"] = .integer(70_000_123_456_789) },
            try transaction { $0["price"] = .string("1") },
            try transaction { $0["transactionId"] = .integer(70_012_345) },
            try notification(try transaction { $0["appTransactionId"] = .integer(70_012_345) }),
            try transaction { $0["appAccountToken"] = .decimal(70.25) },
            try notification(try transaction(), renewalOf: "76 #"),
            try notification(try transaction(), renewalOf: "79x"),
            try notification(try stranger.sign(known)), try stranger.sign(known),
            try notification(try transaction { $0["bundleId"] = .string("com.example.other") }),
        ]
    }

    /// Returns the identifiers that are in a text.
    private func leaks(in text: String) -> [String] {
        (Self.identifiers.values + ["70000123456789", "70001234567890", "70012345", "70.25", "76 #", "79x"])
            .filter { text.contains($0) }
            + (text.contains("eyJ") ? ["a receipt"] : [])
    }

    private func runner(_ contents: ResultContents, _ output: BatchOutputFormat = .jsonLines) throws -> BatchRunner {
        var runner = BatchRunner()
        runner.contents = contents
        runner.contents.redaction = try redaction()
        runner.output = output
        runner.playKeys.add([UInt8](try #require(Self.playKey).publicKey.utf8), forPackage: Fixture.bundleID)
        return runner
    }

    // MARK: Batches

    @Test("no identifier is in the results of a batch, in any format and with the payload or any field")
    func batches() throws {
        let text = try receipts().joined(separator: "\n")
        let open = try BatchRunner()(text).text + BatchRunner(contents: ResultContents(hasPayload: true))(text).text
        #expect(leaks(in: open).count > 8)
        let names =
            ReceiptKind.allCases.flatMap { ResultFields.names(of: $0) } + [
                "payload.tomorrow", "payload.later", "actual",
            ]
        let fields = try ResultFields(
            ["verdict", "price"] + names + ["transaction.transactionId", "unverifiedTransactionId", "source"])
        for contents in [.standard, ResultContents(hasPayload: true), ResultContents(fields: fields)] {
            for output in BatchOutputFormat.allCases {
                let run = try runner(contents, output)(text)
                #expect(leaks(in: run.text) == [], "\(output)")
                #expect(run.summary.total == 13)
                #expect(run.summary.verdicts[.verified] == 3)
            }
        }
    }

    @Test("equal identifiers have equal pseudonyms in every place, and other values are kept")
    func pseudonyms() throws {
        let redaction = try redaction()
        let id = redaction.pseudonym(of: Self.identifiers["transactionId"] ?? "")
        let original = Self.identifiers["originalTransactionId"] ?? ""
        #expect(id.hasPrefix("r-") && id.count == 34)
        let rows = try runner(ResultContents(hasPayload: true))(try receipts().joined(separator: "\n")).rows
        let payload = try #require(rows[0]["payload"]?.object)
        #expect(rows[0]["transactionId"]?.text == id && payload["transactionId"]?.text == id)
        #expect(rows[0]["source"]?.text == redaction.pseudonym(of: "source 0"))
        #expect(payload["productId"]?.text == "com.example.app.pro" && payload["price"]?.integer == 1990)
        #expect(payload["purchaseDate"]?.integer == Fixture.signedAt - 5000)
        #expect(payload["advancedCommerceInfo"]?.object?["taxCode"]?.text == "C1")
        #expect(
            payload["later"]?.object?["numbers"]?.elements?.first?.text == redaction.pseudonym(of: "70001234567890"))
        let nested = try #require(rows[1]["nested"]?.elements?.first?.object)
        #expect(nested["transactionId"]?.text == id)
        #expect(rows[2]["transactionId"]?.text == redaction.pseudonym(of: Self.identifiers["orderId"] ?? ""))
        #expect(rows[3]["actual"]?.text == "the integer \(redaction.pseudonym(of: "70000123456789"))")
        #expect(rows[5]["actual"]?.text == "the integer \(redaction.pseudonym(of: "70012345"))")
        #expect(rows[7]["actual"]?.text == "the number \(redaction.pseudonym(of: "70.25"))")
        #expect(rows[9]["actual"]?.text == redaction.pseudonym(of: "79x"))
        #expect(
            rows[9]["expected"]?.text
                == "originalTransactionId \(redaction.pseudonym(of: original)) in signedRenewalInfo")
        #expect(rows[11]["unverifiedIds"]?.object?["transactionId"]?.text == id)
        #expect(rows[11]["unverifiedIds"]?.object?["bundleId"]?.text == Fixture.bundleID)
        // The same key in another process, and another key.
        #expect(try #require(Redaction(key: Self.key)).pseudonym(of: "a") == redaction.pseudonym(of: "a"))
        #expect(try Redaction.random().pseudonym(of: "a") != redaction.pseudonym(of: "a"))
        #expect(Redaction(key: [UInt8](repeating: 7, count: 31)) == nil)
    }

    @Test("kept columns and members are replaced, and join to the identifiers of receipts")
    func keptInput() throws {
        let redaction = try redaction()
        let id = try #require(Self.identifiers["transactionId"])
        let shown = redaction.pseudonym(of: id)
        let jws = try transaction()
        for keeping in [KeptInput.all, KeptInput(names: ["id", "user", "none", "more", "jws"])] {
            var runner = try runner(.standard)
            runner.keeping = keeping
            runner.format = .json(field: "jws")
            let record = #"{"id": "\#(id)", "user": {"\#(id)": 1}, "none": null, "more": "", "jws": "\#(jws)"}"#
            let run = try runner(record)
            #expect(leaks(in: run.text) == [])
            let input = try #require(run.rows.first?["input"]?.object)
            #expect(input["id"]?.text == shown && input["none"] == .null && input["more"]?.text == "")
            #expect(input["user"]?.text == redaction.pseudonym(of: #"{"\#(id)":1}"#))
            #expect(run.rows.first?["transactionId"]?.text == shown)
            runner.format = .csv(column: "jws")
            let table = "id,user,none,more,jws\n\(id), \(id) ,NULL,,\(jws)\n"
            let cells = try runner(table).rows.first?["input"]?.object
            #expect(cells?["id"]?.text == shown && cells?["user"]?.text == shown)
            #expect(cells?["none"]?.text == "NULL" && cells?["more"]?.text == "")
            runner.output = .csv
            let csv = try runner(table)
            #expect(leaks(in: csv.text) == [])
            #expect(csv.cells.first?.prefix(4) == [shown, shown, "NULL", ""])
        }
        var named = try runner(.standard, .csv)
        named.keeping = KeptInput(names: ["id"])
        named.format = .json(field: "jws")
        #expect(try named(#"{"id":\#(id),"jws":"\#(jws)"}"#).cells.first?.first == shown)
    }

    @Test("counts and duplicates have pseudonyms, and are those of the identifiers")
    func countsAndDuplicates() throws {
        let batch = BatchVerifier(
            verifier: try Fixture.verifier(), contents: ResultContents(redaction: try redaction()))
        let lines = [try transaction(), try transaction(), try transaction { $0["transactionId"] = .string("other") }]
        let source = BatchSource(name: "file", bytes: [UInt8](lines.joined(separator: "\n").utf8))
        let again = BatchSource(name: "file", bytes: [UInt8](lines.joined(separator: "\n").utf8))
        let counts = try batch.count([source], by: ResultFields(["transactionId", "appAccountToken"])).groups
        #expect(counts.groups.map(\.count) == [2, 1])
        #expect(counts.groups.flatMap(\.values).allSatisfy { $0?.hasPrefix("r-") ?? false })
        var found: [DuplicateReceipt] = []
        _ = try batch.findDuplicates(in: [again], temporaryFolder: "/tmp") { found.append($0) }
        #expect(found.map(\.transactionID) == [counts.groups[0].values[0]])
        let text = found.map { "\($0.json)" + String(decoding: $0.csv(), as: UTF8.self) }.joined()
        #expect(leaks(in: text) == [] && !text.contains("file"))
        #expect(found.first?.occurrences.first?.signedDigest?.hasPrefix("r-") == true)
    }

    // MARK: Reports

    @Test("no identifier is in the report of a receipt, in its failure or in its checks")
    func reports() throws {
        let redaction = try redaction()
        var keys = PlayKeyring()
        keys.add([UInt8](try #require(Self.playKey).publicKey.utf8), forPackage: Fixture.bundleID)
        let verifier = try Fixture.verifier(playKeys: keys)
        for receipt in try receipts() {
            let input = try #require(ReceiptInput.detect([UInt8](receipt.utf8)).first)
            let report = verifier.explain(input)
            let redacted = redaction.redacted(report)
            #expect(leaks(in: words(of: redacted)) == [])
            #expect(redacted.verdict == report.verdict && redacted.failure?.code == report.failure?.code)
            #expect(redacted.trace.events.map(\.check) == report.trace.events.map(\.check))
            #expect(redacted.kind == report.kind && redacted.payload?["productId"] == report.payload?["productId"])
        }
    }

    private func words(of report: ReceiptReport) -> String {
        let failure = report.failure
        let parts =
            [failure?.explanation, failure?.hint, failure?.untrustedPayload?.description, report.payload?.description]
            + report.trace.events.flatMap { [$0.expected, $0.actual, $0.note] }
        return parts.compactMap(\.self).joined(separator: "\n") + report.nested.map { words(of: $0.report) }.joined()
    }

    @Test(
        "words with the form of an identifier are replaced in messages, and other words are kept",
        arguments: [
            ("the integer 2000000123456789", true), ("found 0f8fad5b-d9cb-469f-a165-70867728950e;", true),
            ("GPA.3300-1111-2222-33333.", true), ("(12345678901)", true), ("1234567890 bytes", false),
            ("SHA-256 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179", false),
            ("valid at 2025-10-01T07:08:38.835Z", false), ("com.example.app.premium.monthly", false),
            ("serial 00AB12CD34567890123", false), ("", false), ("id7 short", true),
        ])
    func words(text: String, isReplaced: Bool) throws {
        let redacted = try redaction().redacted(text, identifiers: ["id7"])
        #expect((redacted != text) == isReplaced)
        #expect(try redaction().redacted(redacted, identifiers: []) == redacted)
    }

    @Test("HMAC-SHA256 has the values of RFC 4231")
    func hmac() throws {
        let cases: [(key: [UInt8], message: String, code: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                [UInt8]("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for (key, message, code) in cases {
            #expect(try HMACKey(key).code(of: [UInt8](message.utf8)).description == code)
        }
    }
}
