import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Shapes × app receipts, genuine and damaged.
@Suite("App receipts in what was pasted")
struct AppReceiptShapeTests {
    private struct Sample: Sendable {
        let name: String
        /// The receipt in DER or BER.
        let bytes: [UInt8]
        let verifier: ReceiptVerifier
    }

    /// The receipts that Apple signed, and valid ones of the vectors: two of them, or as many as the environment says.
    private static let samples = Result { try makeSamples() }
    private static let vectorCount = Int(ProcessInfo.processInfo.environment["APP_RECEIPT_VECTORS"] ?? "") ?? 2

    private static func makeSamples() throws -> [Sample] {
        var samples = try vectors()
        for (name, file) in [("2015", RealReceipts.sha1), ("2025", RealReceipts.sha256), ("Xcode", RealReceipts.xcode)]
        where !file.isEmpty {
            var anchors = TrustAnchors.apple
            if name == "Xcode" { try anchors.add(RealReceipts.xcodeRoot) }
            samples.append(
                Sample(name: name, bytes: RealReceipts.decoded(file), verifier: ReceiptVerifier(trustAnchors: anchors)))
        }
        return samples
    }

    private static func vectors() throws -> [Sample] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestVectors")
        var samples: [Sample] = []
        for file in ["container", "claims", "chain", "attributes"] {
            let text = [UInt8](try Data(contentsOf: folder.appending(path: "app-receipt-\(file).json")))
            for group in (try JSONDocument.value(of: text)).object?["groups"]?.elements?.compactMap(\.object) ?? [] {
                let shared = group["shared"]?.elements?.compactMap(\.text) ?? []
                var anchors = TrustAnchors()
                for root in group["roots"]?.elements?.compactMap(\.text) ?? [] {
                    _ = try? anchors.add(Base64.standard.decode(root) ?? [])
                }
                guard let clock = group["clock"]?.text.flatMap(Timestamp.init(rfc3339:)) else { continue }
                let verifier = ReceiptVerifier(trustAnchors: anchors, clock: { clock })
                for test in group["tests"]?.elements?.compactMap(\.object) ?? [] {
                    let parts = (test["receipt"]?.elements ?? []).map { part in
                        (part.text ?? part.integer.map { shared[Int($0)] }).flatMap(Base64.standard.decode)
                    }
                    let bytes = parts.compactMap(\.self).flatMap(\.self)
                    guard test["verdict"]?.text == "verified",
                        verifier.verify(.appReceipt(bytes)).verdict == .verified
                    else { continue }
                    samples.append(
                        Sample(name: "\(file) \(test["id"]?.integer ?? 0)", bytes: bytes, verifier: verifier))
                    if samples.count == vectorCount { return samples }
                }
            }
        }
        return samples
    }

    // MARK: Genuine receipts

    @Test("a genuine receipt in each shape has one result, which is verified", arguments: AppReceiptShape.all)
    func genuine(shape: AppReceiptShape) throws {
        for sample in try Self.samples.get() {
            let found = SearchedInput(shape.wrap(sample.bytes))
            let verdicts = found.receipts.map { sample.verifier.verify($0).verdict }
            #expect(
                verdicts == [.verified], "\(sample.name): \(found.receipts.map { String($0.description.prefix(80)) })")
        }
    }

    @Test("two receipts in one text have two results", arguments: ["\n", " ", ",", "", "\n\n", "\",\"", "&r="])
    func several(separator: String) throws {
        for sample in try Self.samples.get() {
            let base64 = Base64.standard.encode(sample.bytes)
            let texts = [base64 + separator + base64, "r=\(base64)\(separator)\(base64)\nthanks a lot\n"]
            for text in texts {
                let receipts = SearchedInput([UInt8](text.utf8)).receipts
                #expect(
                    receipts.map { sample.verifier.verify($0).verdict } == [.verified, .verified], "\(sample.name)")
            }
        }
    }

    // MARK: Damaged receipts

    @Test("a damaged receipt in each shape has one result, which is not verified", arguments: AppReceiptShape.all)
    func damaged(shape: AppReceiptShape) throws {
        for sample in try Self.samples.get() {
            let count = sample.bytes.count
            var damaged: [(String, [UInt8])] = [100, count / 3, count / 2].map {
                ("cut at \($0)", Array(sample.bytes[..<$0]))
            }
            for place in [25, count / 4, count / 2 + 1, count - 30] {
                var bytes = sample.bytes
                bytes[place] ^= 0x04
                damaged.append(("changed at \(place)", bytes))
            }
            for (name, bytes) in damaged {
                let found = SearchedInput(shape.wrap(bytes))
                let verdicts = found.receipts.map { sample.verifier.verify($0).verdict }
                #expect(
                    verdicts == [.unverified],
                    "\(sample.name) \(name): \(found.receipts.map { String($0.description.prefix(80)) })")
            }
        }
    }
}

extension ReceiptInput {
    /// The form and the first bytes, for a message.
    fileprivate var description: String {
        switch self {
        case .jws(let bytes): "jws " + String(decoding: bytes.prefix(60), as: UTF8.self)
        case .play(let data, _): "play " + String(decoding: data.prefix(60), as: UTF8.self)
        case .appReceipt(let bytes):
            "app receipt of \(bytes.count): " + String(decoding: bytes.prefix(40), as: UTF8.self)
        case .unrecognized(let bytes): "unrecognized \(bytes.count)"
        case .unsearched: "unsearched"
        }
    }
}
