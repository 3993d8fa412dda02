import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing
import TranscriptSupport

/// Texts that an adversary chose, in receipts, names of files, flags and variables: none of them reaches a terminal raw.
@Suite("Naughty strings")
struct NaughtyStringTests {
    private let shell: TranscriptRunner

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: shell.folder.appendingPathComponent(name))
    }

    private func writeReceipts() throws {
        for (name, bytes) in try Self.files.get() { try write(bytes, to: name) }
    }

    /// Receipts with the texts in all their fields, and the roots and the key that verify them.
    private static let files = Result { try makeFiles(of: NaughtyStrings.all) }

    private static func makeFiles(of texts: [String]) throws -> [String: [UInt8]] {
        let authority = try TestAuthority()
        let appReceipts = try AppReceiptAuthority()
        let playKey = try TestPlayKey()
        var files = [
            "root.der": authority.rootCertificate, "app-receipt-root.der": appReceipts.rootCertificate,
            "play-key.txt": [UInt8](playKey.publicKey.utf8),
        ]
        var lines: [String] = []
        for (number, text) in texts.enumerated() {
            let value = JSONValue.string(text)
            let transaction: JSONObject = [
                "transactionId": value, "originalTransactionId": value, "productId": value, "bundleId": value,
                "environment": value, "type": value, "currency": value, "storefront": value, "offerIdentifier": value,
                "appAccountToken": value, "price": .integer(1), "signedDate": .integer(1_750_000_000_000),
                "purchaseDate": .integer(1_750_000_000_000), text: value, "number\(number)": value,
            ]
            lines.append(try authority.signer.sign(transaction))
            let notification: JSONObject = [
                "notificationType": value, "subtype": value, "notificationUUID": value, "version": value,
                "signedDate": .integer(1_750_000_000_000),
                "data": .object([
                    "bundleId": value, "environment": value, "bundleVersion": value,
                    "signedTransactionInfo": .string(try authority.signer.sign(transaction)),
                ]),
            ]
            if number % 7 == 0 { lines.append(try authority.signer.sign(notification)) }
            let data = JSONValue.object([
                "orderId": value, "packageName": .string("com.example.app"), "productId": value,
                "purchaseTime": .integer(1_750_000_000_000), "purchaseState": .integer(0), "purchaseToken": value,
                "developerPayload": value, "obfuscatedAccountId": value,
            ]).description
            let purchase = JSONValue.object([
                "data": .string(data), "signature": .string(try playKey.sign(data)),
            ])
            lines.append(purchase.description)
        }
        // The text output lists ten purchases of a receipt.
        for start in stride(from: 0, to: texts.count, by: 10) {
            let texts = texts[start..<min(start + 10, texts.count)]
            func purchase(_ text: String) -> TestAppReceipt.Value {
                .attributes([
                    .init(1701, .integer(1)), .init(1702, .text(text)), .init(1703, .text(text)),
                    .init(1704, .asciiText("2025-06-01T00:00:00Z")), .init(1705, .text(text)),
                    .init(1706, .asciiText("2025-06-01T00:00:00Z")), .init(1708, .asciiText("2025-07-01T00:00:00Z")),
                    .init(1721, .text(text)),
                ])
            }
            let text = texts.first ?? ""
            let receipt = TestAppReceipt(
                attributes: [
                    .init(0, .text(text)), .init(2, .text("com.example.app")), .init(3, .text(text)),
                    .init(4, .bytes(Array(repeating: 1, count: 16))), .init(5, .bytes(Array(repeating: 2, count: 20))),
                    .init(12, .asciiText("2025-06-01T00:00:00Z")), .init(19, .text(text)),
                ] + texts.map { .init(17, purchase($0)) })
            let base64 = Data(try appReceipts.signer().sign(receipt)).base64EncodedString()
            files["receipt-\(start).b64"] = [UInt8](base64.utf8)
        }
        files["receipts.txt"] = [UInt8]((lines.joined(separator: "\n") + "\n").utf8)
        return files
    }

    private static let roots = "--root root.der --root app-receipt-root.der --only-given-roots"
    private static let trust = "\(roots) --play-key com.example.app=play-key.txt"

    @Test(
        "no text of a receipt is printed raw [CARD-6]",
        arguments: [
            "verify", "verify -b com.example.app --strict", "explain", "inspect", "verify --redact",
            "legacy-response --transaction-ids",
        ])
    func receipts(command: String) throws {
        try writeReceipts()
        let inputs =
            switch command.split(separator: " ").first {
            case "inspect": "receipts.txt *.b64"
            case "legacy-response": "*.b64 \(Self.roots)"
            default: "receipts.txt *.b64 \(Self.trust)"
            }
        let outcome = try shell.run("verify-receipt \(command) \(inputs)")
        #expect([0, 1].contains(outcome.code), "\(outcome.errorOutput.prefix(3))")
        #expect(!outcome.output.isEmpty)
        #expect(NaughtyStrings.unsafe(outcome.output).prefix(3) == [])
        #expect(NaughtyStrings.unsafe(outcome.errorOutput).prefix(3) == [])
    }

    @Test("the JSON of each command stays JSON, and has every text of the receipts [CARD-6]")
    func json() throws {
        try writeReceipts()
        for command in ["verify --json", "explain --json", "batch -q", "inspect --json"] {
            let trust = command.hasPrefix("inspect") ? "" : Self.trust
            let lines = try shell.run("verify-receipt \(command) receipts.txt \(trust)").output
            #expect(lines.count >= NaughtyStrings.all.count)
            var products: Set<String> = []
            for line in lines {
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line.prefix(200))")
                let payload = object["payload"] ?? object["unverifiedPayload"]
                let product = object["productId"] ?? (payload as? [String: Any])?["productId"]
                if let product = product as? String { products.insert(product) }
            }
            #expect(products.isSuperset(of: NaughtyStrings.all), "\(command)")
        }
    }

    @Test("a page with such texts has no markup of theirs [CARD-6]")
    func page() throws {
        for (name, bytes) in try Self.makeFiles(of: ["<script>alert(1)</script>"]) { try write(bytes, to: name) }
        let outcome = try shell.run("verify-receipt batch -q receipts.txt \(Self.trust) --report page.html")
        #expect(outcome.code == 0 || outcome.code == 1, "\(outcome.errorOutput)")
        let page = try String(contentsOf: shell.folder.appendingPathComponent("page.html"), encoding: .utf8)
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(!page.contains("<script>alert"))
    }

    @Test("names of files, flags, values and variables are printed escaped [CARD-6]")
    func arguments() throws {
        for name in NaughtyStrings.fileNames where !name.contains("\0") {
            try? write([UInt8]("no receipt".utf8), to: name)
        }
        let names = NaughtyStrings.fileNames.map { NaughtyStrings.quoted("./\($0)") }.joined(separator: " ")
        let words = NaughtyStrings.all.filter { $0.utf8.count < 1000 }.map(NaughtyStrings.quoted)
        var commands = ["verify-receipt verify \(names)", "verify-receipt batch --no-such \(names)"]
        commands += words.flatMap { word in
            [
                "verify-receipt verify samples/transaction.jws --bundle-id \(word) --environment \(word)",
                "verify-receipt verify samples/transaction.jws --bundle-id \(word)",
                "verify-receipt --\(word)", "verify-receipt verify --root \(word)", "verify-receipt codes \(word)",
                "verify-receipt verify x --distrust \(word)", "verify-receipt config check \(word)",
                "VERIFY_RECEIPT_ENVIRONMENT=\(word) verify-receipt verify samples/transaction.jws",
            ]
        }
        for part in stride(from: 0, to: commands.count, by: 100) {
            let outcome = try shell.run(commands[part..<min(part + 100, commands.count)].joined(separator: "\n"))
            #expect(NaughtyStrings.unsafe(outcome.output).prefix(3) == [])
            #expect(NaughtyStrings.unsafe(outcome.errorOutput).prefix(3) == [])
        }
    }
}
