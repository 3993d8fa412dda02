import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// What the results of a batch contain: payloads, chosen fields, the values of purchases, and unverified identifiers.
@Suite("Contents of batch results")
struct ResultContentsTests {
    private static let playKey = try? TestPlayKey(bits: 1024)

    private static func sign(_ payload: some PayloadModel, by signer: TestSigner? = nil) throws -> String {
        try #require(signer ?? Fixture.authority?.signer).sign(payload)
    }

    private static func subscription() -> JWSTransactionDecodedPayload {
        var transaction = Fixture.transaction()
        transaction.expiresDate = Timestamp(milliseconds: Fixture.signedAt + 86_400_000)
        transaction.storefront = "DEU"
        transaction.members["tomorrow"] = .object(["new": .integer(7)])
        return transaction
    }

    private static func renewalInfo() -> JWSRenewalInfoDecodedPayload {
        var renewal = JWSRenewalInfoDecodedPayload()
        renewal.originalTransactionId = Fixture.transaction().originalTransactionId
        renewal.productId = "com.example.app.pro"
        renewal.autoRenewStatus = .on
        renewal.renewalPrice = Milliunits(2990)
        renewal.currency = "EUR"
        renewal.environment = .sandbox
        renewal.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        return renewal
    }

    private static let notificationUUID = "6f2b7d1e-6a5c-4d0b-9a67-0f1e2d3c4b5a"

    private static func notification(_ transaction: JWSTransactionDecodedPayload) throws -> String {
        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = try sign(transaction)
        data.signedRenewalInfo = try sign(renewalInfo())
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didChangeRenewalStatus
        notification.subtype = .autoRenewEnabled
        notification.notificationUUID = notificationUUID
        notification.data = data
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        return try sign(notification)
    }

    private static func appTransaction() throws -> String {
        var transaction = JWSAppTransactionDecodedPayload()
        transaction.receiptType = .sandbox
        transaction.bundleId = Fixture.bundleID
        transaction.applicationVersion = "1.2"
        transaction.receiptCreationDate = Timestamp(milliseconds: Fixture.signedAt)
        transaction.originalPurchaseDate = Timestamp(milliseconds: Fixture.signedAt - 5000)
        return try sign(transaction)
    }

