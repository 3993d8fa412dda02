import ReceiptTypes
import ReceiptVerification

/// The example of the README.
func readmeExample(jws: String) {
    let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.production])
    let verifier = ReceiptVerifier(policy: policy)
    switch verifier.verifyTransaction(jws) {  // the exact JWS, without a newline at its end
    case .verified(let transaction):
        print(transaction.productId ?? "", transaction.price?.description ?? "")
    case .unverified(let failure):
        print(failure.code, failure.explanation, failure.hint, failure.isRetryable)
    }
}
