import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

private let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// A purchase of the vectors or of the store, with its keys.
private struct Purchase {
    let data: String
    let signature: String
    let verifier: ReceiptVerifier
    let isVerified: Bool

    init?(_ input: ReceiptInput, _ verifier: ReceiptVerifier) {
        guard case .play(let data, let signature) = input, PlayValue.isData(data), PlayValue.isSignature(signature)
        else { return nil }
        (self.data, self.signature) = (
            String(decoding: data, as: UTF8.self), String(decoding: signature, as: UTF8.self)
        )
        guard [UInt8](self.data.utf8) == data else { return nil }
        self.verifier = verifier
        isVerified = verifier.verify(input).verdict == .verified
    }

    static func keys(_ members: JSONObject?) -> PlayKeyring {
        var keys = PlayKeyring()
        for member in members?.members ?? [] {
            keys.add([UInt8]((member.value.text ?? "").utf8), forPackage: member.name)
        }
        return keys
    }

    static let ofVectors: [Purchase] = {
        guard let bytes = try? Data(contentsOf: package.appending(path: "TestVectors/play.json")),
            let file = (try? JSONDocument.value(of: [UInt8](bytes)))?.object
        else { return [] }
        return (file["groups"]?.elements ?? []).compactMap(\.object).flatMap { group in
            let verifier = ReceiptVerifier(playKeys: keys(group["keys"]?.object))
            return (group["tests"]?.elements ?? []).compactMap { test -> Purchase? in
                let inputs = ReceiptInput.detect([UInt8]((test.object?["input"]?.text ?? "").utf8))
                return inputs.count == 1 ? Purchase(inputs[0], verifier) : nil
            }
        }
    }()

    static let ofTheStore: [Purchase] = ["awa-normal", "awa-signature-is-invalid"].compactMap { name in
        let path = package.deletingLastPathComponent().appending(path: "shared/realdata/play/\(name).json")
        guard let bytes = try? [UInt8](Data(contentsOf: path)),
            let object = (try? JSONDocument.value(of: bytes))?.object, let input = ReceiptInput.detect(bytes).first
        else { return nil }
        var members = JSONObject()
        members["my.package"] = object["publicKey"]
        return Purchase(input, ReceiptVerifier(playKeys: keys(members)))
    }
}

@Suite("Google Play purchases in any wrapping")
struct PurchaseShapeTests {
    /// Some purchases, or all of them if the environment says so.
    private static let purchases: [Purchase] = {
        let all = Purchase.ofVectors
        let count = ProcessInfo.processInfo.environment["PURCHASE_WRAPPINGS"].flatMap(Int.init) ?? 4
        let step = max(all.count / max(count, 1), 1)
        return Purchase.ofTheStore + stride(from: 0, to: all.count, by: step).map { all[$0] }
    }()

    @Test("[OTP-7.4] a purchase has its verdict in every shape and under any names, once", arguments: PurchaseShape.all)
    func isFound(shape: PurchaseShape) {
        for (number, purchase) in Self.purchases.enumerated() {
            for names in PurchaseShape.names {
                let parts = PurchaseShape.Parts(data: purchase.data, signature: purchase.signature, names: names)
                let found = SearchedInput(shape.wrap(parts)).receipts
                #expect(found.count == 1, "\(names) of \(number): \(found.count)")
                let verdict = found.first.map { purchase.verifier.verify($0).verdict }
                #expect((verdict == .verified) == purchase.isVerified, "\(names) of \(number): \(purchase.data)")
            }
        }
    }

    @Test("[OTP-7.4] a damaged purchase is not verified in any shape, and has one result", arguments: PurchaseShape.all)
    func damageNeverVerifies(shape: PurchaseShape) throws {
        for (number, purchase) in Self.purchases.enumerated() where purchase.isVerified {
            let (data, signature) = (purchase.data, purchase.signature)
            let middle = signature.index(signature.startIndex, offsetBy: signature.count / 2)
            let other = signature[middle] == "A" ? "B" : "A"
            let damaged: [(String, String)] = [
                (data.replacing("\"purchaseState\":0", with: "\"purchaseState\":00"), signature),
                (data.replacing("purchaseTime\":1", with: "purchaseTime\":2"), signature),
                (data.replacing(",", with: ", "), signature),
                (data, signature[..<middle] + other + signature[signature.index(after: middle)...]),
                (data, String(signature.reversed().drop { $0 == "=" }) + "=="),
            ]
            for (index, (data, signature)) in damaged.enumerated()
            where (data, signature) != (purchase.data, purchase.signature) {
                for names in PurchaseShape.names {
                    let parts = PurchaseShape.Parts(data: data, signature: signature, names: names)
                    let found = SearchedInput(shape.wrap(parts)).receipts
                    #expect(found.count == 1, "\(names) of \(number), \(index): \(found.count)")
                    for input in found {
                        #expect(purchase.verifier.verify(input).verdict != .verified, "\(names) of \(number), \(index)")
                    }
                }
            }
        }
    }

    @Test("the corpus has the promised size, and genuine purchases and others")
    func size() {
        #expect(PurchaseShape.all.count >= 30)
        #expect(Set(PurchaseShape.all.map(\.name)).count == PurchaseShape.all.count)
        #expect(Purchase.ofVectors.count >= 30)
        #expect(Self.purchases.contains(where: \.isVerified) && Self.purchases.contains { !$0.isVerified })
    }
}
