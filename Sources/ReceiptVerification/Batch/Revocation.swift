internal import ReceiptTypes

/// The revocation of the purchase that a verified receipt is about.
struct Revocation {
    /// The time of the revocation; nil if the payload's value is no time.
    let date: Timestamp?
}

extension CheckedReceipt {
    /// The claims of a verified receipt; nil for any other, so that forged claims are not counted.
    var verifiedClaims: ReceiptClaims? { isVerified ? claims : nil }

    /// Returns the revocation of a verified receipt, or of the transaction inside a verified notification; nil if there
    /// is none.
    ///
    /// - Parameter claims: The receipt's ``verifiedClaims``.
    func revocation(_ claims: ReceiptClaims?) -> Revocation? {
        guard let claims else { return nil }
        if claims.isRevoked { return Revocation(date: claims.revocationDate) }
        for item in nested {
            if let inner = item.receipt.verifiedClaims, inner.isRevoked {
                return Revocation(date: inner.revocationDate)
            }
        }
        return nil
    }
}
