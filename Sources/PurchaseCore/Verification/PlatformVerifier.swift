public import ReceiptTypes

/// A verifier that takes the verdict of the platform, such as StoreKit's, instead of checking signatures itself.
///
/// A ``PlatformStore`` creates it and supplies the verdicts. It needs no C library, so it runs on every system.
///
/// A JWS that the platform has not delivered in this run comes from the ledger, which recorded it with the platform's
/// verdict. It keeps its own content, so that a version is only ever recorded as what it says. If the platform has
/// delivered the same transaction, it counts only as an earlier version, which the delivered one replaces; otherwise it
/// is undecided with the code `platform-version-differs`. So an edited ledger does not extend a purchase that the
/// platform lists. A version that is revoked completely always counts.
///
/// > Important: It cannot detect an edited ledger for a transaction that the platform does not list. A purchase that
/// > the store keeps leaving out ends by the rules of ``EntitlementStore``; the balance of a finished consumable rests
/// > on the ledger alone. Use `ReceiptVerifier`, or a server, where that matters.
public struct PlatformVerifier: TransactionVerifying {
    let verdicts: PlatformVerdicts
    let trustsLedger: Bool

    /// `false`: a recorded text counts until the platform delivers another version of the transaction.
    public var hasLastingVerdicts: Bool { false }

    /// Returns the payload of a transaction that the platform has verified.
    ///
    /// The time is not used: the platform has checked the signature when it delivered the transaction.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        if let known = await verdicts.result(ofTransaction: jws) { return known }
        let decoded = JWSPayloadDecoder.decode(jws, as: JWSTransactionDecodedPayload.self)
        // An incomplete payload is no transaction, and a revoked one unlocks nothing; a refund of a part leaves items.
        guard let payload = decoded.verifiedPayload, let transaction = Transaction(payload), !transaction.isRevoked
        else { return decoded }
        if let latest = await verdicts.latest(of: payload) {
            return latest.accountsFor(payload)
                ? decoded : .unverified(VerificationFailure(code: .platformVersionDiffers))
        }
        return trustsLedger ? decoded : .unverified(VerificationFailure(code: .platformVerdictMissing))
    }

    /// Returns the payload of a renewal info that the platform has verified.
    ///
    /// The time is not used: the platform has checked the signature when it delivered the renewal info.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        if let known = await verdicts.result(ofRenewalInfo: jws) { return known }
        let decoded = JWSPayloadDecoder.decode(jws, as: JWSRenewalInfoDecodedPayload.self)
        guard let payload = decoded.verifiedPayload, payload.versionKey != nil else { return decoded }
        // A state of a renewal is never handed over, so the latest one stands for those that it has replaced.
        if let latest = await verdicts.latest(of: payload) {
            return latest.accountsFor(payload) ? decoded : .verified(latest)
        }
        return trustsLedger ? decoded : .unverified(VerificationFailure(code: .platformVerdictMissing))
    }

    /// Returns the content of an app transaction that the platform has verified. It verifies no app receipt, because
    /// the platform does not.
    public func verifyAppReceipt(
        _ receipt: SignedAppReceipt, at now: Timestamp
    ) async -> VerificationResult<AppReceipt> {
        guard receipt.isAppTransaction else {
            return .unverified(
                VerificationFailure(
                    code: .keyNotFound, expected: "an app transaction", actual: "an app receipt"))
        }
        let verdict = await verdicts.verdict(onAppTransaction: receipt.base64)
        if let failure = verdict?.failure { return .unverified(failure) }
        guard verdict != nil || trustsLedger else {
            return .unverified(VerificationFailure(code: .platformVerdictMissing))
        }
        switch JWSPayloadDecoder.decode(receipt.base64, as: JWSAppTransactionDecodedPayload.self) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload): return .verified(AppReceipt(payload))
        }
    }
}

