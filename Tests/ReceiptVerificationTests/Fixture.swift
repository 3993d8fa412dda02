import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// The authority that the tests share, with receipts that it signs and verifiers that trust it.
enum Fixture {
    static let bundleID = "com.example.app"
    static let signedAt: Int64 = 1_760_000_000_000

    static let authority: TestAuthority? = try? TestAuthority()

    static func anchors(_ authority: TestAuthority) throws -> TrustAnchors {
        var anchors = TrustAnchors()
        try anchors.add(authority.rootCertificate)
        return anchors
    }

    static func verifier(
        policy: VerificationPolicy = .init(),
        playKeys: PlayKeyring = .init(),
        keyCache: VerificationKeyCache = .init(),
        signedBy authority: TestAuthority? = nil
    ) throws -> ReceiptVerifier {
        let authority = try #require(authority ?? Self.authority)
        return ReceiptVerifier(
            policy: policy, trustAnchors: try anchors(authority), playKeys: playKeys, keyCache: keyCache,
            clock: { now }
        )
    }

    static let now = Timestamp(milliseconds: signedAt + 1000) ?? .minimum

    /// Returns a transaction with the claims that the App Store sends.
    static func transaction(_ number: Int = 1) -> JWSTransactionDecodedPayload {
        var transaction = JWSTransactionDecodedPayload()
        transaction.transactionId = String(2_000_000_000_000_000 + number)
        transaction.originalTransactionId = transaction.transactionId
        transaction.bundleId = bundleID
        transaction.productId = "com.example.app.pro"
        transaction.purchaseDate = Timestamp(milliseconds: signedAt - 5000)
        transaction.quantity = 1
        transaction.type = .nonConsumable
        transaction.inAppOwnershipType = .purchased
        transaction.signedDate = Timestamp(milliseconds: signedAt)
        transaction.environment = .sandbox
        transaction.price = Milliunits(1990)
        transaction.currency = "EUR"
        return transaction
    }

    static func jws(_ number: Int = 1, by signer: TestSigner? = nil) throws -> String {
        try #require(signer ?? authority?.signer).sign(transaction(number))
    }
}
