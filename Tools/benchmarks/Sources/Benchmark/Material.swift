import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification

/// Receipts as large as the App Store's, signed by an authority like its: P-384 for the CAs, P-256 for the leaf.
struct Material {
    let authority: TestAuthority
    let signers: [TestSigner]

    init(signers count: Int) throws {
        authority = try TestAuthority(intermediate: Self.padded(.intermediate, to: 240), leaf: Self.leaf)
        let authority = authority
        signers = try [authority.signer] + (1..<max(count, 1)).map { _ in try authority.makeSigner(leaf: Self.leaf) }
    }

    /// A leaf as large as the App Store's: one extension replaces its policies and access points.
    static let leaf = padded(.leaf, to: 430)

    private static func padded(_ shape: CertificateShape, to count: Int) -> CertificateShape {
        var shape = shape
        // In DER, a length below 256 has one byte.
        let length = count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
        shape.rawExtensions.append(
            .init(oid: "1.3.6.1.4.1.99999.1", value: [0x04] + length + [UInt8](repeating: 0x2A, count: count))
        )
        return shape
    }

    /// Returns a verifier that trusts this authority, with its own key cache.
    func verifier(cacheCapacity: Int = 64, playKeys: PlayKeyring = .init()) throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        try anchors.add(authority.rootCertificate)
        return ReceiptVerifier(
            trustAnchors: anchors, playKeys: playKeys, keyCache: VerificationKeyCache(capacity: cacheCapacity)
        )
    }

    // MARK: Receipts

    /// Returns distinct transactions, one per line, by all signers in turns.
    func transactions(_ count: Int) throws -> [UInt8] {
        var lines: [UInt8] = []
        for number in 0..<count {
            lines += try signers[number % signers.count].sign(payload: Payloads.transaction(number)) + [0x0A]
        }
        return lines
    }

    /// Returns notifications, one per line, each with a transaction and a renewal info inside.
    func notifications(_ count: Int) throws -> [UInt8] {
        let signer = authority.signer
        var lines: [UInt8] = []
        for number in 0..<count {
            let transaction = String(decoding: try signer.sign(payload: Payloads.transaction(number)), as: UTF8.self)
            let renewal = String(decoding: try signer.sign(payload: Payloads.renewalInfo(number)), as: UTF8.self)
            let payload = """
                {"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","notificationUUID":"\(Payloads.uuid(number))",\
                "data":{"appAppleId":1234567890,"bundleId":"com.example.application","bundleVersion":"214",\
                "environment":"Production","signedTransactionInfo":"\(transaction)",\
                "signedRenewalInfo":"\(renewal)","status":1},"version":"2.0","signedDate":1760000000000}
                """
            lines += try signer.sign(payload: [UInt8](payload.utf8)) + [0x0A]
        }
        return lines
    }

    /// Returns Google Play purchases with their signatures, one per line.
    static func playPurchases(_ count: Int, by key: TestPlayKey) throws -> [UInt8] {
        var lines: [UInt8] = []
        for number in 0..<count {
            let data = """
                {"orderId":"GPA.3300-0000-0000-\(10_000 + number)","packageName":"com.example.application",\
                "productId":"com.example.application.pro","purchaseTime":1760000000000,"purchaseState":0,\
                "purchaseToken":"\(String(repeating: "token.", count: 24))\(number)","quantity":1,"acknowledged":true}
                """
            let object: JSONObject = ["data": .string(data), "signature": .string(try key.sign(data))]
            lines += [UInt8]((object.description + "\n").utf8)
        }
        return lines
    }
}
