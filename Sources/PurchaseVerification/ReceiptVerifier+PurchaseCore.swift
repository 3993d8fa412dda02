public import PurchaseCore
public import ReceiptTypes
public import ReceiptVerification

/// Verifies the signed transactions of the purchase core.
///
/// The conformance is in a target of its own because the core depends on no system library and the verifier on two.
extension ReceiptVerifier: TransactionVerifying {
    /// Verifies a transaction at the given time instead of the verifier's own.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSTransactionDecodedPayload> {
        copy(at: now).verifyTransaction(jws)
    }

    /// Verifies a renewal info at the given time instead of the verifier's own.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        copy(at: now).verifyRenewalInfo(jws)
    }

    /// Verifies a Google Play purchase with ``/ReceiptVerification/ReceiptVerifier/playKeys``.
    ///
    /// It knows no products, so it verifies the signature and returns the failure `play-product-unknown`. To sell on
    /// Google Play, give the service a ``PlayReceiptVerifier``.
    public func verifyPlayPurchase(
        _ purchase: SignedPlayPurchase, at now: Timestamp
    ) -> VerificationResult<Transaction> {
        PlayReceiptVerifier(self, products: []).verifyPlayPurchase(purchase, at: now)
    }

    /// Verifies an app receipt: its signature, its app and its device, which the policy must name.
    ///
    /// A receipt is a file that can be copied. Without ``/ReceiptVerification/VerificationPolicy/apps`` or
    /// ``/ReceiptVerification/VerificationPolicy/device`` it is unverified with the code `receipt-binding-unchecked`.
    ///
    /// An app transaction needs only the app: StoreKit has checked its device when it delivered it, as that of every
    /// transaction.
    public func verifyAppReceipt(
        _ receipt: SignedAppReceipt, at now: Timestamp
    ) async -> VerificationResult<AppReceipt> {
        // Asynchronous, because a caller that can wait would get the default of the protocol otherwise.
        if receipt.isAppTransaction, !policy.apps.isEmpty {
            switch copy(at: now).verifyAppTransaction(receipt.base64) {
            case .unverified(let failure): return .unverified(failure)
            case .verified(let payload): return .verified(AppReceipt(payload))
            }
        }
        guard policy.device != nil, !policy.apps.isEmpty else {
            return .unverified(
                VerificationFailure(
                    code: .receiptBindingUnchecked, expected: "a policy with an app and a device",
                    actual: policy.device == nil ? "no device" : "no app"))
        }
        return copy(at: now, device: policy.device).verifyAppReceipt([UInt8](receipt.base64.utf8))
    }

    /// Returns a copy with a fixed time, which shares the key cache and the workspaces of this verifier.
    private func copy(at now: Timestamp, device: DeviceID? = nil) -> ReceiptVerifier {
        var verifier = self
        verifier.clock = { now }
        // No JWS is bound to a device, so a strict policy with a device would keep all of them out.
        verifier.policy.device = device
        // A revoked transaction has to verify, so that its revocation ends the purchase.
        verifier.policy.refusesRevokedPurchases = false
        // Only the store can sign, so a signature from the clock's future shows that the clock is behind. The core
        // takes its date for the time: otherwise a clock set back would keep out everything that the store signs from
        // then on.
        verifier.policy.leavesFutureSignaturesToCaller = true
        return verifier
    }
}

/// Verifies the signed transactions of the App Store and the purchases of Google Play.
///
/// The data of a Play purchase does not say what kind of product it is or how long it lasts, so the verifier has the
/// app's own list of products.
public struct PlayReceiptVerifier: TransactionVerifying {
    /// The verifier of the signatures.
    public let verifier: ReceiptVerifier
    /// The products that the app sells on Google Play.
    public let products: [PlayProduct]

    /// Creates a verifier; `verifier` has the app's key in ``/ReceiptVerification/ReceiptVerifier/playKeys``.
    public init(_ verifier: ReceiptVerifier, products: [PlayProduct]) {
        self.verifier = verifier
        self.products = products
    }

    /// Verifies a transaction at the given time.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSTransactionDecodedPayload> {
        verifier.verifyTransaction(jws, at: now)
    }

    /// Verifies a renewal info at the given time.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        verifier.verifyRenewalInfo(jws, at: now)
    }

    /// Verifies an app receipt at the given time.
    public func verifyAppReceipt(
        _ receipt: SignedAppReceipt, at now: Timestamp
    ) async -> VerificationResult<AppReceipt> {
        await verifier.verifyAppReceipt(receipt, at: now)
    }

    /// Verifies the signature and the claims of a Google Play purchase, and returns it as a transaction.
    ///
    /// The time is not used: the data names no certificate, and no date but that of the purchase.
    public func verifyPlayPurchase(
        _ purchase: SignedPlayPurchase, at now: Timestamp
    ) -> VerificationResult<Transaction> {
        var verifier = verifier
        // A cancelled purchase has to verify, so that its cancellation ends it, and the core knows more pending states.
        verifier.policy.leavesPlayStateToCaller = true
        switch verifier.verifyPurchase(data: purchase.data, signature: purchase.signature) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload): return payload.transaction(of: products)
        }
    }
}
