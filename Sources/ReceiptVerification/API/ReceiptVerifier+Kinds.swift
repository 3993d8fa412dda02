public import ReceiptTypes

// One method for each kind of receipt, with the payload in its own type.
extension ReceiptVerifier {
    /// Verifies a signed transaction (`signedTransactionInfo`, or StoreKit's `jwsRepresentation`).
    public func verifyTransaction(_ jws: String) -> VerificationResult<JWSTransactionDecodedPayload> {
        verify(jws, as: .transaction)
    }

    /// Verifies the bytes of a signed transaction.
    public func verifyTransaction(_ jws: RawSpan) -> VerificationResult<JWSTransactionDecodedPayload> {
        verify(jws, as: .transaction)
    }

    /// Verifies signed renewal info (`signedRenewalInfo`), which names no app.
    ///
    /// The result does not say that the app was not checked. ``verify(_:as:)-(String,_)`` does, and a strict policy
    /// rejects the renewal info.
    public func verifyRenewalInfo(_ jws: String) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        verify(jws, as: .renewalInfo)
    }

    /// Verifies the bytes of signed renewal info.
    public func verifyRenewalInfo(_ jws: RawSpan) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        verify(jws, as: .renewalInfo)
    }

    /// Verifies a signed app transaction (StoreKit's `AppTransaction`).
    public func verifyAppTransaction(_ jws: String) -> VerificationResult<JWSAppTransactionDecodedPayload> {
        verify(jws, as: .appTransaction)
    }

    /// Verifies the bytes of a signed app transaction.
    public func verifyAppTransaction(_ jws: RawSpan) -> VerificationResult<JWSAppTransactionDecodedPayload> {
        verify(jws, as: .appTransaction)
    }

    /// Verifies the `signedPayload` of a Retention Messaging API request, which expects an answer in real time.
    public func verifyRealtimeRequest(_ jws: String) -> VerificationResult<DecodedRealtimeRequestBody> {
        verify(jws, as: .realtimeRequest)
    }

    /// Verifies the bytes of the `signedPayload` of a Retention Messaging API request.
    public func verifyRealtimeRequest(_ jws: RawSpan) -> VerificationResult<DecodedRealtimeRequestBody> {
        verify(jws, as: .realtimeRequest)
    }

    /// Verifies the `signedPayload` of an App Store server notification, together with the receipts inside it.
    public func verifyNotification(_ jws: String) -> VerificationResult<VerifiedNotification> {
        [UInt8](jws.utf8).withRawSpan { verifyNotification($0) }
    }

    /// Verifies the bytes of a server notification's `signedPayload`, together with the receipts inside it.
    public func verifyNotification(_ jws: RawSpan) -> VerificationResult<VerifiedNotification> {
        withChecked(jws, as: .notification) { receipt in
            if let failure = receipt.failure { return .unverified(failure) }
            return .verified(VerifiedNotification(receipt))
        }
    }

    /// Verifies an app receipt: the file at `appStoreReceiptURL`, or its base64.
    ///
    /// The receipt says what the customer owned when it was created. It can be copied, so set the
    /// ``VerificationPolicy/device`` of the policy where the device is known.
    ///
    /// - Parameter receipt: The container in DER, or its base64 in either alphabet, also with line breaks.
    public func verifyAppReceipt(_ receipt: [UInt8]) -> VerificationResult<AppReceipt> {
        do throws(CryptoFault) {
            return try withSession { session in
                VerificationResult(ofAppReceipt: AppStoreAppReceipt.check(receipt, isTracing: false, &session))
            }
        } catch {
            return VerificationResult(CheckedReceipt(isTracing: false, undecidedBy: error))
        }
    }

    /// Verifies a Google Play purchase.
    ///
    /// - Parameters:
    ///   - data: The purchase data as Google Play returned it, byte for byte.
    ///   - signature: The signature in base64.
    public func verifyPurchase(data: String, signature: String) -> VerificationResult<PlayPurchase> {
        let input = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](signature.utf8))
        do throws(CryptoFault) {
            return try withSession { session in VerificationResult(check(input, isTracing: false, &session)) }
        } catch {
            return VerificationResult(CheckedReceipt(isTracing: false, undecidedBy: error))
        }
    }

    /// Verifies a JWS that must be of one kind and reports what was not checked.
    ///
    /// The methods for one kind return the payload in its own type, without
    /// the names of the claims that could not be compared. The report has them:
    ///
    /// ```swift
    /// let report = verifier.verify(jws, as: .renewalInfo)
    /// if report.missingClaims.contains("bundleId") { log("the app of a renewal info was not checked") }
    /// let renewalInfo = report.payload.map { JWSRenewalInfoDecodedPayload(members: $0) }
    /// ```
    public func verify(_ jws: String, as kind: ReceiptKind) -> ReceiptReport {
        [UInt8](jws.utf8).withRawSpan { verify($0, as: kind) }
    }

    /// Verifies the bytes of a JWS that must be of one kind and reports what was not checked.
    public func verify(_ jws: RawSpan, as kind: ReceiptKind) -> ReceiptReport {
        do throws(CryptoFault) {
            return try withSession { session in ReceiptReport(AppStoreJWS.check(jws, expecting: kind, &session)) }
        } catch {
            return ReceiptReport(CheckedReceipt(isTracing: false, undecidedBy: error))
        }
    }

    private func verify<Payload: PayloadModel>(_ jws: String, as kind: ReceiptKind) -> VerificationResult<Payload> {
        [UInt8](jws.utf8).withRawSpan { verify($0, as: kind) }
    }

    private func verify<Payload: PayloadModel>(_ jws: RawSpan, as kind: ReceiptKind) -> VerificationResult<Payload> {
        withChecked(jws, as: kind) { VerificationResult($0) }
    }

    private func withChecked<Payload>(
        _ jws: RawSpan,
        as kind: ReceiptKind,
        _ body: (CheckedReceipt) -> VerificationResult<Payload>
    ) -> VerificationResult<Payload> {
        do throws(CryptoFault) {
            return try withSession { session in body(AppStoreJWS.check(jws, expecting: kind, &session)) }
        } catch {
            return body(CheckedReceipt(isTracing: false, undecidedBy: error))
        }
    }
}
