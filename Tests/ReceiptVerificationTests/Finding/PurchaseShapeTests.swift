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

    @Test("blanks where + belongs are named, in a form and in a table too, with one result")
    func blanks() throws {
        let shapes: [(PurchaseShape.Parts) -> String] = [
            { $0.object }, { "\($0.names.0)=\($0.data)&\($0.names.1)=\($0.signature)" },
            { $0.form }, { $0.form.replacing("%20", with: " ") }, { "user=1&\($0.form)&v=2" },
            { "1,\($0.cell($0.data)),\($0.cell($0.signature))\n" },
            { "\($0.names.1);\($0.names.0)\n\($0.signature);\($0.cell($0.data))\n" },
            { "\($0.data)\n\($0.signature)\n" },
        ]
        var count = 0
        for purchase in Self.purchases where purchase.isVerified && purchase.signature.contains("+") {
            let signature = purchase.signature.replacing("+", with: " ")
            for (number, shape) in shapes.enumerated() {
                let text = shape(PurchaseShape.Parts(data: purchase.data, signature: signature))
                let found = SearchedInput([UInt8](text.utf8)).receipts
                #expect(found.count == 1, "\(number): \(found.count)")
                let failure = found.first.flatMap { purchase.verifier.verify($0).failure }
                #expect(failure?.code == .encoding && failure?.actual == "base64 with blanks", "\(number): \(text)")
            }
            count += 1
        }
        #expect(count > 0)
    }

    // MARK: Several purchases

    /// A way in which several purchases are sent or printed together.
    struct ListShape: Sendable, CustomTestStringConvertible {
        let name: String
        let wrap: @Sendable ([PurchaseShape.Parts]) -> String
        var testDescription: String { name }

        init(_ name: String, _ wrap: @escaping @Sendable ([PurchaseShape.Parts]) -> String) {
            (self.name, self.wrap) = (name, wrap)
        }
    }

    private static func lists(
        _ names: (String, String), _ parts: [PurchaseShape.Parts], before: String = "", after: String = ""
    ) -> String {
        let data = parts.map { $0.quoted($0.data) }.joined(separator: ", ")
        let signatures = parts.map { $0.quoted($0.signature) }.joined(separator: ",")
        return "\(before){\"\(names.0)\": [\(data)], \"\(names.1)\": [\(signatures)]}\(after)"
    }

    static let lists: [ListShape] = [
        .init("as two lists of getPurchases") {
            lists(("INAPP_PURCHASE_DATA_LIST", "INAPP_DATA_SIGNATURE_LIST"), $0)
        },
        .init("as two lists under the names of one purchase") { lists(("data", "signature"), $0) },
        .init("as two lists in text") { lists(("d", "s"), $0, before: "answer: ", after: " (3 ms)") },
        .init("as two lists, the signatures first") { parts in
            "{\"s\":[\(parts.map { $0.quoted($0.signature) }.joined(separator: ","))],"
                + "\"d\":[\(parts.map { $0.quoted($0.data) }.joined(separator: ","))]}"
        },
        .init("as a printed Bundle") { parts in
            "Bundle[{INAPP_PURCHASE_DATA_LIST=[\(parts.map(\.data).joined(separator: ", "))], "
                + "INAPP_DATA_SIGNATURE_LIST=[\(parts.map(\.signature).joined(separator: ", "))]}]"
        },
        .init("in lines, all data first") { ($0.map(\.data) + $0.map(\.signature)).joined(separator: "\n") },
        .init("in lines, all signatures first") { ($0.map(\.signature) + $0.map(\.data)).joined(separator: "\n") },
        .init("in lines, each data before its signature") { parts in
            parts.map { "\($0.data)\n\($0.signature)" }.joined(separator: "\n")
        },
        .init("in lines, each signature before its data") { parts in
            parts.map { "\($0.signature)\n\($0.data)" }.joined(separator: "\n")
        },
        .init("as objects") { parts in "[\(parts.map(\.object).joined(separator: ","))]" },
        .init("as members of one object") { parts in
            let data = parts.enumerated().map { "\"d\($0)\":\($1.quoted($1.data))" }
            let signatures = parts.enumerated().map { "\"s\($0)\":\($1.quoted($1.signature))" }
            return "{\((data + signatures).joined(separator: ","))}"
        },
    ]

    private struct Several {
        var parts: [PurchaseShape.Parts] = []
        let verifier: ReceiptVerifier

        init() throws {
            let key = try TestPlayKey(bits: 1024)
            var keys = PlayKeyring()
            keys.add([UInt8](key.publicKey.utf8), forPackage: "a.b")
            verifier = ReceiptVerifier(playKeys: keys)
            for number in 1...3 {
                let data =
                    "{\"orderId\":\"GPA.\(number)\",\"packageName\":\"a.b\",\"productId\":\"p\",\"purchaseTime\":1760000000000,"
                    + "\"purchaseState\":0,\"purchaseToken\":\"t\(number)\"}"
                parts.append(.init(data: data, signature: try key.sign(data)))
            }
        }

        func verdicts(_ text: String) -> [Verdict] {
            SearchedInput([UInt8](text.utf8)).receipts.map { verifier.verify($0).verdict }
        }
    }

    private static let several = Result { try Several() }

    @Test("[OTP-7.4] each of two or three purchases has its own signature and result", arguments: lists)
    func severalPurchases(shape: ListShape) throws {
        let several = try Self.several.get()
        for count in [1, 2, 3] {
            let verdicts = several.verdicts(shape.wrap(Array(several.parts.prefix(count))))
            #expect(verdicts == Array(repeating: .verified, count: count))
        }
    }

    @Test("[OTP-7.4] data without a signature beside purchases has a result, and takes none of their signatures")
    func unpairedData() throws {
        let several = try Self.several.get()
        let parts = several.parts
        let texts = [
            [parts[0].data, parts[0].signature, parts[1].data, parts[2].data, parts[2].signature],
            [parts[0].signature, parts[0].data, parts[1].data, parts[2].signature, parts[2].data],
            [parts[1].data, parts[0].data, parts[0].signature, parts[2].data, parts[2].signature],
        ]
        for text in texts {
            for joined in [text.joined(separator: "\n"), "[\(text.map(parts[0].quoted).joined(separator: ","))]"] {
                let verdicts = several.verdicts(joined)
                #expect(verdicts.count == 3 && verdicts.count { $0 == .verified } == 2, "\(verdicts)")
            }
        }
        let stray = [parts[0].data, parts[0].signature, parts[1].signature, parts[2].data, parts[2].signature]
        #expect(several.verdicts(stray.joined(separator: "\n")) == [.verified, .verified])
        // A log prints the same data twice.
        let printed = parts[0].data.replacing(",", with: ", ")
        #expect(several.verdicts("\(parts[0].data) \(parts[0].signature)\n\(printed)\n") == [.verified])
    }

    // MARK: Several signatures

    private func verdicts(_ text: String, _ several: Several) -> [Verdict] {
        SearchedInput([UInt8](text.utf8), SignatureTrials(several.verifier.playKeys)).receipts
            .map { several.verifier.verify($0).verdict }
    }

    @Test("[OTP-7.4] of several signatures, the valid one belongs to the data, wherever it stands, with one result")
    func validSignature() throws {
        let several = try Self.several.get()
        let part = several.parts[0]
        let wrong = several.parts[1].signature
        func quoted(_ texts: [String]) -> [String] { texts.map(part.quoted) }
        let orders = [
            [wrong, part.data, part.signature], [part.signature, part.data, wrong], [part.data, wrong, part.signature],
            [part.signature, wrong, part.data], [wrong, part.signature, part.data],
            [wrong, several.parts[2].signature, part.data, part.signature],
        ]
        for order in orders {
            let members = quoted(order).enumerated().map { "\"m\($0)\":\($1)" }.joined(separator: ",")
            for text in [order.joined(separator: "\n"), "[\(quoted(order).joined(separator: ","))]", "{\(members)}"] {
                #expect(verdicts(text, several) == [.verified], "\(text)")
                #expect(several.verifier.verifyInput([UInt8](text.utf8)).reports.map(\.verdict) == [.verified])
                // Without the key, or without the right signature, there is still one result.
                #expect(SearchedInput([UInt8](text.utf8)).receipts.count == 1)
                let damaged = text.replacing(part.signature, with: several.parts[2].signature)
                #expect(verdicts(damaged, several) == [.unverified])
            }
        }
    }

    @Test("[OTP-7.4] a valid signature does not replace the one under the known name, and data takes only its own")
    func validNames() throws {
        let several = try Self.several.get()
        let (part, other) = (several.parts[0], several.parts[1])
        func object(_ members: [(String, String)]) -> String {
            "{\(members.map { "\"\($0.0)\":\(part.quoted($0.1))" }.joined(separator: ","))}"
        }
        let texts = [
            object([("data", part.data), ("signature", other.signature), ("x", part.signature)]),
            object([
                ("originalJson", part.data), ("signature", other.signature), ("signatureAndroid", part.signature),
            ]),
            object([("data", part.data), ("signature", "AAAA"), ("x", part.signature)]),
        ]
        for text in texts { #expect(verdicts(text, several).first == .unverified, "\(text)") }
        let lists = "{\"d\":[\(part.quoted(part.data)),\(part.quoted(other.data))],"
        for (signatures, verified) in [
            ([other.signature, part.signature], 2), ([part.signature], 1), ([other.signature], 1),
        ] {
            let text = lists + "\"s\":[\(signatures.map(part.quoted).joined(separator: ","))]}"
            let found = verdicts(text, several)
            #expect(found.count == 2 && found.count { $0 == .verified } == verified, "\(signatures.count) \(found)")
        }
    }

    @Test("any number of wrong signatures costs a bounded number of verifications")
    func boundedTrials() throws {
        let several = try Self.several.get()
        let trials = try #require(SignatureTrials(several.verifier.playKeys))
        let part = several.parts[0]
        let wrong = (0..<300).map { number in
            [UInt8](Base64.standard.encode((0..<128).map { UInt8(truncatingIfNeeded: $0 &* (number &+ 3)) }).utf8)
        }
        #expect(trials.valid(among: wrong, over: [UInt8](part.data.utf8)) == nil)
        // Nothing is left for the right one, and a pair keeps its result.
        #expect(!trials.isValid([UInt8](part.signature.utf8), over: [UInt8](part.data.utf8)))
        let others = try #require(SignatureTrials(several.verifier.playKeys))
        #expect(others.isValid([UInt8](part.signature.utf8), over: [UInt8](part.data.utf8)))
        #expect(others.valid(among: wrong, over: [UInt8](part.data.utf8)) == nil)
        #expect(others.isValid([UInt8](part.signature.utf8), over: [UInt8](part.data.utf8)))
        #expect(SignatureTrials(PlayKeyring()) == nil)
    }

    @Test("the corpus has the promised size, and genuine purchases and others")
    func size() {
        #expect(PurchaseShape.all.count >= 30)
        #expect(Set(PurchaseShape.all.map(\.name)).count == PurchaseShape.all.count)
        #expect(Purchase.ofVectors.count >= 30)
        #expect(Self.purchases.contains(where: \.isVerified) && Self.purchases.contains { !$0.isVerified })
    }
}
