internal import ReceiptTypes

/// The checks of the receipts inside an App Store server notification.
enum AppStoreNotification {
    /// The places of the receipts that a notification can hold.
    private static let places: [(object: StaticString, member: StaticString, kind: ReceiptKind)] = [
        ("data", "signedTransactionInfo", .transaction),
        ("data", "signedRenewalInfo", .renewalInfo),
        ("appData", "signedAppTransactionInfo", .appTransaction),
    ]

    /// Returns the receipts inside a notification, by the members that hold them.
    static func receipts(in notification: borrowing JSONNode) -> [(name: String, receipt: [UInt8])] {
        places.compactMap { place in
            notification.member(place.object)?.member(place.member)?.text.map {
                (place.member.description, [UInt8]($0.utf8))
            }
        }
    }

    /// Verifies the receipts inside a notification and compares them with the notification and with each other.
    static func checkReceipts(
        in notification: borrowing JSONNode,
        _ receipt: inout CheckedReceipt,
        _ session: inout VerificationSession
    ) throws(CryptoFault) {
        let outer = ReceiptClaims(notification, kind: .notification)
        let mark = session.workspace.payloads.byteCount
        defer { session.workspace.payloads.truncate(to: mark) }
        var found: [(name: StaticString, kind: ReceiptKind)] = []
        var round: [PendingReceipt] = []
        for place in places {
            guard let text = notification.member(place.object)?.member(place.member)?.string else { continue }
            found.append((place.member, place.kind))
            round.append(AppStoreJWS.begin(text, expecting: place.kind, isNested: true, &session))
        }
        session.verifySignatures(of: &round)
        var originalTransaction: String?
        for ((name, kind), pending) in zip(found, round) {
            let nested = NestedReceipt(name: name.description, receipt: AppStoreJWS.finish(pending, &session))
            receipt.nested.append(nested)
            if let failure = nested.receipt.examination.failure {
                // The App Store itself has sent `null` as a renewal info: useless, but not forged.
                let isEmptyRenewalInfo = kind == .renewalInfo && nested.receipt.isPayloadNull
                try receipt.examination.require(
                    .nestedUnverified, "nested-receipt",
                    isEmptyRenewalInfo && failure.code == .payloadNotAnObject,
                    expected: "a verified \(name)",
                    actual: "\(name) is unverified: \(failure.code), \(failure.explanation)"
                )
            } else if let inner = nested.receipt.claims {
                try requireAgreement(inner, in: name, with: outer, &originalTransaction, &receipt.examination)
                guard kind == .renewalInfo else { continue }
                try session.rules.claimsPolicy.requireRules(
                    of: receipt.app, forRenewalInfo: inner, under: nested.receipt.signer?.anchor.fingerprint,
                    &receipt.examination)
            }
        }
    }

    private static func requireAgreement(
        _ inner: ReceiptClaims,
        in member: StaticString,
        with outer: ReceiptClaims,
        _ originalTransaction: inout String?,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try requireEqual(inner.bundleID, outer.bundleID, "bundleId", member, &examination)
        try requireEqual(inner.environment, outer.environment, "environment", member, &examination)
        try requireEqual(
            inner.originalTransactionID, originalTransaction, "originalTransactionId", member, &examination
        )
        originalTransaction = originalTransaction ?? inner.originalTransactionID
    }

    private static func requireEqual(
        _ inner: String?,
        _ outer: String?,
        _ claim: StaticString,
        _ member: StaticString,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard let inner, let outer else { return }
        try examination.require(
            .nestedMismatch, "nested-agreement", inner.isIdentical(to: outer),
            expected: "\(claim) \(outer) in \(member)", actual: inner
        )
    }
}
