public import ReceiptTypes

extension Transaction {
    /// Reads verified purchase data of Google Play.
    ///
    /// Returns nil if the data lacks the purchase token, the product or the purchase time, names other products, or is
    /// of a purchase that is neither completed nor cancelled.
    ///
    /// - Parameters:
    ///   - purchase: The data, whose signature the caller has verified.
    ///   - product: The product according to the app; of several, the first in the data.
    ///   - others: The other products of a purchase of several, in the order of the data. All are of one kind, as the
    ///     add-ons of a subscription are.
    ///   - expiresDate: The end of a subscription's paid time, if a server has asked the Play Developer API. Without
    ///     it, the service counts periods up to the last time at which the store listed the purchase.
    public init?(
        _ purchase: PlayPurchase, product: PlayProduct, others: [PlayProduct] = [], expiresDate: Timestamp? = nil
    ) {
        let named = purchase.allProductIDs
        guard let token = purchase.purchaseToken, !token.isEmpty, let purchaseDate = purchase.purchaseTime,
            named.count == others.count + 1, others.allSatisfy({ $0.type == product.type }),
            zip(named, [product] + others).allSatisfy({ $0.isIdentical(to: $1.id) }),
            purchase.state == .purchased || purchase.state == .cancelled
        else { return nil }
        id = token
        originalID = token
        webOrderLineItemID = nil
        productID = product.id
        type = product.type
        kind = Kind(product.type)
        subscriptionGroupID = product.subscriptionGroupID
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        isRenewal = nil
        self.expiresDate = kind == .autoRenewable ? expiresDate : nil
        quantity = max(1, Int(purchase.quantity ?? 1))
        ownership = .purchased
        // The data has no date of the cancellation; the state in the origin says that it was cancelled.
        revocationDate = nil
        refundedShare = nil
        isUpgraded = false
        offerType = nil
        offerPaymentMode = nil
        appAccountToken = purchase.obfuscatedAccountId.map { UUIDText($0).lowercased }
        signedDate = purchaseDate
        price = nil
        currency = nil
        environment = nil
        isOfTestStore = false
        origin = .googlePlay(
            PlayFacts(
                orderID: purchase.orderId,
                state: purchase.state,
                isAcknowledged: purchase.isAcknowledged,
                isAutoRenewing: kind == .autoRenewable ? purchase.autoRenewing ?? false : nil,
                obfuscatedAccountID: purchase.obfuscatedAccountId,
                obfuscatedProfileID: purchase.obfuscatedProfileId,
                period: product.period,
                otherProductIDs: others.map(\.id)
            ))
    }
}

extension PlayPurchase {
    /// The products of the purchase, each once, the one of `productId` first.
    ///
    /// Empty if the data names none, one without an id, or a `productId` that is not among its `productIds`.
    var allProductIDs: [String] {
        let list = self.productIds ?? []
        guard let first = self.productId ?? list.first,
            list.isEmpty || list.contains(where: { $0.isIdentical(to: first) })
        else { return [] }
        var ids: [String] = []
        for id in [first] + list where !ids.contains(where: { $0.isIdentical(to: id) }) { ids.append(id) }
        return ids.contains("") ? [] : ids
    }
}

// MARK: - Paid time of subscriptions

extension Transaction {
    /// Whether the transaction is a subscription of Google Play.
    var isPlaySubscription: Bool { kind == .autoRenewable && play != nil }

    /// Returns a copy of a Play subscription with what its data does not say: whether another purchase replaces it, and
    /// the end of its paid time.
    ///
    /// A Play subscription is paid in advance: if the store lists it, the period that contains this instant is paid.
    /// Without a listing, only the first period is certain. A listing after the present was recorded while the clock
    /// ran ahead, so it proves nothing beyond the present.
    func completed(by listing: PlayListing?, at now: Timestamp) -> Transaction {
        guard isPlaySubscription else { return self }
        var completed = self
        if let listing, listing.isReplaced { completed.isUpgraded = true }
        if expiresDate == nil, let period = play?.period {
            let listed = min(listing?.date ?? purchaseDate, now)
            completed.expiresDate = purchaseDate.firstEnd(of: period, after: max(listed, purchaseDate))
            completed.hasEstimatedEnd = true
        }
        return completed
    }
}

extension Timestamp {
    /// Returns the first end of a series of periods, which begins at this instant, after another instant.
    fileprivate func firstEnd(of period: BillingPeriod, after instant: Timestamp) -> Timestamp {
        // A day is the shortest period, and the calendar has fewer than four million days.
        var range = 1...4_000_000
        while range.lowerBound < range.upperBound {
            let middle = (range.lowerBound + range.upperBound) / 2
            if adding(period, times: middle) > instant {
                range = range.lowerBound...middle
            } else {
                range = (middle + 1)...range.upperBound
            }
        }
        return adding(period, times: range.lowerBound)
    }
}

extension RenewalInfo {
    /// Creates the renewal state of a Play subscription from its last listing; nil for every other transaction.
    init?(_ transaction: Transaction, listed: PlayListing?, at now: Timestamp) {
        guard let play = transaction.play, let isAutoRenewing = play.isAutoRenewing else { return nil }
        originalTransactionID = transaction.originalID
        productID = transaction.productID
        autoRenewProductID = listed?.plannedProductID(after: transaction.productID, at: now) ?? transaction.productID
        willAutoRenew = !transaction.isUpgraded && (listed?.willAutoRenew ?? isAutoRenewing)
        commitment = nil
        isInBillingRetry = false
        gracePeriodExpiresDate = nil
        renewalDate = nil
        renewalPrice = nil
        currency = nil
        priceIncreaseStatus = nil
        offer = nil
        eligibleWinBackOfferIDs = []
        signedDate = transaction.signedDate
    }
}
