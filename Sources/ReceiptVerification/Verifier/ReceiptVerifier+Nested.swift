internal import ReceiptTypes

extension ReceiptVerifier {
    /// The receipts that a notification can hold: the object, the member, and the kind.
    private static let nestedPlaces: [(object: StaticString, member: StaticString, kind: ReceiptKind)] = [
        ("data", "signedTransactionInfo", .transaction),
        ("data", "signedRenewalInfo", .renewalInfo),
        ("appData", "signedAppTransactionInfo", .appTransaction),
    ]

    /// Verifies the receipts inside a notification and compares them with it and with each other.
    func examineNested(
        in notification: borrowing JSONNode,
        _ receipt: inout CheckedReceipt,
        _ workspace: inout Workspace
    ) throws(CryptoFault) {
        let outer = ReceiptClaims(notification, kind: .notification)
        let mark = workspace.payloads.byteCount
        defer { workspace.payloads.truncate(to: mark) }
        var names: [StaticString] = []
        var round: [PendingReceipt] = []
        for place in Self.nestedPlaces {
            guard let text = notification.member(place.object)?.member(place.member)?.string else { continue }
            names.append(place.member)
            round.append(begin(text, expecting: place.kind, isNested: true, &workspace))
        }
        judge(&round, &workspace)
        var originalTransaction: String?
        for (name, pending) in zip(names, round) {
            let nested = NestedReceipt(name: name.description, receipt: finish(pending, &workspace))
            receipt.nested.append(nested)
            if let failure = nested.receipt.examination.failure {
                // The store itself has sent `null` as a renewal info: nothing to use, and nothing forged.
                try receipt.examination.require(
                    .nestedUnverified, "nested-receipt", failure.code == .payloadNotAnObject,
                    expected: "\(name) to be verified",
                    actual: "\(name) is refused: \(failure.code), \(failure.explanation)"
                )
            } else if let inner = nested.receipt.claims {
                try requireAgreement(inner, in: name, with: outer, &originalTransaction, &receipt.examination)
            }
        }
    }

    private func requireAgreement(
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

    private func requireEqual(
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
