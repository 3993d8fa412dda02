internal import ReceiptTypes

extension Transaction {
    /// Returns whether this version of a purchase replaces another version of it.
    ///
    /// The later signing date decides. If the dates are equal, a revoked version replaces one that is not, then an
    /// upgraded one, then an acknowledged one; the remaining fields break ties, so the order in which versions arrive
    /// never matters. All versions of a Google Play purchase have the same date, because its data has no other.
    func isLater(than other: Transaction) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if isRevoked != other.isRevoked { return isRevoked }
        // A missing revocation date sorts last.
        if revocationDate != other.revocationDate {
            return (revocationDate ?? .maximum) < (other.revocationDate ?? .maximum)
        }
        // A missing share is a complete refund.
        if refundedShare != other.refundedShare { return (refundedShare ?? .max) > (other.refundedShare ?? .max) }
        if isUpgraded != other.isUpgraded { return isUpgraded }
        let end = expiresDate ?? .minimum
        let otherEnd = other.expiresDate ?? .minimum
        if end != otherEnd { return end < otherEnd }
        if purchaseDate != other.purchaseDate { return purchaseDate < other.purchaseDate }
        if quantity != other.quantity { return quantity < other.quantity }
        if let play, let otherPlay = other.play {
            if play.isAcknowledged != otherPlay.isAcknowledged { return play.isAcknowledged }
            if play.isAutoRenewing != otherPlay.isAutoRenewing { return play.isAutoRenewing == false }
        }
        let strings = [
            (id, other.id), (originalID, other.originalID), (productID, other.productID),
            (type.rawValue, other.type.rawValue), (ownership.rawValue, other.ownership.rawValue),
            (play?.orderID ?? "", other.play?.orderID ?? ""),
        ]
        for (string, otherString) in strings where !string.isIdentical(to: otherString) {
            return string.precedes(otherString)
        }
        return false
    }
}

extension Transaction {
    /// Returns whether two transactions with one id cannot be versions of the same purchase, so a ledger records only
    /// one.
    ///
    /// Versions of a purchase have the same product and the same first transaction. In Google Play the token alone
    /// identifies a purchase: a subscription has another product after a planned change. Purchases of two stores are
    /// not versions of one purchase, and do not contradict each other.
    public func contradicts(_ other: Transaction) -> Bool {
        isVersion(of: other) && !other.commonFacts.isIdentical(to: commonFacts)
    }

    /// Returns whether two transactions have the same id in the same store; see ``versionID``.
    public func isVersion(of other: Transaction) -> Bool { other.versionID.isIdentical(to: versionID) }

    /// A string that versions of one transaction share, and transactions of different stores do not.
    ///
    /// Xcode and a local store use their ids again when their transactions are deleted, so their ids identify a
    /// transaction only together with its purchase date. A ledger in a database can store the string in a column.
    public var versionID: String {
        if play != nil { return "google-play \(id)" }
        return isOfTestStore ? datedID : "app-store \(id)"
    }

    /// A string that all versions of a purchase share; versions with different strings contradict each other.
    ///
    /// A ledger in a database can compare it without reading the signed text again.
    public var commonFacts: String {
        // The signature covers the token with the product, and which kind a product has is known to the app alone.
        if play != nil { return "google-play" }
        // The length keeps two different pairs of ids from producing the same string.
        return "\(productID.utf8.count):\(productID);\(originalID)"
    }
}

extension Transaction {
    /// The id with the purchase date, for a test store.
    var datedID: String { "\(id) of \(purchaseDate.millisecondsSince1970)" }
}

extension [Transaction] {
    /// Returns the latest version of each purchase, in the order of this array.
    func latestVersions() -> [Transaction] { latestIndices().map { self[$0] } }

    /// Returns the indices of the latest version of each purchase, in ascending order.
    ///
    /// It returns indices because a transaction is a large value and a projection goes through very many.
    func latestIndices() -> [Int] {
        var latest: [PurchaseKey: Int] = [:]
        latest.reserveCapacity(count)
        var isLatest = [Bool](repeating: false, count: count)
        for index in indices {
            replace(&latest[self[index].purchaseKey, default: index], with: index, &isLatest)
        }
        return indices.filter { isLatest[$0] }
    }

    /// Replaces the latest index of a purchase if the version at another index is later.
    private func replace(_ latest: inout Int, with index: Int, _ isLatest: inout [Bool]) {
        guard latest == index || self[index].isLater(than: self[latest]) else { return }
        isLatest[latest] = false
        isLatest[index] = true
        latest = index
    }
}