    private static func purchase(signedWith data: String? = nil) throws -> String {
        let purchase =
            #"{"orderId":"GPA.1","packageName":"com.example.app","productId":"pro","#
            + #""purchaseTime":1760000000000,"purchaseState":0,"purchaseToken":"t"}"#
        let object: JSONObject = [
            "INAPP_PURCHASE_DATA": .string(purchase),
            "INAPP_DATA_SIGNATURE": .string(try #require(playKey).sign(data ?? purchase)),
        ]
        return object.description
    }

    private static func runner(_ contents: ResultContents = .standard) throws -> BatchRunner {
        var runner = BatchRunner()
        runner.contents = contents
        runner.playKeys.add([UInt8](try #require(playKey).publicKey.utf8), forPackage: Fixture.bundleID)
        return runner
    }

    /// One verified receipt of each kind, and one that is unverified.
    private static func everyKind() throws -> [String] {
        let jws = try Fixture.jws()
        return [
            try sign(subscription()), try sign(renewalInfo()), try notification(subscription()), try appTransaction(),
            try purchase(), String(jws.dropLast(4)) + (jws.hasSuffix("AAAA") ? "BBBB" : "AAAA"),
        ]
    }

    // MARK: Payload

    @Test("with the payload, results of verified receipts have it as verify returns it, and no other result has it")
    func payloads() throws {
        let lines = try Self.everyKind()
        let run = try Self.runner(ResultContents(hasPayload: true))(lines.joined(separator: "\n"))
        let verifier = try Fixture.verifier(playKeys: try Self.runner().playKeys)
        #expect(
            run.rows.map { $0["verdict"]?.text } == [
                "verified", "verified", "verified", "verified", "verified", "unverified",
            ])
        for (line, row) in zip(lines, run.rows) {
            let report = try #require(verifier.verifyInput([UInt8](line.utf8)).reports.first)
            #expect(row["payload"]?.object == report.payload)
            #expect(row["payload"] != .null)
        }
        #expect(run.rows[0]["payload"]?.object?["tomorrow"] == .object(["new": .integer(7)]))
        let nested = try #require(run.rows[2]["nested"]?.elements)
        #expect(nested.map { $0.object?["payload"]?.object?["currency"]?.text } == ["EUR", "EUR"])
        #expect(try Self.runner()(lines[0]).rows[0]["payload"] == nil)
    }

    // MARK: Standard members

    @Test("a result has the refund, event, event ID, expiry, price, currency and storefront that its receipt has")
    func purchaseMembers() throws {
        var revoked = Self.subscription()
        revoked.revocationDate = Timestamp(milliseconds: Fixture.signedAt - 1)
        revoked.revocationReason = RevocationReason(rawValue: 1)
        let rows = try Self.runner()(
            [try Self.sign(revoked), try Self.notification(revoked), try Self.appTransaction(), try Self.purchase()]
                .joined(separator: "\n")
        ).rows
        for row in rows.prefix(2) {
            #expect(row["revocationReason"] == .integer(1))
            #expect(row["expiresDate"]?.text == "2025-10-10T08:53:20Z")
            #expect(row["price"] == .decimal(1.99))
            #expect(row["currency"]?.text == "EUR")
            #expect(row["storefront"]?.text == "DEU")
            #expect(row["environment"]?.text == "Sandbox")
        }
        #expect(rows[0]["notificationType"] == nil)
        #expect(rows[1]["notificationType"]?.text == "DID_CHANGE_RENEWAL_STATUS")
        #expect(rows[1]["subtype"]?.text == "AUTO_RENEW_ENABLED")
        #expect(rows[1]["notificationUUID"]?.text == Self.notificationUUID)
        #expect(rows[1]["nested"]?.elements?.allSatisfy { $0.object?["notificationUUID"] == nil } == true)
        // A notification has all members of its transaction.
        for name in ["bundleId", "productId", "transactionId", "originalTransactionId"] {
            #expect(rows[1][name]?.text != nil && rows[1][name] == rows[0][name], "\(name)")
        }
        for row in rows.suffix(2) {
            for name in [
                "notificationType", "subtype", "notificationUUID", "revocationReason", "expiresDate", "price",
                "storefront",
            ] {
                #expect(row[name] == nil)
            }
        }
    }

    @Test(
        "a price has the decimals of its currency, and more if the amount needs them",
        arguments: [
            (1990, "EUR", "1.99"), (500_000, "JPY", "500"), (1250, "JPY", "1.25"), (1000, "KWD", "1.000"),
            (-4990, "USD", "-4.99"), (0, "XXX", "0.00"), (1_999_999, "USD", "1999.999"),
        ])
    func prices(amount: Int64, currency: String, expected: String) throws {
        var transaction = Fixture.transaction()
        transaction.price = Milliunits(amount)
        transaction.currency = currency
        let jws = try Self.sign(transaction)
        #expect(try Self.runner()(jws).text.contains(",\"price\":\(expected),\"currency\":\"\(currency)\","))
        var csv = try Self.runner(ResultContents(fields: try ResultFields(["price", "currency"])))
        csv.output = .csv
        #expect(try csv(jws).text == "price,currency\r\n\(expected),\(currency)\r\n")
    }

    // MARK: Fields

    private static let chosen = [
        "verdict", "kind", "productId", "quantity", "purchaseDate", "transaction.expiresDate", "data.bundleId",
        "renewalInfo.renewalPrice", "price", "payload.tomorrow", "applicationVersion", "purchaseTime",
        "unverifiedTransactionId",
    ]

    @Test("results have the chosen fields of every kind of receipt, in their order, and of no unverified payload")
    func fields() throws {
        let lines = try Self.everyKind().joined(separator: "\n")
        let fields = try ResultFields(Self.chosen + ["verdict"])
        #expect(fields.names == Self.chosen)
        let signed = "\"2025-10-09T08:53:15Z\""
        let expires = "\"2025-10-10T08:53:20Z\""
        let product = "\"com.example.app.pro\""
        let expected: [[String]] = [
            [
                "\"verified\"", "\"transaction\"", product, "1", signed, expires, "null", "null", "1.99",
                "{\"new\":7}", "null", "null", "null",
            ],
            [
                "\"verified\"", "\"renewalInfo\"", product, "null", "null", "null", "null", "2.99", "null", "null",
                "null", "null", "null",
            ],
            [
                "\"verified\"", "\"notification\"", product, "null", "null", expires, "\"com.example.app\"", "2.99",
                "1.99", "null", "null", "null", "null",
            ],
            ["\"verified\"", "\"appTransaction\""] + Array(repeating: "null", count: 8) + ["\"1.2\"", "null", "null"],
            ["\"verified\"", "\"playPurchase\"", "\"pro\""] + Array(repeating: "null", count: 8)
                + ["\"2025-10-09T08:53:20Z\"", "null"],
            ["\"unverified\""] + Array(repeating: "null", count: 11) + ["\"2000000000000001\""],
        ]
        let rows = try Self.runner(ResultContents(fields: fields))(lines).text.split(separator: "\n")
        let start = "{\"schema\":\"verify-receipt/batch-fields-1\""
        #expect(
            rows.map(String.init)
                == expected.map { row in
                    start + zip(Self.chosen, row).map { ",\"\($0)\":\($1)" }.joined() + "}"
                })
        var csv = try Self.runner(ResultContents(fields: fields))
        csv.output = .csv
        let run = try csv(lines)
        #expect(run.header == Self.chosen)
        #expect(
            run.cells
                == expected.map { row in
                    row.map { $0 == "null" ? "" : $0.hasPrefix("\"") ? String($0.dropFirst().dropLast()) : $0 }
                })
    }

