import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Random texts of genuine and damaged receipts in random wrappings.
///
/// The environment variable `RECEIPT_TEXTS` sets the number of texts.
@Suite("The search in random texts")
struct SearchPropertyTests {
    private static let rounds = ProcessInfo.processInfo.environment["RECEIPT_TEXTS"].flatMap(Int.init) ?? 100

    /// Another encoding than UTF-8 can only be that of a complete text.
    private static let encodings = PasteShape.all.filter { $0.name.contains("UTF-16") && !$0.name.contains("base64") }
    private static let shapes = PasteShape.all.filter { shape in
        !shape.isForJWS && !encodings.contains { $0.name == shape.name }
            && String(validating: shape.wrap("a"), as: UTF8.self) != nil
    }
    private static let separators = ["\n", "\n\n", " ", ", ", " and ", "\t", "; receipt=", "\n\n> ", ".\n", " | "]
    private static let prose = [
        "", "Hello", "It does not work: 100% broken {why}?", "C:\\Users\\ann", "id=5&a=b", "see \"this\" <b>now</b>",
        "eyJ", "eyJhIjoxfQ", "a.b.c", "https://example.com/a.b.c?d=e==", "5\" + 3/4",
        "aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91Pw==",
    ]
    private static let damage = [UInt8](
        "ABCXYZabcxyz0189-_ABCXYZabcxyz0189-_+/=.!$*~@,;:(){}[]'\"".utf8)

    private struct Text {
        var genuine: [ReceiptInput] = []
        var damagedCount = 0
        var bytes: [UInt8] = []
    }

    private let receipts: [String]
    private let verifier: ReceiptVerifier

    init() throws {
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .subscribed
        notification.notificationUUID = "00000000-0000-4000-8000-000000000001"
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = try Fixture.jws()
        notification.data = data
        receipts = try [Fixture.jws(), Fixture.jws(2), try #require(Fixture.authority).signer.sign(notification)]
        verifier = try Fixture.verifier()
    }

    private func wrap(_ text: String, _ generator: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...2, using: &generator)).reduce(text) { text, _ in
            guard text.utf8.count < 20_000, let shape = Self.shapes.randomElement(using: &generator) else {
                return text
            }
            return String(decoding: shape.wrap(text), as: UTF8.self)
        }
    }

    /// Returns a receipt with damage at one place; nil if it is no longer recognizable, or was not changed.
    private func damaged(_ receipt: String, _ generator: inout SplitMix64) -> String? {
        var text = [UInt8](receipt.utf8)
        let index = Int.random(in: text.indices, using: &generator)
        let byte = Self.damage.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: text[index] = byte
        case 1: text.insert(byte, at: index)
        case 2: text.remove(at: index)
        case 3: text.removeSubrange(index..<min(index + Int.random(in: 1...64, using: &generator), text.count))
        default: text.append(contentsOf: [byte == UInt8(ascii: ".") ? UInt8(ascii: "A") : byte, UInt8(ascii: "A")])
        }
        let result = String(decoding: text, as: UTF8.self)
        // What is appended after a sign that is in no JWS is other text.
        guard result.hasPrefix("eyJ"), result.count(where: { $0 == "." }) >= 2, !result.hasPrefix(receipt + "."),
            !receipts.contains(where: { ReceiptFinder(text).findings.receipts.contains(.jws([UInt8]($0.utf8))) })
        else { return nil }
        return result
    }

    private func text(_ generator: inout SplitMix64) -> Text {
        var text = Text()
        var string = ""
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            string += Self.prose.randomElement(using: &generator) ?? ""
            string += Self.separators.randomElement(using: &generator) ?? ""
            guard let receipt = receipts.randomElement(using: &generator) else { continue }
            if Bool.random(using: &generator), let damaged = damaged(receipt, &generator) {
                text.damagedCount += 1
                string += wrap(damaged, &generator)
            } else {
                text.genuine.append(.jws([UInt8](receipt.utf8)))
                string += wrap(receipt, &generator)
            }
            string += Self.separators.randomElement(using: &generator) ?? ""
        }
        text.bytes = [UInt8](wrap(string, &generator).utf8)
        if Int.random(in: 0..<8, using: &generator) == 0, let encoding = Self.encodings.randomElement(using: &generator)
        {
            text.bytes = encoding.wrap(String(decoding: text.bytes, as: UTF8.self))
        }
        return text
    }

    @Test("only the bytes of genuine receipts are verified, and a text with a damaged one is never verified as a whole")
    func randomTexts() {
        var generator = SplitMix64(seed: 20_261_123)
        let genuine = Set(receipts.map { ReceiptInput.jws([UInt8]($0.utf8)) })
        var (complete, found, damaged) = (0, 0, 0)
        for round in 0..<Self.rounds {
            let text = text(&generator)
            let searched = SearchedInput(text.bytes)
            let others = searched.receipts.filter { !genuine.contains($0) }
            for input in others { #expect(verifier.verify(input).verdict != .verified, "round \(round)") }
            if text.damagedCount > 0 {
                damaged += 1
                let isReported = !others.isEmpty
                #expect(isReported, "round \(round)")
            } else {
                complete += 1
                if searched.receipts.filter(genuine.contains) == text.genuine { found += 1 }
            }
        }
        // Wrappings that exclude each other hide receipts: a text then has no result that is verified as a whole.
        #expect(damaged > Self.rounds / 3)
        #expect(found > complete / 2, "\(found) of \(complete)")
    }
}
