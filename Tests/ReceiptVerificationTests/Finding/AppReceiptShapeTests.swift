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

    /// The vector with another receipt in an unknown attribute, which a search finds too; no store signs such a receipt.
    private static let nested = "attributes 190"

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
                    let sample = Sample(
                        name: "\(file) \(test["id"]?.integer ?? 0)", bytes: bytes, verifier: verifier)
                    if sample.name != nested { samples.append(sample) }
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

    @Test("a receipt in quoted-printable before another one in PEM or YAML is one of two results")
    func quotedPrintableBeforeOthers() throws {
        for sample in try Self.samples.get() {
            let base64 = Base64.standard.encode(sample.bytes).replacing("=", with: "")
            for (before, after) in [("-----BEGIN PKCS7-----\n", "\n-----END PKCS7-----\n"), ("r: |\n  ", "\nx: 1\n")] {
                let block = AppReceiptShape.lines(Base64.standard.encode(sample.bytes), 64, "\n  ")
                let text = "\(AppReceiptShape.lines(base64, 75, "=\n"))\n\n\(before)\(block)\(after)"
                let receipts = SearchedInput([UInt8](text.utf8)).receipts
                #expect(
                    receipts.map { sample.verifier.verify($0).verdict } == [.verified, .verified], "\(sample.name)")
            }
        }
    }

    @Test(
        "base64 of a JWS before an app receipt in base64 has one result for each", arguments: ["\n", " ", "\n\n", ","])
    func afterEncodedJWS(separator: String) throws {
        let jws = try Fixture.jws()
        for sample in try Self.samples.get() {
            for encoded in [PasteShape.base64(jws), PasteShape.base64(jws + "\n"), PasteShape.base64(jws + "\r\n")] {
                let text = encoded + separator + Base64.standard.encode(sample.bytes)
                let receipts = SearchedInput([UInt8](text.utf8)).receipts
                #expect(receipts.count == 2 && receipts.contains(.jws([UInt8](jws.utf8))))
                #expect(receipts.count { sample.verifier.verify($0).verdict == .verified } == 1, "\(sample.name)")
            }
        }
    }

    @Test("a receipt in bytes after a label keeps a last byte that ends text files of Windows")
    func lastByte() throws {
        for sample in try Self.samples.get() where !sample.bytes.starts(with: [0x30, 0x80]) {
            let bytes = sample.bytes.dropLast() + [0x1A]
            #expect(SearchedInput([UInt8]("receipt: ".utf8) + bytes).receipts == [.appReceipt(Array(bytes))])
        }
    }

    @Test("the characters beside the bytes of a dump are no receipt, even if they begin like one")
    func dumpWithJWS() throws {
        let sample = try #require(try Self.samples.get().first)
        let shape = try #require(AppReceiptShape.all.first { $0.name == "by hexdump -C" })
        let text = String(decoding: shape.wrap(sample.bytes), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        lines[6] = "\(lines[6].prefix(60))|e30N.....u...//|"
        let found = SearchedInput([UInt8](lines.joined(separator: "\n").utf8)).receipts
        #expect(found == [.appReceipt(sample.bytes)])
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

    @Test("blanks where + belongs, letters of one case and missing lines are named, with one result")
    func namedDamage() throws {
        func rejection(_ text: String, of sample: Sample) throws -> VerificationFailure {
            let found = SearchedInput([UInt8](text.utf8)).receipts
            try #require(found.count == 1, "\(found.map(\.description))")
            #expect(ReceiptInput.detect([UInt8](text.utf8)) == found || !text.hasPrefix("MI"))
            return try #require(sample.verifier.verify(found[0]).failure)
        }
        for sample in try Self.samples.get() {
            let base64 = Base64.standard.encode(sample.bytes)
            let blanks = base64.replacing("+", with: " ")
            for text in [
                blanks, "{\"receipt-data\":\"\(blanks)\"}", "r: \(blanks)\nthanks", "r=\(blanks)&password=abc",
            ] {
                let failure = try rejection(text, of: sample)
                #expect(failure.code == .encoding && failure.actual?.contains("where + belongs") == true)
                #expect(failure.hint.contains("percent-encode"))
            }
            for text in [base64.lowercased(), base64.uppercased(), "r=\(base64.lowercased())\nthanks"] {
                let failure = try rejection(text, of: sample)
                #expect(failure.code == .encoding && failure.actual?.contains("same case") == true)
            }
            guard sample.name != "Xcode", !sample.bytes.starts(with: [0x30, 0x80]) else { continue }
            var lines = PasteShape.lines(base64, 76)
            lines.remove(at: 5)
            let failure = try rejection(lines.joined(separator: "\n"), of: sample)
            #expect(failure.hint.contains("cut off"))
        }
    }

    // MARK: Cases from the field

    private static let cases = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/field-cases")

    @Test(
        "each case from the field has its right answer, in a batch as well",
        .enabled(
            if: FileManager.default.fileExists(atPath: cases.path()), "the folder beside the repository is missing"),
        arguments: [
            ("06-volume-purchase.b64", [Verdict.verified]), ("07-lines-as-percent-0A.txt", [.verified]),
            ("07-percent-encoded.json", [.verified]), ("07-percent-encoded.txt", [.verified]),
            ("08-plus-became-blank.json", [.unverified]), ("08-plus-became-blank.txt", [.unverified]),
            ("09-csv-cell.txt", [.verified]), ("09-text-after.txt", [.verified]),
            ("09-two-receipts.txt", [.verified, .verified]), ("27-bytea.csv", [.verified]),
        ])
    func fieldCases(file: String, verdicts: [Verdict]) throws {
        func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: Self.cases.appending(path: name))) }
        var anchors = TrustAnchors()
        try anchors.add(read("app-receipt-root.der"))
        let now = try #require(Timestamp(rfc3339: "2026-11-28T00:00:00Z"))
        let verifier = ReceiptVerifier(trustAnchors: anchors, clock: { now })
        let text = try read(file)
        #expect(SearchedInput(text).receipts.map { verifier.verify($0).verdict } == verdicts)
        let format = file.hasSuffix(".csv") ? BatchFormat.csv(column: "receipt") : .whole
        let rows = try BatchRunner(format: format, verifier: verifier)(String(decoding: text, as: UTF8.self)).rows
        #expect(rows.map { $0["verdict"]?.text } == verdicts.map(\.rawValue))
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