    @Test(
        "a name that no field has is an error with the nearest name",
        arguments: [
            ("expireDate", "expiresDate"), ("transaction.expiresdate", "transaction.expiresDate"),
            ("verdikt", "verdict"), ("data.bundleID", "data.bundleId"), ("xyz", nil), ("", nil), ("payload", nil),
            ("transaction.", nil), ("data.bundleId.x", "data.bundleId"), ("payload.a[]", nil),
        ])
    func wrongNames(name: String, nearest: String?) {
        let error = #expect(throws: BatchError.self) { try ResultFields([name]) }
        #expect(error?.code == .noSuchResultField)
        #expect(error?.detail == name)
        #expect(error?.names.contains("transaction.expiresDate") == true)
        if let nearest { #expect(error?.suggestion == nearest) }
    }

    @Test(
        "a member of payloads that no verified receipt has is reported at the end with the nearest name",
        arguments: [1, 3])
    func absentFields(jobs: Int) throws {
        let names = ["verdict", "payload.prise", "payload.price", "payload.data.statsu", "payload.zzz", "expiresDate"]
        var runner = try Self.runner(ResultContents(fields: try ResultFields(names)))
        runner.jobs = jobs
        let lines = try Self.everyKind()
        let run = try runner(lines.joined(separator: "\n"))
        #expect(run.summary.absentFields.map(\.name) == ["payload.prise", "payload.data.statsu", "payload.zzz"])
        #expect(run.summary.absentFields[0].suggestion == "payload.price")
        // Nothing is known without a verified receipt, or after a run that stopped.
        #expect(try runner("nothing").summary.absentFields.isEmpty)
        let first = try runner(lines[0], lines[1]).positions[0].position
        let rest = try runner(lines[0], lines[1], from: first).summary
        #expect(rest.total == 1 && rest.absentFields.isEmpty)
        let batch = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs)
        let source = BatchSource(name: "a", bytes: [UInt8](lines[0].utf8))
        let counted = try batch.count([source], by: try ResultFields(["payload.prise", "payload.tomorrow.new"]))
        #expect(counted.summary.absentFields.map(\.name) == ["payload.prise"])
    }

