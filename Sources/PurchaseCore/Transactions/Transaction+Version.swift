internal import ReceiptTypes

extension Transaction {
    /// Whether this is the later of two texts about one purchase.
    ///
    /// The date of the signature decides. Where it does not, the text that takes something away goes first, and then the
    /// facts in turn, so that the order in which texts arrive never makes a difference.
    func isLater(than other: Transaction) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        // No date is the latest: a text that says nothing of a refund takes nothing away.
        if revocationDate != other.revocationDate {
            return (revocationDate ?? .maximum) < (other.revocationDate ?? .maximum)
        }
        if isUpgraded != other.isUpgraded { return isUpgraded }
        let end = expiresDate ?? .minimum
        let otherEnd = other.expiresDate ?? .minimum
        if end != otherEnd { return end < otherEnd }
        if purchaseDate != other.purchaseDate { return purchaseDate < other.purchaseDate }
        if quantity != other.quantity { return quantity < other.quantity }
        let texts = [
            (id, other.id), (originalID, other.originalID), (productID, other.productID),
            (type.rawValue, other.type.rawValue), (ownership.rawValue, other.ownership.rawValue),
        ]
        for (text, otherText) in texts where !text.isIdentical(to: otherText) { return text.precedes(otherText) }
        return false
    }
}

extension RenewalInfo {
    /// Whether this is the later of two texts about one subscription; where the dates agree, the one that promises less.
    func isLater(than other: RenewalInfo) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if willAutoRenew != other.willAutoRenew { return !willAutoRenew }
        if isInBillingRetry != other.isInBillingRetry { return isInBillingRetry }
        let end = gracePeriodExpiresDate ?? .minimum
        let otherEnd = other.gracePeriodExpiresDate ?? .minimum
        if end != otherEnd { return end < otherEnd }
        return (autoRenewProductID ?? "").precedes(other.autoRenewProductID ?? "")
    }
}
