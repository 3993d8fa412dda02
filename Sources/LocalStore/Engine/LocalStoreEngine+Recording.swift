internal import ReceiptTypes

// How things are written down: numbers, transactions, versions, notifications.
extension LocalStoreEngine {
    /// The next number of a transaction or a purchase that waits; later ones are greater.
    mutating func nextNumber() throws(LocalStoreError) -> Int64 {
        try Self.advance(&state.lastNumber, by: Int64(clamping: state.generator.below(997)) + 1)
        return state.lastNumber
    }

    private mutating func nextLineItem() throws(LocalStoreError) -> Int64 {
        try Self.advance(&state.lastLineItem, by: Int64(clamping: state.generator.below(97)) + 1)
        return state.lastLineItem
    }

    private static func advance(_ number: inout Int64, by step: Int64) throws(LocalStoreError) {
        let (sum, overflow) = number.addingReportingOverflow(step)
        guard !overflow else { throw LocalStoreError(.invalidAction, "there are no numbers left") }
        number = sum
    }

    /// What a new transaction says that is its own.
    struct Draft {
        var account: String
        var product: ConfiguredProduct
        var originalNumber: Int64?
        var originalPurchaseDate: Timestamp?
        var purchaseDate: Timestamp
        var expiresDate: Timestamp?
        var quantity = 1
        var reason: TransactionReason = .purchase
        var price: Milliunits?
        var appAccountToken: UUIDText?
        var offer: AppliedOffer?
        var sharedFrom: Int64?
    }

    /// Writes a transaction down and tells of it.
    mutating func record(_ draft: Draft) throws(LocalStoreError) -> StoredTransaction {
        let number = try nextNumber()
        let isSubscription = draft.product.subscription != nil
        let transaction = StoredTransaction(
            number: number,
            originalNumber: draft.originalNumber ?? number,
            webOrderLineItemNumber: isSubscription ? try nextLineItem() : nil,
            sharedFrom: draft.sharedFrom,
            account: draft.account,
            productID: draft.product.id,
            type: draft.product.type,
            groupID: draft.product.subscription?.groupID,
            purchaseDate: draft.purchaseDate,
            originalPurchaseDate: draft.originalPurchaseDate ?? draft.purchaseDate,
            expiresDate: draft.expiresDate,
            quantity: draft.quantity,
            reason: draft.reason,
            price: draft.price,
            currency: state.settings.knownStorefront.currency.code,
            storefront: state.settings.storefront,
            appAccountToken: draft.appAccountToken,
            offer: draft.offer,
            signedDate: max(state.now, draft.purchaseDate)
        )
        state.transactions.append(transaction)
        note(.transaction(transaction))
        return transaction
    }

    /// Makes a new version of a transaction and tells of it; those of family members who share it change with it.
    mutating func change(_ index: Int, _ body: (inout StoredTransaction) -> Void) {
        body(&state.transactions[index])
        state.transactions[index].change(at: state.now)
        note(.transaction(state.transactions[index]))
    }

    /// Makes a new version of a subscription and tells of it, and brings those of family members who share it in line.
    mutating func changeSubscription(_ index: Int, _ body: (inout StoredSubscription) -> Void) {
        body(&state.subscriptions[index])
        state.subscriptions[index].change(at: state.now)
        note(.subscription(state.subscriptions[index]))
        mirror(state.subscriptions[index])
    }

    /// Sends a notification about a transaction as it stands now.
    mutating func notify(
        _ type: NotificationType,
        _ subtype: NotificationSubtype? = nil,
        about transaction: StoredTransaction,
        reason: ConsumptionRequestReason? = nil
    ) {
        let subscription =
            transaction.groupID == nil
            ? nil : state.subscriptionIndex(original: transaction.originalNumber).map { state.subscriptions[$0] }
        let notification = StoreNotification(
            id: UUIDText.random(using: &state.generator).rawValue, type: type, subtype: subtype, date: state.now,
            account: transaction.account,
            transaction: transaction, subscription: subscription, consumptionRequestReason: reason
        )
        state.notifications.append(notification)
        note(.notification(notification))
    }

    /// Sends a notification about a subscription and its latest transaction.
    mutating func notify(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, aboutSubscription index: Int
    ) {
        guard let latest = state.index(of: state.subscriptions[index].latestNumber) else { return }
        notify(type, subtype, about: state.transactions[latest])
    }
}