/// The platform's verdicts of this run.
actor PlatformVerdicts {
    /// The number of rejected texts that are certainly remembered; the ledger keeps the earlier ones in quarantine.
    static let rejectionCapacity = 1_000

    /// The verdicts on one kind of payload.
    struct Book<Payload: PlatformPayload> {
        private var rejected = RecentValues<ExactString, VerificationFailure>(capacity: rejectionCapacity)
        /// The accepted texts, but for those that the latest version accounts for.
        private var accepted: [ExactString: Payload] = [:]
        private var latest: [ExactString: (jws: ExactString, payload: Payload)] = [:]

        /// The number of texts and versions that are remembered.
        var count: Int { rejected.count + accepted.count + latest.count }

        /// Returns the verdict on a JWS; nil if the platform has not delivered it in this run, or only a later version
        /// that accounts for it.
        func result(of jws: String) -> VerificationResult<Payload>? {
            let text = ExactString(jws)
            if let failure = rejected[text] { return .unverified(failure) }
            return accepted[text].map { .verified($0) }
        }

        /// Returns the latest version that the platform has accepted of what a payload is about; nil if there is none.
        func latest(of payload: Payload) -> Payload? { payload.versionKey.flatMap { latest[$0]?.payload } }

        /// Records a delivery with the platform's objection, if it has one. The latest verdict on a text counts.
        mutating func record(_ jws: String, objection: String?) {
            let text = ExactString(jws)
            if let objection {
                rejected[text] = VerificationFailure(code: .storeObjection, actual: objection)
                accepted[text] = nil
                return
            }
            rejected[text] = nil
            // What cannot be decoded, or is incomplete, needs no verdict.
            guard accepted[text] == nil,
                let payload = JWSPayloadDecoder.decode(jws, as: Payload.self).verifiedPayload,
                let key = payload.versionKey
            else { return }
            if let known = latest[key] {
                guard !known.payload.isLater(than: payload) else {
                    if !known.payload.accountsFor(payload) { accepted[text] = payload }
                    return
                }
                // The platform signs a transaction again with each delivery.
                if payload.accountsFor(known.payload) { accepted[known.jws] = nil }
            }
            accepted[text] = payload
            latest[key] = (text, payload)
        }
    }

    private(set) var transactions = Book<JWSTransactionDecodedPayload>()
    private(set) var renewalInfos = Book<JWSRenewalInfoDecodedPayload>()

    /// The app transaction that the platform has delivered last, with the reason for its rejection.
    private var appTransaction: (jws: ExactString, failure: VerificationFailure?)?

    func record(_ transaction: SignedAppTransaction) {
        let failure = transaction.objection.map { VerificationFailure(code: .storeObjection, actual: $0) }
        appTransaction = (ExactString(transaction.jws), failure)
    }

    /// Returns the verdict on an app transaction; nil if the platform has not delivered it last in this run.
    func verdict(onAppTransaction jws: String) -> (failure: VerificationFailure?, Void)? {
        guard let appTransaction, appTransaction.jws == ExactString(jws) else { return nil }
        return (appTransaction.failure, ())
    }

    // A caller with a copy of a book would make the next delivery copy all of it.

    func result(ofTransaction jws: String) -> VerificationResult<JWSTransactionDecodedPayload>? {
        transactions.result(of: jws)
    }

    func result(ofRenewalInfo jws: String) -> VerificationResult<JWSRenewalInfoDecodedPayload>? {
        renewalInfos.result(of: jws)
    }

    func latest(of payload: JWSTransactionDecodedPayload) -> JWSTransactionDecodedPayload? {
        transactions.latest(of: payload)
    }

    func latest(of payload: JWSRenewalInfoDecodedPayload) -> JWSRenewalInfoDecodedPayload? {
        renewalInfos.latest(of: payload)
    }

    func record(_ transaction: SignedTransaction) {
        transactions.record(transaction.signedText, objection: transaction.objection)
    }

    func record(_ status: SignedSubscriptionStatus) {
        record(status.transaction)
        renewalInfos.record(status.renewalInfoJWS, objection: status.renewalInfoObjection)
    }

    func record(_ update: StoreUpdate) {
        switch update {
        case .transaction(let transaction): record(transaction)
        case .subscriptionStatus(let status): record(status)
        }
    }
}

/// A payload that a platform delivers in several versions.
protocol PlatformPayload: PayloadModel {
    /// What the versions of one transaction, or of one subscription's renewal, have in common; nil if it is incomplete.
    var versionKey: ExactString? { get }
    /// Returns whether this version replaces another one.
    func isLater(than other: Self) -> Bool
    /// Returns whether another version needs no verdict of its own beside this one.
    func accountsFor(_ other: Self) -> Bool
}

extension PlatformPayload {
    /// Returns whether another payload has the same members, but for the time of its signature.
    fileprivate func hasContent(of other: Self) -> Bool {
        var (own, others) = (members, other.members)
        own["signedDate"] = nil
        others["signedDate"] = nil
        return own == others
    }
}

extension JWSTransactionDecodedPayload: PlatformPayload {
    /// The ``Transaction/versionID``.
    var versionKey: ExactString? { Transaction(self).map { ExactString($0.versionID) } }

    func isLater(than other: Self) -> Bool {
        guard let own = Transaction(self), let other = Transaction(other) else { return false }
        return own.isLater(than: other)
    }

    /// Returns whether another version unlocks nothing beside this one: it has the same content, or it is an earlier
    /// version of the same purchase, for the same account, with as many items at most, that does not end later.
    ///
    /// An attacker can edit everything in a stored version, and it counts alone if this one cannot be recorded.
    func accountsFor(_ other: Self) -> Bool {
        if hasContent(of: other) { return true }
        guard let own = Transaction(self), let other = Transaction(other) else { return false }
        return own.isLater(than: other) && own.purchaseKey == other.purchaseKey && !own.contradicts(other)
            && own.type == other.type && (other.expiresDate ?? .maximum) <= (own.expiresDate ?? .maximum)
            && own.ownership == other.ownership && other.quantity <= own.quantity
            && (other.appAccountToken == nil || other.appAccountToken == own.appAccountToken)
    }
}

extension JWSRenewalInfoDecodedPayload: PlatformPayload {
    /// The id of the subscription's first transaction.
    var versionKey: ExactString? { self.originalTransactionId.map(ExactString.init) }

    func isLater(than other: Self) -> Bool { (self.signedDate ?? .minimum) > (other.signedDate ?? .minimum) }

    func accountsFor(_ other: Self) -> Bool { hasContent(of: other) }
}
