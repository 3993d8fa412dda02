internal import ReceiptTypes

/// The place of a receipt in the input.
struct ResultPlace {
    let source: String
    let line: Int
    /// The number of the record in its source, and of the receipt in the record, both from 1.
    let record: Int
    let item: Int
}

/// A checked receipt, with what its result says about it.
struct BatchResult {
    let receipt: CheckedReceipt
    /// The claims of a verified receipt; nil for any other, so that forged claims are not counted.
    let claims: ReceiptClaims?
    /// The claims of the transaction inside a verified notification; nil without one.
    let transaction: ReceiptClaims?
    /// The claims that nothing has verified, of a receipt that is not verified; nil if they cannot be read.
    ///
    /// It has no text that is longer than an identifier: a short input could otherwise have a long result.
    let refused: ReceiptClaims?
    /// The refund of a verified receipt, or of the transaction inside a verified notification; nil without one.
    let refund: Refund?
    /// The failure as the result shows it.
    let failure: VerificationFailure?

    /// What the store has taken back of the purchase that a verified receipt is about.
    struct Refund {
        /// The time of the refund; nil if the payload's value is no time.
        let date: Timestamp?
        /// Whether nothing of the purchase remains.
        let isComplete: Bool

        /// Returns nil if nothing was taken back.
        fileprivate init?(_ claims: ReceiptClaims) {
            guard claims.refund != .none else { return nil }
            date = claims.revocationDate
            isComplete = claims.isRevoked
        }
    }

    /// Whether the purchase is revoked.
    var isRevoked: Bool { refund?.isComplete ?? false }
    /// Whether a part of the purchase was refunded, and a part of it remains.
    var isRefundedInPart: Bool { refund.map { !$0.isComplete } ?? false }

    /// - Parameter redaction: The pseudonyms of identifiers; nil if the result has the identifiers themselves.
    init(_ receipt: CheckedReceipt, refused: ReceiptClaims?, redaction: Redaction? = nil) {
        self.receipt = receipt
        let claims = receipt.isVerified ? receipt.claims : nil
        let transaction = receipt.isVerified ? Self.transaction(inside: receipt) : nil
        let refused = receipt.isVerified ? nil : refused.map(Self.shortened)
        refund = claims.flatMap { Self.refund(of: receipt, $0) }
        guard let redaction else {
            (self.claims, self.transaction, self.refused) = (claims, transaction, refused)
            failure = receipt.examination.failure
            return
        }
        self.claims = claims?.redacted(by: redaction)
        self.transaction = transaction?.redacted(by: redaction)
        self.refused = refused?.redacted(by: redaction)
        failure = receipt.examination.failure.map { failure in
            let payloads = ([receipt] + receipt.nested.map(\.receipt)).compactMap(\.payload)
            let identifiers = (refused?.identifiers ?? []) + payloads.flatMap(redaction.identifiers)
            return redaction.redacted(failure, identifiers: identifiers)
        }
    }

    private static func transaction(inside receipt: CheckedReceipt) -> ReceiptClaims? {
        guard receipt.kind == .notification else { return nil }
        return receipt.nested.first { $0.receipt.isVerified && $0.receipt.kind == .transaction }?.receipt.claims
    }

    private static func shortened(_ claims: ReceiptClaims) -> ReceiptClaims {
        let maximumLength = 256
        func isShort(_ text: String) -> Bool { text.utf8.count <= maximumLength }
        var claims = claims
        claims.bundleID = claims.bundleID.flatMap { isShort($0) ? $0 : nil }
        claims.productIDs.removeAll { !isShort($0) }
        claims.transactionID = claims.transactionID.flatMap { isShort($0) ? $0 : nil }
        claims.originalTransactionID = claims.originalTransactionID.flatMap { isShort($0) ? $0 : nil }
        return claims
    }

    private static func refund(of receipt: CheckedReceipt, _ claims: ReceiptClaims) -> Refund? {
        if let refund = Refund(claims) { return refund }
        for item in receipt.nested where item.receipt.isVerified {
            if let refund = item.receipt.claims.flatMap(Refund.init) { return refund }
        }
        return nil
    }

    /// The verified transaction: this receipt, or the one inside a verified notification; nil without one.
    var transactionReceipt: CheckedReceipt? {
        guard receipt.isVerified else { return nil }
        if receipt.kind == .transaction { return receipt }
        return receipt.nested.first { $0.receipt.isVerified && $0.receipt.kind == .transaction }?.receipt
    }

    /// The claims about a purchase: those of the transaction inside a notification, so that a row has all members of
    /// one purchase, or else ``claims``.
    var purchase: ReceiptClaims? { transaction ?? claims }

    /// The payload of a verified receipt.
    var payload: JSONDocument? { receipt.isVerified ? receipt.document : nil }

    /// Returns the payload of a verified receipt of a kind: this one, or the one inside a verified notification.
    func payload(of kind: ReceiptKind) -> JSONDocument? {
        guard receipt.isVerified else { return nil }
        if receipt.kind == kind { return receipt.document }
        return receipt.nested.first { $0.receipt.isVerified && $0.receipt.kind == kind }?.receipt.document
    }
}

extension ReceiptClaims {
    fileprivate var identifiers: [String] { [transactionID, originalTransactionID, purchaseToken].compactMap(\.self) }

    fileprivate func redacted(by redaction: Redaction) -> ReceiptClaims {
        var claims = self
        claims.transactionID = transactionID.map(redaction.pseudonym)
        claims.originalTransactionID = originalTransactionID.map(redaction.pseudonym)
        claims.purchaseToken = purchaseToken.map(redaction.pseudonym)
        return claims
    }
}