    @Test("every name is a field, and has one form in all payloads")
    func names() throws {
        var forms: [String: PayloadForm] = [:]
        for kind in ReceiptKind.allCases {
            #expect(ResultFields.names(of: kind).contains(kind.signingTimeField ?? "purchaseTime"))
            for name in ResultFields.names(of: kind) {
                let form = try #require(kind.schema.form(of: name))
                #expect(forms[name] ?? form == form, "\(name) of \(kind)")
                forms[name] = form
                if case .payload(_, _, let chosen) = try #require(ResultField(named: name)).place {
                    #expect(chosen == form, "\(name)")
                }
            }
        }
        #expect(try ResultFields(ResultFields.commonNames).names == ResultFields.commonNames)
        #expect(forms["commitmentInfo.commitmentPrice"] == .money)
    }

    // MARK: Unverified identifiers

    @Test("a receipt that is not verified keeps its identifiers where nothing takes them for verified")
    func unverifiedIdentifiers() throws {
        let stranger = try TestAuthority().signer
        let jws = try Fixture.jws()
        var long = Fixture.transaction()
        long.productId = String(repeating: "x", count: 257)
        let lines = [
            String(jws.dropLast(4)) + (jws.hasSuffix("AAAA") ? "BBBB" : "AAAA"), try Fixture.jws(by: stranger),
            jws + "=", String(jws.prefix(300)), try Self.sign(long, by: stranger), "no receipt",
            try Self.purchase(signedWith: "{}"),
        ]
        let ids =
            #"{"bundleId":"com.example.app","productId":"com.example.app.pro","transactionId":"2000000000000001","#
            + #""originalTransactionId":"2000000000000001"}"#
        let expected = [
            ids, ids, ids, nil, ids.replacing(#","productId":"com.example.app.pro""#, with: ""), nil,
            #"{"bundleId":"com.example.app","productId":"pro","transactionId":"GPA.1"}"#,
        ]
        let run = try Self.runner()(lines.joined(separator: "\n"))
        #expect(run.rows.map { $0["unverifiedIds"]?.description } == expected)
        for row in run.rows {
            #expect(row["verdict"]?.text != "verified")
            #expect(row["transactionId"] == .null && row["bundleId"] == .null && row["payload"] == nil)
        }
        var otherApp = try Self.runner(ResultContents(hasPayload: true))
        otherApp.policy.apps = [.init(bundleID: "com.example.other")]
        let refused = try otherApp(jws).rows[0]
        #expect(refused["payload"] == nil && refused["price"] == nil)
        #expect(refused["code"]?.text == "bundle-id-mismatch")
        #expect(refused["unverifiedIds"]?.description == ids)
        #expect(refused["transactionId"] == .null)
        otherApp.contents.fields = try ResultFields(["price", "payload.price", "transaction.price", "quantity", "kind"])
        let fields = try otherApp(jws).rows[0].members.dropFirst()
        #expect(fields.map(\.value) == [.null, .null, .null, .null, .null])
    }

    // MARK: Verdicts

    @Test("only results with the chosen verdicts are written, all are counted, and a run continues anywhere")
    func verdicts() throws {
        let lines = try (1...9).map { $0 % 3 == 0 ? "no receipt, \($0)" : try Fixture.jws($0) }.joined(separator: "\n")
        for verdict in [Verdict.verified, .unverified, .undecided] {
            for jobs in [1, 3] {
                var runner = try Self.runner(ResultContents(verdicts: [verdict]))
                runner.jobs = jobs
                runner.isImmediate = true
                runner.pieceSize = 4001
                let run = try runner(lines)
                let records: [Verdict: [Int64]] = [.verified: [1, 2, 4, 5, 7, 8], .undecided: [3, 6, 9]]
                #expect(run.rows.compactMap { $0["record"]?.integer } == records[verdict] ?? [])
                #expect(run.summary.total == 9)
                #expect(run.summary.verdicts == [.verified: 6, .undecided: 3])
                for point in run.positions {
                    let rest = try runner(lines, from: point.position)
                    #expect(rest.bytes == [UInt8](run.bytes.dropFirst(point.byteCount)))
                }
            }
        }
    }
}
