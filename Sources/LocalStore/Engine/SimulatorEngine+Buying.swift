public import PurchaseCore
internal import ReceiptTypes

extension SimulatorEngine {
    /// Buys a product for a customer.
    ///
    /// An introductory offer applies without a request where the customer is eligible. A non-consumable can be bought
    /// again only after a refund, and a purchase in the group of a running subscription changes the plan. The purchase
    /// waits where the settings enable Ask to Buy or interrupted purchases.
    public mutating func buy(
        _ productID: String, for account: String, _ order: PurchaseOrder = PurchaseOrder()
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        _ = try self.account(account)
        let product = try product(productID)
        let order = order.asTheStoreTakesIt
        try requirePossible(order, product)
        if let owned = owned(product, by: account, order) { return .owned(owned) }
        if product.subscription != nil { _ = try offer(for: product, account, order.offer, order.billingPlan) }
        if state.settings.isAskToBuyEnabled { return try hold(.approval, account, product, order) }
        if state.settings.isInterruptingPurchases { return try hold(.interruption, account, product, order) }
        return try complete(product, for: account, order)
    }

    private func requirePossible(_ order: PurchaseOrder, _ product: ConfiguredProduct) throws(StoreSimulatorError) {
        let canBeMany = product.type == .consumable || product.type == .nonRenewingSubscription
        guard canBeMany || order.quantity == 1 else {
            throw StoreSimulatorError(
                .notSoldInQuantity,
                "\(product.id) is of type \(product.type.rawValue), which is sold only one at a time")
        }
        guard PurchaseOrder.quantities.contains(order.quantity) else {
            throw StoreSimulatorError(
                .invalidQuantity, "\(product.id) cannot be bought in a quantity of \(order.quantity)")
        }
        guard order.offer == nil || product.subscription != nil else {
            throw StoreSimulatorError(.unknownOffer, "\(product.id) is not a subscription and has no offers")
        }
        guard let plan = order.billingPlan else { return }
        guard let terms = product.subscription else {
            throw StoreSimulatorError(
                .unknownBillingPlan, "\(product.id) is not a subscription and has no billing plans")
        }
        _ = try periodTerms(of: product, terms, plan)
    }

    /// Returns the transaction that makes a purchase unnecessary, or nil.
    private func owned(
        _ product: ConfiguredProduct, by account: String, _ order: PurchaseOrder
    ) -> StoredTransaction? {
        if product.type == .nonConsumable {
            // By position: a copy of each transaction would take most of the time.
            let list = state.transactions
            let place = list.indices.last {
                list[$0].sharedFrom == nil && !list[$0].isRevoked && list[$0].account.isIdentical(to: account)
                    && list[$0].productID.isIdentical(to: product.id)
            }
            return place.map { list[$0] }
        }
        guard let terms = product.subscription, order.offer == nil,
            let index = ownSubscriptionIndex(of: account, group: terms.groupID)
        else { return nil }
        let subscription = state.subscriptions[index]
        guard subscription.standing == .active, subscription.willAutoRenew,
            subscription.productID.isIdentical(to: product.id), subscription.billingPlan == order.billingPlan,
            subscription.renewalProductID.isIdentical(to: product.id)
        else { return nil }
        return state.index(of: subscription.latestNumber).map { state.transactions[$0] }
    }

    // MARK: Pending purchases

    private mutating func hold(
        _ kind: PendingOrder.Kind, _ account: String, _ product: ConfiguredProduct, _ order: PurchaseOrder
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        let number = try nextNumber()
        var order = order
        // A purchase in Google Play keeps its token from its first pending state on.
        if let play = order.play, play.tokenNumber == nil { order.play?.tokenNumber = number }
        let purchase = PendingOrder(
            number: number, kind: kind, account: account, productID: product.id, order: order, date: state.now
        )
        state.pending.append(purchase)
        emit(.pending(purchase))
        return kind == .approval ? .awaitingApproval(purchase) : .interrupted(purchase)
    }

    /// Removes the purchases whose time for an approval ends until an instant.
    mutating func removeUnapprovedOrders(until instant: Timestamp) {
        for purchase in state.pending {
            guard let end = purchase.approvalDeadline, end <= instant else { continue }
            state.now = max(state.now, end)
            state.pending.removeAll { $0.number == purchase.number }
            emit(.abandoned(purchase))
        }
    }

