public import ReceiptTypes

/// A verifier that takes the verdict of the platform, such as StoreKit's, instead of checking signatures itself.
///
/// A ``PlatformStore`` creates it and supplies the verdicts. It needs no C library, so it runs on every system.
///
/// A JWS that the platform has not delivered in this run comes from the journal, which recorded it with the platform's
/// verdict. If the platform has delivered another version of the same transaction, the content of that version counts,
/// so an edited journal does not extend a purchase that the platform lists. A version with a revocation always counts.
///
/// > Important: It cannot detect an edited journal for a transaction that the platform does not list. A purchase that
/// > the store keeps leaving out ends by the rules of ``EntitlementStore``; the balance of a finished consumable rests
/// > on the journal alone. Use `ReceiptVerifier`, or a server, where that matters.
public struct PlatformVerifier: TransactionVerifying {
    let verdicts: PlatformVerdicts
    let trustsJournal: Bool

    /// `false`: a recorded text counts until the platform delivers another version of the transaction.
    public var hasLastingVerdicts: Bool { false }

    /// Returns the payload of a transaction that the platform has verified.
    ///
    /// The time is not used: the platform has checked the signature when it delivered the transaction.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        if let known = await verdicts.transactions.result(of: jws) { return known }
        let decoded = JWSPayloadDecoder.decode(jws, as: JWSTransactionDecodedPayload.self)
        guard let payload = decoded.verifiedPayload, !payload.isRevoked else { return decoded }
        if let latest = await verdicts.transactions.latest(payload.transactionId) { return .verified(latest) }
        return trustsJournal ? decoded : .unverified(VerificationFailure(code: .platformVerdictMissing))
    }

    /// Returns the payload of a renewal info that the platform has verified.
    ///
    /// The time is not used: the platform has checked the signature when it delivered the renewal info.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        if let known = await verdicts.renewalInfos.result(of: jws) { return known }
        let decoded = JWSPayloadDecoder.decode(jws, as: JWSRenewalInfoDecodedPayload.self)
        guard let payload = decoded.verifiedPayload else { return decoded }
        if let latest = await verdicts.renewalInfos.latest(payload.originalTransactionId) { return .verified(latest) }
        return trustsJournal ? decoded : .unverified(VerificationFailure(code: .platformVerdictMissing))
    }
}

/// The platform's verdicts of this run.
actor PlatformVerdicts {
    /// The verdicts on one kind of payload.
    struct Book<Payload: PayloadModel> {
        private var results: [ExactString: VerificationResult<Payload>] = [:]
        private var latestByID: [ExactString: (jws: ExactString, signedDate: Timestamp, payload: Payload)] = [:]

        /// Returns the verdict on a JWS; nil if the platform has not delivered it in this run.
        func result(of jws: String) -> VerificationResult<Payload>? { results[ExactString(jws)] }

        /// Returns the latest verified version with an id.
        func latest(_ id: String?) -> Payload? { id.flatMap { latestByID[ExactString($0)]?.payload } }

        /// Records a delivery with the platform's objection, if it has one.
        mutating func record(
            _ jws: String, objection: String?, _ version: (Payload) -> (id: String?, signedDate: Timestamp?)
        ) {
            if let objection {
                let failure = VerificationFailure(code: .storeObjection, actual: objection)
                results[ExactString(jws)] = .unverified(failure)
                return
            }
            // The latest verdict counts: a platform can accept what it has rejected before.
            if results[ExactString(jws)]?.verifiedPayload != nil { return }
            let result = JWSPayloadDecoder.decode(jws, as: Payload.self)
            results[ExactString(jws)] = result
            guard let payload = result.verifiedPayload, let id = version(payload).id else { return }
            let signedDate = version(payload).signedDate ?? .minimum
            if let known = latestByID[ExactString(id)] {
                if known.signedDate > signedDate { return }
                // The platform signs a transaction again with each delivery. The earlier text needs no verdict of its
                // own if nothing else has changed: the latest version counts for it.
                if known.payload.hasContent(of: payload) { results[known.jws] = nil }
            }
            latestByID[ExactString(id)] = (ExactString(jws), signedDate, payload)
        }
    }

    private(set) var transactions = Book<JWSTransactionDecodedPayload>()
    private(set) var renewalInfos = Book<JWSRenewalInfoDecodedPayload>()

    func record(_ transaction: SignedTransaction) {
        transactions.record(transaction.signedText, objection: transaction.objection) {
            ($0.transactionId, $0.signedDate)
        }
    }

    func record(_ status: SignedSubscriptionStatus) {
        record(status.transaction)
        renewalInfos.record(status.renewalInfoJWS, objection: status.renewalInfoObjection) {
            ($0.originalTransactionId, $0.signedDate)
        }
    }

    func record(_ update: StoreUpdate) {
        switch update {
        case .transaction(let transaction): record(transaction)
        case .subscriptionStatus(let status): record(status)
        }
    }
}

extension PayloadModel {
    /// Returns whether another payload has the same members, but for the time of its signature.
    fileprivate func hasContent(of other: Self) -> Bool {
        var (own, others) = (members, other.members)
        own["signedDate"] = nil
        others["signedDate"] = nil
        return own == others
    }
}
