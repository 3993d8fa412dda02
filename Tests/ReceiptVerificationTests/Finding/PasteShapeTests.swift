import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A corpus of pasted texts: shapes × receipts.
@Suite("Receipts in what was pasted")
struct PasteShapeTests {
    private struct Receipt {
        let name: String
        let text: String
        let input: ReceiptInput

        init(_ name: String, jws: String) {
            (self.name, text, input) = (name, jws, .jws([UInt8](jws.utf8)))
        }

        init(_ name: String, data: String, signature: String) {
            self.name = name
            text = "{\"data\":\"\(PasteShape.escaped(data))\",\"signature\":\"\(signature)\"}"
            input = .play(data: [UInt8](data.utf8), signature: [UInt8](signature.utf8))
        }
    }

    /// The receipts and a verifier that trusts their authority, made once.
    private static let corpus = Result { try makeCorpus() }
    private let receipts: [Receipt]
    private let verifier: ReceiptVerifier

    init() throws {
        (receipts, verifier) = try Self.corpus.get()
    }

    private static func makeCorpus() throws -> ([Receipt], ReceiptVerifier) {
        let signer = try #require(Fixture.authority).signer
        var transaction = try Fixture.jws().split(separator: ".")
        transaction[1] = try Fixture.jws(2).split(separator: ".")[1]
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .subscribed
        notification.notificationUUID = "00000000-0000-4000-8000-000000000001"
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = try Fixture.jws()
        notification.data = data
        var receipts = [
            Receipt("a transaction", jws: try Fixture.jws()),
            Receipt("a notification", jws: try signer.sign(notification)),
            Receipt("a transaction with an exchanged payload", jws: transaction.joined(separator: ".")),
            Receipt("a transaction of another authority", jws: try Fixture.jws(by: TestAuthority().signer)),
        ]
        let key = try TestPlayKey(bits: 1024)
        let purchase =
            #"{"orderId":"GPA.1","packageName":"com.example.app","purchaseState":0,"productId":"pro","n":"a b"}"#
        receipts.append(Receipt("a purchase", data: purchase, signature: try key.sign(purchase)))
        let files = ["transaction-2025-10", "renewal-info-2025-10"]
        let more = ["notification-2022-09", "notification-2025-10", "renewal-info-2023-05", "transaction-2025-02"]
        let isFull = ProcessInfo.processInfo.environment["APP_RECEIPT_VECTORS"] != nil
        for file in files + (isFull ? more : []) {
            guard let text = try? String(contentsOf: realData.appending(path: "jws/\(file).jws"), encoding: .utf8)
            else { continue }
            receipts.append(Receipt(file, jws: text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        var anchors = TrustAnchors.apple
        try anchors.add(try #require(Fixture.authority).rootCertificate)
        var keys = PlayKeyring()
        keys.add([UInt8](key.publicKey.utf8), forPackage: Fixture.bundleID)
        return (receipts, ReceiptVerifier(trustAnchors: anchors, playKeys: keys, clock: { Fixture.now }))
    }

    @Test(
        "a receipt in each shape is found as it is, so its verdict is that of the bare receipt",
        arguments: PasteShape.all)
    func isFound(shape: PasteShape) {
        for receipt in receipts where !shape.isForJWS || receipt.name != "a purchase" {
            let found = SearchedInput(shape.wrap(receipt.text))
            // The bytes of a receipt would make the message unreadable.
            let isFound = found.receipts == [receipt.input]
            #expect(isFound, "\(receipt.name) \(shape.name): \(found.receipts.map(\.kind))")
            guard let input = found.receipts.first else { continue }
            #expect(verifier.verify(input).failure?.code == verifier.verify(receipt.input).failure?.code)
        }
    }

    @Test("a damaged JWS in each shape has one result, which is not verified", arguments: PasteShape.all)
    func isDamaged(shape: PasteShape) throws {
        for receipt in receipts where receipt.name != "a purchase" {
            let parts = receipt.text.split(separator: ".").map(String.init)
            try #require(parts.count == 3)
            let payload = "\(parts[0]).\(Self.changed(parts[1], at: parts[1].count / 2)).\(parts[2])"
            let signature = "\(parts[0]).\(parts[1]).\(Self.changed(parts[2], at: 20))"
            for damaged in [payload, signature] {
                let verdicts = SearchedInput(shape.wrap(damaged)).receipts.map { verifier.verify($0).verdict }
                #expect(verdicts == [.unverified], "\(receipt.name)")
            }
            for count in [40, 20, 3] {
                let found = SearchedInput(shape.wrap(String(receipt.text.dropLast(count)))).receipts
                #expect(
                    found.allSatisfy { verifier.verify($0).verdict != .verified }, "\(receipt.name) without \(count)")
            }
        }
    }

    /// Returns base64url with another digit at a place.
    private static func changed(_ text: String, at place: Int) -> String {
        var characters = Array(text)
        characters[place] = characters[place] == "A" ? "B" : "A"
        return String(characters)
    }

    @Test("the corpus has the promised size, and receipts of all verdicts")
    func size() {
        #expect(PasteShape.all.count >= 60)
        #expect(PasteShape.all.count { !$0.isForJWS } >= 60)
        #expect(Set(PasteShape.all.map(\.name)).count == PasteShape.all.count)
        #expect(receipts.count >= 5)
        let codes = Set(receipts.map { verifier.verify($0.input).failure?.code })
        #expect(codes.isSuperset(of: [nil, .signatureInvalid, .untrustedRoot]))
    }

    @Test("several receipts in one text are all found, each once, in any mixture of shapes")
    func several() {
        let jws = receipts.filter { $0.name != "a purchase" }
        let mixed =
            "First: \(jws[0].text).\n\n> second\n> \(jws[1].text)\n\n"
            + "third: r=\(PasteShape.percentEncoded(PasteShape.json("a", jws[2].text)))\n"
            + "and \(PasteShape.base64("fourth: " + jws[3].text)) thanks"
        let found = SearchedInput([UInt8](mixed.utf8))
        #expect(Set(found.receipts) == Set(jws[..<4].map(\.input)))
        #expect(found.receipts.count == 4)
        let all = receipts.map(\.text).joined(separator: "\n\n")
        #expect(Set(SearchedInput([UInt8](all.utf8)).receipts) == Set(receipts.map(\.input)))
    }

    @Test("JSON that is nothing but receipts is read without a search, as well as a bare receipt")
    func strictForms() throws {
        let (first, second) = (receipts[0], receipts[1])
        for text in [first.text, " \(first.text)\n", "[\"\(first.text)\",\"\(second.text)\"]", "\"\(first.text)\""] {
            let found = SearchedInput([UInt8](text.utf8))
            #expect(!found.isFoundBySearch)
            #expect(found.receipts == ReceiptInput.detect([UInt8](text.utf8)))
        }
    }

    @Test("a receipt in a string of JSON beside another receipt is found too")
    func hiddenInJSON() {
        let text = "{\"a\":\"\(receipts[0].text)\",\"b\":\"see \(receipts[1].text)\"}"
        let found = SearchedInput([UInt8](text.utf8))
        #expect(found.receipts == [receipts[0].input, receipts[1].input])
        #expect(found.isFoundBySearch)
    }
}

private let realData = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/realdata")

extension ReceiptInput {
    /// The form and the size, for a message.
    fileprivate var kind: String {
        switch self {
        case .jws(let jws): "JWS of \(jws.count)"
        case .play: "purchase"
        case .appReceipt: "app receipt"
        case .unrecognized: "nothing"
        case .unsearched: "a text that was not searched to its end"
        }
    }
}