    /// Approves a purchase (Ask to Buy); the customer's devices receive the transaction as an update.
    public mutating func approve(_ pendingID: String) throws(StoreSimulatorError) -> PurchaseAnswer {
        let purchase = try removePendingOrder(pendingID, .approval)
        let product = try product(purchase.productID)
        if let owned = owned(product, by: purchase.account, purchase.order) { return .owned(owned) }
        if state.settings.isInterruptingPurchases {
            return try hold(.interruption, purchase.account, product, purchase.order)
        }
        return try complete(product, for: purchase.account, purchase.order)
    }

    /// Declines a purchase (Ask to Buy); as in the App Store, the app is not notified.
    public mutating func decline(_ pendingID: String) throws(StoreSimulatorError) {
        emit(.abandoned(try removePendingOrder(pendingID, .approval)))
    }

    /// Resolves an interrupted purchase; the customer's devices receive the transaction as an update.
    public mutating func resolve(_ pendingID: String) throws(StoreSimulatorError) -> PurchaseAnswer {
        let purchase = try removePendingOrder(pendingID, .interruption)
        let product = try product(purchase.productID)
        if let owned = owned(product, by: purchase.account, purchase.order) { return .owned(owned) }
        return try complete(product, for: purchase.account, purchase.order)
    }

    /// Abandons an interrupted purchase.
    public mutating func abandon(_ pendingID: String) throws(StoreSimulatorError) {
        emit(.abandoned(try removePendingOrder(pendingID, .interruption)))
    }

    private mutating func removePendingOrder(
        _ id: String, _ kind: PendingOrder.Kind
    ) throws(StoreSimulatorError) -> PendingOrder {
        guard let index = state.pending.firstIndex(where: { $0.id.isIdentical(to: id) && $0.kind == kind }) else {
            throw StoreSimulatorError(.unknownPurchase, "no purchase \(id) waits for \(kind.rawValue)")
        }
        return state.pending.remove(at: index)
    }

    // MARK: Completed purchases

    private mutating func complete(
        _ product: ConfiguredProduct, for account: String, _ order: PurchaseOrder
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        try recordPlayOrder(order.play, of: try charge(for: product, account, order))
    }

    private mutating func charge(
        for product: ConfiguredProduct, _ account: String, _ order: PurchaseOrder
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        if product.subscription != nil { return try subscribe(to: product, for: account, order) }
        let transaction = try record(
            Draft(
                account: account, product: product, purchaseDate: state.now, quantity: order.quantity,
                price: Self.totalPrice(product.price, order.quantity), appAccountToken: order.appAccountToken
            ))
        notify(.oneTimeCharge, about: transaction)
        try share(transaction, of: product)
        return .bought(transaction)
    }

    private static func totalPrice(_ price: Milliunits, _ count: Int) -> Milliunits {
        let (total, overflow) = price.rawValue.multipliedReportingOverflow(by: Int64(count))
        return Milliunits(overflow ? (price.rawValue < 0 ? .min : .max) : total)
    }

    // MARK: Finishing

    /// Finishes the current version of a transaction; does nothing for an unknown identifier.
    ///
    /// A purchase that was ordered in Google Play is acknowledged, and consumed if it is a consumable.
    public mutating func finish(_ transactionID: String) {
        guard let index = state.index(of: transactionID) else { return }
        state.transactions[index].isFinished = true
        let sale = playSale(of: state.transactions[index])
        if sale.first.play != nil || sale.replacement != nil { acknowledge(sale) }
    }
}

/// The store's answer to a purchase.
public enum PurchaseAnswer: Sendable, Hashable {
    /// The purchase is complete; the value is its transaction.
    case bought(StoredTransaction)
    /// The customer already owns the product; the value is the existing transaction, and nothing was charged.
    case owned(StoredTransaction)
    /// The plan changes with the next renewal; the value is the transaction of the current period.
    case planChanged(StoredTransaction)
    /// The purchase waits for approval (Ask to Buy).
    case awaitingApproval(PendingOrder)
    /// The purchase waits for the customer to resolve an issue.
    case interrupted(PendingOrder)

    /// The transaction of the answer; nil for a purchase that waits.
    public var transaction: StoredTransaction? {
        switch self {
        case .bought(let transaction), .owned(let transaction), .planChanged(let transaction): transaction
        case .awaitingApproval, .interrupted: nil
        }
    }
}
