internal import ReceiptTypes

extension LocalStoreEngine {
    /// Buys a product for a customer.
    ///
    /// An introductory offer applies by itself where the customer may have it. What is owned for ever is not sold twice, and
    /// a subscription of the same group is a change of plan. Where the settings ask for it, the purchase waits.
    public mutating func buy(
        _ productID: String, for account: String, _ order: PurchaseOrder = PurchaseOrder()
    ) throws(LocalStoreError) -> PurchaseAnswer {
        _ = try self.account(account)
        let product = try product(productID)
        try requirePossible(order, product)
        if let owned = owned(product, by: account, order) { return .owned(owned) }
        if product.subscription != nil { _ = try offer(for: product, account, order.offer) }
        if state.settings.isAskToBuyEnabled { return try wait(.approval, account, product, order) }
        if state.settings.isInterruptingPurchases { return try wait(.interruption, account, product, order) }
        return try complete(product, for: account, order)
    }

    private func requirePossible(_ order: PurchaseOrder, _ product: ConfiguredProduct) throws(LocalStoreError) {
        let canBeMany = product.type == .consumable || product.type == .nonRenewingSubscription
        guard PurchaseOrder.quantities.contains(order.quantity), canBeMany || order.quantity == 1 else {
            throw LocalStoreError(.invalidQuantity, "\(order.quantity) of \(product.id) cannot be bought")
        }
        guard order.offer == nil || product.subscription != nil else {
            throw LocalStoreError(.unknownOffer, "\(product.id) is no subscription and has no offers")
        }
    }

    /// What the customer has already and needs not buy.
    private func owned(
        _ product: ConfiguredProduct, by account: String, _ order: PurchaseOrder
    ) -> StoredTransaction? {
        if product.type == .nonConsumable {
            return state.transactions.last {
                $0.sharedFrom == nil && !$0.isRevoked && $0.account.isIdentical(to: account)
                    && $0.productID.isIdentical(to: product.id)
            }
        }
        guard let terms = product.subscription, order.offer == nil,
            let index = ownSubscriptionIndex(of: account, group: terms.groupID)
        else { return nil }
        let subscription = state.subscriptions[index]
        guard subscription.standing == .active, subscription.willAutoRenew,
            subscription.productID.isIdentical(to: product.id),
            subscription.renewalProductID.isIdentical(to: product.id)
        else { return nil }
        return state.index(of: subscription.latestNumber).map { state.transactions[$0] }
    }

    // MARK: Waiting

    private mutating func wait(
        _ kind: PendingPurchase.Kind, _ account: String, _ product: ConfiguredProduct, _ order: PurchaseOrder
    ) throws(LocalStoreError) -> PurchaseAnswer {
        let purchase = PendingPurchase(
            number: try nextNumber(), kind: kind, account: account, productID: product.id, order: order,
            date: state.now
        )
        state.pending.append(purchase)
        note(.pending(purchase))
        return kind == .approval ? .awaitingApproval(purchase) : .interrupted(purchase)
    }

    /// Approves a purchase (Ask to Buy); the transaction comes to the customer as an update.
    public mutating func approve(_ pendingID: String) throws(LocalStoreError) -> PurchaseAnswer {
        let purchase = try take(pendingID, .approval)
        let product = try product(purchase.productID)
        if let owned = owned(product, by: purchase.account, purchase.order) { return .owned(owned) }
        if state.settings.isInterruptingPurchases {
            return try wait(.interruption, purchase.account, product, purchase.order)
        }
        return try complete(product, for: purchase.account, purchase.order)
    }

    /// Declines a purchase (Ask to Buy); the customer's app is never told.
    public mutating func decline(_ pendingID: String) throws(LocalStoreError) {
        note(.abandoned(try take(pendingID, .approval)))
    }

    /// Resolves the issue of a purchase that was interrupted; the transaction comes to the customer as an update.
    public mutating func resolve(_ pendingID: String) throws(LocalStoreError) -> PurchaseAnswer {
        let purchase = try take(pendingID, .interruption)
        let product = try product(purchase.productID)
        if let owned = owned(product, by: purchase.account, purchase.order) { return .owned(owned) }
        return try complete(product, for: purchase.account, purchase.order)
    }

    /// Gives an interrupted purchase up.
    public mutating func abandon(_ pendingID: String) throws(LocalStoreError) {
        note(.abandoned(try take(pendingID, .interruption)))
    }

    private mutating func take(
        _ id: String, _ kind: PendingPurchase.Kind
    ) throws(LocalStoreError) -> PendingPurchase {
        guard let index = state.pending.firstIndex(where: { $0.id.isIdentical(to: id) && $0.kind == kind }) else {
            throw LocalStoreError(.unknownPurchase, "no purchase \(id) waits for \(kind.rawValue)")
        }
        return state.pending.remove(at: index)
    }

    // MARK: Paying

    private mutating func complete(
        _ product: ConfiguredProduct, for account: String, _ order: PurchaseOrder
    ) throws(LocalStoreError) -> PurchaseAnswer {
        if product.subscription != nil { return try subscribe(to: product, for: account, order) }
        let transaction = try record(
            Draft(
                account: account, product: product, purchaseDate: state.now, quantity: order.quantity,
                price: Self.total(product.price, order.quantity), appAccountToken: order.appAccountToken
            ))
        notify(.oneTimeCharge, about: transaction)
        try share(transaction, of: product)
        return .bought(transaction)
    }

    private static func total(_ price: Milliunits, _ count: Int) -> Milliunits {
        let (total, overflow) = price.rawValue.multipliedReportingOverflow(by: Int64(count))
        return Milliunits(overflow ? (price.rawValue < 0 ? .min : .max) : total)
    }

    // MARK: Finishing

    /// Notes that the app has dealt with a transaction as it stands; an unknown one is left alone.
    public mutating func finish(_ transactionID: String) {
        guard let index = state.index(of: transactionID) else { return }
        state.transactions[index].isFinished = true
    }
}
