import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A folder beside the repository with receipts that Apple and Google signed.
private let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/realdata")

private struct Index: Decodable {
    struct Item: Decodable {
        var file: String
        var verdict: String
        var payloadKind: String?
        var environment: String?
        var bundleId: String?
        var signedDate: String?
        var testRoot: String?
        var withTestRoot: [String]?
    }
    var items: [Item]
}

private let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}()

private let items =
    (try? decoder.decode(Index.self, from: Data(contentsOf: folder.appending(path: "index.json"))))?
    .items ?? []

@Suite(
    "Real data",
    .enabled(if: !items.isEmpty, "the folder with receipts that the stores signed is missing beside the repository")
)
struct RealDataTests {
    @Test("[OTP-7.4] [OTP-9.2] each JWS that a store signed has the verdict of an independent verifier")
    func verdictsAgree() throws {
        let jws = items.filter { $0.file.hasPrefix("jws/") }
        #expect(jws.count == 9)
        for item in jws {
            let report = try verify(item, ReceiptVerifier())
            #expect(
                (report.verdict == .verified) == (item.verdict == "valid"),
                "\(item.file): \(report.failure?.description ?? "")")
            guard report.verdict == .verified, let payload = report.payload else { continue }
            #expect(report.kind?.rawValue == item.payloadKind)
            // The index has no fractions of seconds.
            #expect(report.signingTime?.description.prefix(19) == item.signedDate?.prefix(19))
            let data = payload["data"]?.object ?? payload
            if let bundle = item.bundleId { #expect(data["bundleId"]?.text == bundle) }
            #expect(data["environment"]?.text == item.environment)
        }
    }

    @Test("[OTP-7.4] mock data has the expected verdict under its test root")
    func testRootsVerify() throws {
        for item in items {
            guard let root = item.testRoot, let expected = item.withTestRoot?.first else { continue }
            var anchors = TrustAnchors()
            try anchors.add(bytes(root))
            let report = try verify(item, ReceiptVerifier(trustAnchors: anchors))
            #expect(
                (report.verdict == .verified) == (expected == "valid"),
                "\(item.file): \(report.failure?.description ?? "")")
        }
    }

    @Test("a transaction of Xcode verifies only if its certificate is added as a root")
    func xcodeRequiresItsRoot() throws {
        let text = try bytes("jws/xcode-transaction.jws")
        let jws = try #require(String(bytes: text, encoding: .utf8)).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(ReceiptVerifier().verifyTransaction(jws).failure?.code == .chainLength)
        let header = try #require(UntrustedReceipt(decoding: [UInt8](jws.utf8))).header
        let certificate = try #require(header["x5c"]?.elements?.first?.text.flatMap(Base64.standard.decode))
        var anchors = TrustAnchors.apple
        try anchors.add(certificate)
        let verifier = ReceiptVerifier(trustAnchors: anchors)
        let transaction = try #require(verifier.verifyTransaction(jws).verifiedPayload)
        #expect(transaction.environment == .xcode)
        let production = ReceiptVerifier(policy: .init(environments: [.production]), trustAnchors: anchors)
        #expect(production.verifyTransaction(jws).failure?.code == .environmentMismatch)
    }

    @Test("[OTP-7.4] a Google Play purchase has the expected verdict with its app's key, and key-not-found without it")
    func playPurchasesAgree() throws {
        for item in items where item.file.hasPrefix("play/") {
            let text = try bytes(item.file)
            let object = try #require((try? JSONDocument.value(of: text))?.object)
            var keys = PlayKeyring()
            keys.add([UInt8](try #require(object["publicKey"]?.text).utf8), forPackage: "my.package")
            let report = ReceiptVerifier(playKeys: keys).verify(try #require(ReceiptInput.detect(text).first))
            #expect((report.verdict == .verified) == (item.verdict == "valid"))
            // The key in the same JSON object is not trusted.
            let without = ReceiptVerifier().verify(try #require(ReceiptInput.detect(text).first))
            #expect(without.failure?.code == .keyNotFound)
        }
    }

    @Test("[OTP-7.4] [OTP-9.2] each app receipt has the verdict of an independent verifier")
    func appReceiptsAgree() throws {
        let receipts = items.filter { $0.file.hasPrefix("receipts/") }
        #expect(receipts.count == 3)
        for item in receipts {
            let report = try verify(item, ReceiptVerifier())
            #expect(
                (report.verdict == .verified) == (item.verdict == "valid"),
                "\(item.file): \(report.failure?.description ?? "")")
            guard let payload = report.payload else { continue }
            #expect(report.signingTime?.description == item.signedDate)
            #expect(payload["bundleId"]?.text == item.bundleId)
            #expect(payload["receiptType"]?.text == item.environment)
        }
    }

    private func bytes(_ file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: file)))
    }

    private func verify(_ item: Index.Item, _ verifier: ReceiptVerifier) throws -> ReceiptReport {
        verifier.verify(try #require(ReceiptInput.detect(try bytes(item.file)).first))
    }
}
