import CMeasurement
import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification

/// App receipts, as a server verifies them: as base64, one at a time.
struct AppReceiptCases {
    let stopwatch: Stopwatch
    /// The number of receipts.
    let count: Int

    /// Measures receipts of the size of a sandbox receipt of 2025, whose signer is known.
    func warm() throws -> [Figure] {
        let material = try AppReceiptMaterial()
        let receipts = try (0..<64).map { try material.receipt($0, purchases: 2, size: AppReceiptMaterial.sandboxSize) }
        let texts = receipts.map { [UInt8](Data($0).base64EncodedData()) }
        let verifier = try material.verifier()
        try Self.verify(texts, texts.count, by: verifier)
        let ratios = try stopwatch.ratios(signatures: count, to: raw_rsa_sha256) {
            try Elapsed.measure { try Self.verify(texts, count, by: verifier) }
        }
        // Enough lines that the start of the batch does not matter.
        let repeated = (0..<32).flatMap { _ in texts }
        let run = BatchRun(lines: [UInt8](repeated.joined(separator: [UInt8(ascii: "\n")])), count: repeated.count)
        let batch = try stopwatch.ratios(signatures: run.count, to: raw_rsa_sha256) { try run.measure(by: verifier) }
        let repetitions = max(count / 20, 50)
        let toContainer = try compare(count) {
            try stopwatch.rawContainer(receipts[0], root: material.root, count: repetitions)
        } with: {
            try Self.verify(texts, count, by: verifier)
        }
        return [
            Figure("app-receipt", "app receipts of 7.5 kB in base64 against raw RSA-2048 verification", ratios),
            Figure("app-receipt-batch", "the same in a batch, 1 thread", batch),
            Figure(
                "app-receipt-to-pkcs7", "the same one at a time against d2i_PKCS7 and PKCS7_verify",
                toContainer.map { Ratio(of: $0.reference, to: $0.time) }),
        ]
    }

    /// Measures a receipt with 500 purchases, against hashing it and verifying its signature.
    func manyPurchases() throws -> [Figure] {
        let material = try AppReceiptMaterial()
        let receipt = try material.receipt(0, purchases: 500)
        let verifier = try material.verifier()
        let count = max(count / 100, 50)
        try Self.verify([receipt], 10, by: verifier)
        let pairs = try compare(count) {
            try stopwatch.rawSignature(receipt, count: count)
        } with: {
            try Self.verify([receipt], count, by: verifier)
        }
        return [
            Figure(
                "app-receipt-500", "an app receipt with 500 purchases, times SHA-256 and RSA over it",
                pairs.map(\.cost),
                better: .lower)
        ]
    }

    /// Measures receipts of unknown signers: two take turns, and the cache has room for one key.
    func cold() throws -> [Figure] {
        let materials = try [AppReceiptMaterial(), AppReceiptMaterial()]
        let receipts = try materials.map { try $0.receipt(0, purchases: 2, size: AppReceiptMaterial.sandboxSize) }
        let verifier = try AppReceiptMaterial.verifier(of: materials, cacheCapacity: 1)
        let count = max(count / 20, 50)
        let chain = try materials[0].authority.signer().chain
        let pairs = try compare(count) {
            try stopwatch.rawValidation(of: chain, count: count)
        } with: {
            try Self.verify(receipts, count, by: verifier)
        }
        guard verifier.keyCache.statistics.hits == 0 else {
            throw Failure("the key cache was hit, so the case is not cold")
        }
        return [
            Figure(
                "app-receipt-cold", "an app receipt of an unknown signer, times the checks of its certificates",
                pairs.map(\.cost), better: .lower)
        ]
    }

    // MARK: Measuring

    /// The time of one piece of work, and of the reference for it.
    private struct Pair {
        let reference: Elapsed
        let time: Elapsed

        /// The time relative to the reference: 2 for twice the time.
        var cost: Ratio {
            Ratio(time.seconds / reference.seconds, byProcessor: time.processorSeconds / reference.processorSeconds)
        }
    }

