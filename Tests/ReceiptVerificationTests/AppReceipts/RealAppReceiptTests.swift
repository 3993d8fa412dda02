import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Tests the verdicts about app receipts that Apple and Xcode signed.
@Suite(
    "Real app receipts",
    .enabled(if: RealReceipts.arePresent, "the folder with app receipts is missing beside the repository")
)
struct RealAppReceiptTests {
    @Test("[OTP-7.4] a receipt that Apple signed with SHA-1 in 2015 is verified, with its attributes and purchases")
    func sha1() throws {
        let report = ReceiptVerifier().verify(.appReceipt(RealReceipts.sha1))
        #expect(report.verdict == .verified, "\(report.failure?.description ?? "")")
        #expect(report.kind == .appReceipt)
        #expect(report.signingTime?.description == "2015-05-25T15:22:10Z")
        #expect(report.anchor?.subject == "Apple Root CA")
        #expect(report.anchor?.isBuiltIn == true)
        let receipt = AppReceipt(members: try #require(report.payload))
        #expect(receipt.bundleId == "com.cocoanetics.EmmiView")
        #expect(receipt.environment == .sandbox)
        #expect(receipt.applicationVersion == "246")
        #expect(receipt.originalApplicationVersion == "1.0")
        #expect(receipt.ageRating == "4+")
        #expect(receipt.opaqueValue == "KaEOPs46hbkIOlA/4gbjPQ==")
        #expect(receipt.unknownAttributes?.compactMap(\.type) == [8, 20, 11, 14, 25, 9, 6, 7])
        let purchases = try #require(receipt.inApp)
        #expect(purchases.count == 6)
        let last = try #require(purchases.last)
        #expect(last.transactionId == "1000000156444989")
        #expect(last.originalTransactionId == "1000000156444989")
        #expect(last.productId == "com.cocoanetics.EmmiView.OneMonth")
        #expect(last.productType == .autoRenewableSubscription)
        #expect(last.quantity == 1)
        #expect(last.isTrialPeriod == 1)
        #expect(last.webOrderLineItemId == 1_000_000_029_801_036)
        #expect(last.purchaseDate?.description == "2015-05-23T12:18:02Z")
        #expect(last.expiresDate?.description == "2015-05-23T15:06:02Z")
        #expect(last.cancellationDate == nil)
    }

    @Test("[OTP-7.4] a receipt that Apple signed with SHA-256 in 2025 is verified")
    func sha256() throws {
        let result = ReceiptVerifier().verifyAppReceipt(RealReceipts.sha256)
        let receipt = try #require(result.verifiedPayload, "\(result.failure?.description ?? "")")
        #expect(receipt.bundleId == "dev.bonzer.weeka.app")
        #expect(receipt.receiptType == .sandbox)
        #expect(receipt.operatingSystemVersion == 180_602)
        #expect(receipt.inApp?.map(\.transactionId) == ["2000001092134138", "2000001092148094"])
        #expect(receipt.inApp?.first?.isInIntroOfferPeriod == 0)
    }

    @Test("a receipt of Xcode is verified only under its own certificate, and only as a receipt of Xcode")
    func xcode() throws {
        let input = ReceiptInput.appReceipt(RealReceipts.xcode)
        let untrusted = ReceiptVerifier().verify(input)
        #expect(untrusted.failure?.code == .chainLength)
        var anchors = TrustAnchors.apple
        try anchors.add(try RealReceipts.xcodeRoot)
        let report = ReceiptVerifier(trustAnchors: anchors).verify(input)
        #expect(report.verdict == .verified, "\(report.failure?.description ?? "")")
        let receipt = AppReceipt(members: try #require(report.payload))
        #expect(receipt.environment == .xcode)
        #expect(receipt.bundleId == "com.example.naturelab.backyardbirds.example")
        #expect(receipt.inApp?.map(\.productId) == ["pass.premium"])
        #expect(report.signingTime?.description == "2023-10-19T01:45:40Z")
        let real = ReceiptVerifier(policy: .init(environments: [.sandbox]), trustAnchors: anchors).verify(input)
        #expect(real.failure?.code == .environmentMismatch)
    }

    @Test("a receipt is found in each wrapping in which apps and servers send it")
    func wrappings() throws {
        let der = RealReceipts.decoded(RealReceipts.sha256)
        let base64 = Base64.standard.encode(der)
        let lines = stride(from: 0, to: base64.count, by: 64).map { String(base64.dropFirst($0).prefix(64)) }
        let texts = [
            base64, lines.joined(separator: "\r\n") + "\r\n",
            base64.replacing("+", with: "-").replacing("/", with: "_"),
            base64.replacing("=", with: ""), "{\"receipt-data\":\"\(base64)\",\"password\":\"x\"}",
            "{\"status\":0,\"latest_receipt\":\"\(base64.replacing("/", with: "\\/"))\"}",
            "{\"unified_receipt\":{\"status\":0,\"latest_receipt\":\"\(base64)\"}}", "\"\(base64)\"",
        ]
        for text in [der] + texts.map({ [UInt8]($0.utf8) }) {
            let found = ReceiptInput.detect(text)
            #expect(found.count == 1)
            #expect(ReceiptVerifier().verify(try #require(found.first)).verdict == .verified)
            let searched = SearchedInput(text)
            #expect(searched.receipts.map { ReceiptVerifier().verify($0).verdict } == [.verified])
        }
    }

    @Test("DER that ends in the byte of a space keeps its last byte")
    func lastByte() {
        for byte: UInt8 in [0x20, 0x0A, 0x0D, 0x09] {
            let der = RealReceipts.sha1.dropLast() + [byte]
            #expect(ReceiptInput.detect([UInt8](der)) == [.appReceipt([UInt8](der))])
        }
    }

    @Test("a batch verifies receipts in lines, in a member of JSON and in a column of CSV")
    func batch() throws {
        let texts = [RealReceipts.sha1, RealReceipts.sha256, RealReceipts.xcode].map {
            Base64.standard.encode(RealReceipts.decoded($0))
        }
        let inputs: [(BatchFormat, String)] = [
            (.lines, texts.joined(separator: "\n")),
            (.json(field: "receipt"), texts.map { "{\"receipt\":\"\($0)\"}" }.joined(separator: "\n")),
            (.csv(column: "receipt"), "id,receipt\n" + texts.map { "1,\($0)" }.joined(separator: "\n") + "\n"),
        ]
        for (format, text) in inputs {
            let rows = try BatchRunner(format: format, verifier: ReceiptVerifier())(text).rows
            #expect(rows.map { $0["verdict"]?.text } == ["verified", "verified", "unverified"])
            #expect(rows.map { $0["code"]?.text } == [nil, nil, "chain-length"])
            #expect(rows[0]["kind"]?.text == "appReceipt")
            #expect(rows[0]["bundleId"]?.text == "com.cocoanetics.EmmiView")
            #expect(rows[1]["environment"]?.text == "Sandbox")
        }
    }

    // MARK: Policy

    @Test("a receipt of another app, environment, product or kind is rejected")
    func claims() {
        func code(_ policy: VerificationPolicy) -> VerificationFailure.Code? {
            ReceiptVerifier(policy: policy).verify(.appReceipt(RealReceipts.sha256)).failure?.code
        }
        let app = VerificationPolicy.App(bundleID: "dev.bonzer.weeka.app")
        let product = "dev.bonzer.weeka.app.subscription.pro.annual"
        #expect(code(.init(apps: [app], environments: [.sandbox], isStrict: true)) == nil)
        #expect(code(.init(apps: [.init(bundleID: "dev.bonzer.weeka")])) == .bundleIDMismatch)
        #expect(code(.init(environments: [.production])) == .environmentMismatch)
        #expect(code(.init(kinds: [.appTransaction])) == .kindMismatch)
        #expect(code(.init(kinds: [.appReceipt])) == nil)
        #expect(code(.init(productIDs: [product, "other"])) == nil)
        #expect(code(.init(productIDs: ["other"])) == .productIDMismatch)
        #expect(code(.init(validity: .at(.maximum))) == .certificateExpired)
        #expect(code(.init(validity: .at(.minimum))) == .certificateNotYetValid)
        #expect(code(.init(device: DeviceID("8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13"))) == .deviceMismatch)
    }

    @Test("a distrusted leaf, intermediate or root rejects a receipt, also if its key is cached")
    func distrusted() throws {
        let verifier = ReceiptVerifier()
        let good = verifier.verify(.appReceipt(RealReceipts.sha1))
        let key = try #require(verifier.keyCache.keys.first)
        for digest in [good.anchor?.fingerprint, good.leaf?.fingerprint, key.digests.last?.first] {
            var copy = verifier
            copy.policy.distrustedCertificates = [try #require(digest)]
            #expect(copy.verify(.appReceipt(RealReceipts.sha1)).failure?.code == .certificateDistrusted)
        }
    }

    @Test("Apple's root for JWS verifies no app receipt, and its root for app receipts verifies no JWS")
    func roots() throws {
        let apple = TrustAnchors.apple.anchors
        #expect(apple.map(\.subject) == ["Apple Root CA - G3", "Apple Root CA"])
        #expect(TrustAnchors.apple.anchors(for: .jws).map(\.subject) == ["Apple Root CA - G3"])
        #expect(TrustAnchors.apple.anchors(for: .appReceipts).map(\.subject) == ["Apple Root CA"])
    }

    // MARK: Key cache

    @Test("the key of a leaf is cached after the first verified receipt, and not after a forged one")
    func keyCache() throws {
        let verifier = ReceiptVerifier()
        let receipt = RealReceipts.decoded(RealReceipts.sha256)
        var forged = receipt
        forged[receipt.count - 1] ^= 1
        #expect(verifier.verify(.appReceipt(forged)).failure?.code == .signatureInvalid)
        #expect(verifier.keyCache.statistics.entries == 0)
        for _ in 0..<3 { #expect(verifier.verify(.appReceipt(receipt)).verdict == .verified) }
        #expect(verifier.verify(.appReceipt(forged)).failure?.code == .signatureInvalid)
        let statistics = verifier.keyCache.statistics
        #expect(statistics.entries == 1)
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 1)
        let key = try #require(verifier.keyCache.keys.first)
        #expect(key.publicKey == nil)
        let again = try #require(VerificationKey(json: key.json))
        #expect(again == key)
        let other = ReceiptVerifier()
        other.keyCache.cacheVerificationKey(again)
        #expect(other.verify(.appReceipt(receipt)).verdict == .verified)
        #expect(other.keyCache.statistics.chainValidations == 0)
    }

    @Test("an explanation shows each step of a verified receipt")
    func explanation() {
        let report = ReceiptVerifier().explain(.appReceipt(RealReceipts.sha1))
        #expect(report.verdict == .verified)
        let steps = report.trace.events.map(\.step)
        for step: VerificationStep in [.input, .structure, .certificates, .chain, .signature, .payload, .effectiveDate]
        {
            #expect(steps.contains(step))
        }
        #expect(report.trace.events.allSatisfy { $0.outcome != .failed })
    }

    // MARK: Damage

    private static let flipsAllBits = ProcessInfo.processInfo.environment["ALL_BITS"] != nil

    @Test(
        "no receipt with one flipped bit is verified (ALL_BITS=1 flips each bit)",
        arguments: [RealReceipts.sha1, RealReceipts.decoded(RealReceipts.sha256)])
    func flippedBits(receipt: [UInt8]) throws {
        let verifier = ReceiptVerifier()
        #expect(verifier.verify(.appReceipt(receipt)).verdict == .verified)
        let regions = try Self.regions(of: receipt)
        var codes: [String: [String: Int]] = [:]
        var bytes = receipt
        for bit in stride(from: 0, to: receipt.count * 8, by: Self.flipsAllBits ? 1 : 61) {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let report = verifier.verify(.appReceipt(bytes))
            #expect(report.verdict == .unverified, "bit \(bit) of byte \(bit / 8)")
            let region = regions.last { $0.range.contains(bit / 8) }?.name ?? "container"
            codes[region, default: [:]][report.failure?.code.rawValue ?? "verified", default: 0] += 1
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        // The signature covers the content. What rejects the others is a comparison, the form, or a certificate.
        #expect(codes["content"].map { Array($0.keys) } == ["signature-invalid"])
        #expect(codes["signature"].map { Array($0.keys) } == ["signature-invalid"])
        #expect(codes["root"]?["signature-invalid"] == nil)
        #expect(codes.values.allSatisfy { $0["internal-error"] == nil })
        #expect(codes.count == 8)
        guard Self.flipsAllBits else { return }
        print("flipped bits of \(receipt.count) bytes; no signature of the receipt covers 7 of 8 regions:")
        for (region, codes) in codes.sorted(by: { $0.key < $1.key }) {
            let counts = codes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            print("  \(region): \(counts.joined(separator: ", "))")
        }
    }

    /// Returns the regions of a receipt; the bytes outside of them are the container's own.
    private static func regions(of receipt: [UInt8]) throws -> [(name: String, range: Range<Int>)] {
        let parts = try receipt.withRawSpan { (span) throws(SignedData.Malformed) in try SignedData(reading: span) }
        return [
            ("lists of certificates and signers", parts.certificates.lowerBound..<receipt.count),
            ("signer", parts.signerIssuer.lowerBound..<receipt.count), ("signature", parts.signature),
            ("content", parts.content), ("leaf", parts.certificatePlaces[0]),
            ("intermediate", parts.certificatePlaces[1]), ("root", parts.certificatePlaces[2]),
        ]
    }

    @Test("a receipt that is cut off or followed by a byte is not verified, and the hint says so")
    func truncated() {
        let receipt = RealReceipts.sha1
        for count in stride(from: 0, to: receipt.count, by: 97) {
            let report = ReceiptVerifier().verify(.appReceipt([UInt8](receipt.prefix(count))))
            #expect(report.verdict == .unverified)
            if count > 6 {
                #expect(report.failure?.code == .containerMalformed)
                #expect(report.failure?.hint.contains("cut off") == true)
            }
        }
        let longer = ReceiptVerifier().verify(.appReceipt(receipt + [0]))
        #expect(longer.failure?.code == .containerMalformed)
        #expect(longer.failure?.hint.contains("1 bytes follow") == true)
    }

    @Test("a bit of Xcode's receipt is flipped: none is verified with other content")
    func flippedBitsOfXcode() throws {
        var anchors = TrustAnchors()
        try anchors.add(try RealReceipts.xcodeRoot)
        let verifier = ReceiptVerifier(trustAnchors: anchors)
        let receipt = RealReceipts.decoded(RealReceipts.xcode)
        let good = try #require(verifier.verify(.appReceipt(receipt)).payload)
        var bytes = receipt
        for bit in stride(from: 0, to: receipt.count * 8, by: Self.flipsAllBits ? 1 : 13) {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let report = verifier.verify(.appReceipt(bytes))
            // BER has many encodings of one value, and OpenSSL reads all of them.
            if report.verdict == .verified { #expect(report.payload == good, "bit \(bit)") }
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }
}
