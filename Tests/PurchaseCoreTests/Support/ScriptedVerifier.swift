import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// A verifier that keeps what it has signed instead of using cryptography, so tests can run thousands of histories.
final class ScriptedVerifier: TransactionVerifying {
    private struct Signed {
        var transactions: [String: JWSTransactionDecodedPayload] = [:]
        var renewals: [String: JWSRenewalInfoDecodedPayload] = [:]
        var playPurchases: [String: PlayPurchase] = [:]
        var failures: [String: VerificationFailure] = [:]
        var count = 0
        var verifications = 0
        var renewalVerifications = 0
    }

    private let signed = Locked(Signed())

    /// The number of transactions that were verified.
    var verificationCount: Int { signed.withLock { $0.verifications } }

    /// The number of renewal infos that were verified.
    var renewalVerificationCount: Int { signed.withLock { $0.renewalVerifications } }

    /// Signs a transaction; each call returns another JWS.
    func sign(_ payload: JWSTransactionDecodedPayload) -> SignedTransaction {
        let jws = signed.withLock { signed in
            signed.count += 1
            let jws = "signed-\(signed.count)-\(payload.transactionId ?? "")"
            signed.transactions[jws] = payload
            return jws
        }
        return SignedTransaction(
            jws: jws, transactionID: payload.transactionId ?? "", productID: payload.productId ?? "")
    }

    func sign(_ payload: JWSRenewalInfoDecodedPayload) -> String {
        signed.withLock { signed in
            signed.count += 1
            let jws = "renewal-\(signed.count)-\(payload.originalTransactionId ?? "")"
            signed.renewals[jws] = payload
            return jws
        }
    }

    /// Signs Google Play purchase data; the same data has the same signature, as in Google Play.
    func sign(_ purchase: PlayPurchase) -> SignedTransaction {
        let data = purchase.members.description
        signed.withLock { $0.playPurchases[data] = purchase }
        return SignedTransaction(
            play: SignedPlayPurchase(data: data, signature: "signed"), purchaseToken: purchase.purchaseToken ?? "",
            productID: purchase.productId ?? "")
    }

    /// Returns a transaction with a JWS that does not verify.
    func forge(_ payload: JWSTransactionDecodedPayload) -> SignedTransaction {
        let number = signed.withLock { signed in
            signed.count += 1
            return signed.count
        }
        return SignedTransaction(
            jws: "forged-\(number)-\(payload.transactionId ?? "")", transactionID: payload.transactionId ?? "",
            productID: payload.productId ?? "")
    }

    /// Makes the verification of a JWS fail; nil ends that.
    func fail(_ jws: String, with failure: VerificationFailure?) {
        signed.withLock { $0.failures[jws] = failure }
    }

    func verifyTransaction(_ jws: String, at now: Timestamp) -> VerificationResult<JWSTransactionDecodedPayload> {
        signed.withLock { signed in
            signed.verifications += 1
            if let failure = signed.failures[jws] { return .unverified(failure) }
            guard let payload = signed.transactions[jws] else { return .unverified(.init(code: .signatureInvalid)) }
            return .verified(payload)
        }
    }

    func verifyRenewalInfo(_ jws: String, at now: Timestamp) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        signed.withLock { signed in
            signed.renewalVerifications += 1
            return signed.renewals[jws].map { .verified($0) } ?? .unverified(.init(code: .signatureInvalid))
        }
    }

    func verifyPlayPurchase(_ purchase: SignedPlayPurchase, at now: Timestamp) -> VerificationResult<Transaction> {
        let payload = signed.withLock { $0.playPurchases[purchase.data] }
        guard let payload, purchase.signature == "signed" else { return .unverified(.init(code: .signatureInvalid)) }
        return payload.transaction(of: Sample.playProducts)
    }
}