    /// Measures some work between two measurements of its reference, once per round.
    private func compare(
        _ count: Int, _ reference: () throws -> Elapsed, with work: () throws -> Void
    ) throws -> [Pair] {
        try (0..<stopwatch.rounds).map { _ in
            let before = try reference()
            let time = try Elapsed.measure(work) * (1 / Double(count))
            return Pair(reference: Elapsed.mean(before, try reference()), time: time)
        }
    }

    private static func verify(_ receipts: [[UInt8]], _ count: Int, by verifier: ReceiptVerifier) throws {
        for number in 0..<count {
            if case .unverified(let failure) = verifier.verifyAppReceipt(receipts[number % receipts.count]) {
                throw Failure("a valid app receipt was rejected: \(failure)")
            }
        }
    }
}

/// App receipts with the contents that the App Store usually signs.
struct AppReceiptMaterial {
    let authority: AppReceiptAuthority

    init() throws {
        authority = try AppReceiptAuthority()
    }

    /// The root in DER.
    var root: [UInt8] { authority.rootCertificate }

    /// The size in bytes of a receipt that the sandbox created in 2025, with two purchases.
    static let sandboxSize = 5665

    /// The creation date, in seconds since 1970.
    static let createdAt: Int64 = 1_760_000_000

    func verifier() throws -> ReceiptVerifier { try Self.verifier(of: [self]) }

    static func verifier(of materials: [AppReceiptMaterial], cacheCapacity: Int = 64) throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        for material in materials { try anchors.add(material.root) }
        return ReceiptVerifier(trustAnchors: anchors, keyCache: VerificationKeyCache(capacity: cacheCapacity))
    }

    /// Returns a receipt in DER, distinct by its number; an attribute without a meaning fills it up to a size.
    func receipt(_ number: Int, purchases: Int, size: Int = 0) throws -> [UInt8] {
        let contents = try contents(number, purchases: purchases)
        let signer = try authority.signer()
        let missing = size - (try signer.sign(contents)).count
        guard missing > 16 else { return try signer.sign(contents) }
        var filled = contents
        // The attribute itself has 14 bytes.
        filled.attributes.append(.init(7, .bytes([UInt8](repeating: 0x2A, count: missing - 14))))
        return try signer.sign(filled)
    }

    private func contents(_ number: Int, purchases: Int) throws -> TestAppReceipt {
        guard let created = Timestamp(milliseconds: Self.createdAt * 1000) else { throw Failure("no creation date") }
        var receipt = AppReceipt(members: [:])
        receipt.receiptType = .production
        receipt.appAppleId = 1_234_567_890
        receipt.bundleId = Payloads.application
        receipt.applicationVersion = "214"
        receipt.receiptCreationDate = created
        receipt.originalPurchaseDate = created
        receipt.originalApplicationVersion = "17"
        receipt.inApp = (0..<purchases).map { index in
            var purchase = AppReceiptPurchase(members: [:])
            purchase.quantity = 1
            purchase.productId = "\(Payloads.application).premium.monthly"
            purchase.transactionId = "\(2_000_000_800_000_000 + number * 1000 + index)"
            purchase.originalTransactionId = "2000000712345678"
            purchase.purchaseDate = created
            purchase.originalPurchaseDate = created
            purchase.expiresDate = created
            purchase.productType = .autoRenewableSubscription
            purchase.webOrderLineItemId = 2_000_000_090_000_000 + Int64(index)
            purchase.isTrialPeriod = 0
            purchase.isInIntroOfferPeriod = 0
            return purchase
        }
        return TestAppReceipt(receipt)
    }

    /// Returns receipts in base64, one per line.
    func lines(_ count: Int) throws -> [UInt8] {
        var lines: [UInt8] = []
        for number in 0..<count {
            let receipt = try receipt(number, purchases: 2, size: Self.sandboxSize)
            lines += [UInt8](Data(receipt).base64EncodedData()) + [UInt8(ascii: "\n")]
        }
        return lines
    }
}
