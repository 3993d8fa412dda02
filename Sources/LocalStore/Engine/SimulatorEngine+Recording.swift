internal import PurchaseCore
internal import ReceiptTypes

// Recording of new numbers, transactions, versions and notifications.
extension SimulatorEngine {
    /// Returns the next number for a transaction or a pending purchase; numbers ascend.
    mutating func nextNumber() throws(StoreSimulatorError) -> Int64 {
        try Self.advance(&state.lastNumber, by: Int64(clamping: state.generator.below(997)) + 1)
        return state.lastNumber
    }

    private mutating func nextLineItem() throws(StoreSimulatorError) -> Int64 {
        try Self.advance(&state.lastLineItem, by: Int64(clamping: state.generator.below(97)) + 1)
        return state.lastLineItem
    }

    private static func advance(_ number: inout Int64, by step: Int64) throws(StoreSimulatorError) {
        let (sum, overflow) = number.addingReportingOverflow(step)
        guard !overflow else { throw StoreSimulatorError(.invalidAction, "no transaction numbers are left") }
        number = sum
    }

    /// The facts of a new transaction that do not follow from the state.
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
        var commitment: Commitment?
        var sharedFrom: Int64?
    }

    /// Appends a transaction and emits its event.
    mutating func record(_ draft: Draft) throws(StoreSimulatorError) -> StoredTransaction {
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
            commitment: draft.commitment,
            signedDate: max(state.now, draft.purchaseDate)
        )
        state.transactions.append(transaction)
        emit(.transaction(transaction))
        return transaction
    }

    /// Changes a transaction into a new version and emits its event.
    mutating func change(_ index: Int, _ body: (inout StoredTransaction) -> Void) {
        body(&state.transactions[index])
        state.transactions[index].change(at: state.now)
        emit(.transaction(state.transactions[index]))
    }

    /// Changes a subscription into a new version, emits its event, and updates its family-shared copies.
    mutating func changeSubscription(_ index: Int, _ body: (inout StoredSubscription) -> Void) {
        body(&state.subscriptions[index])
        state.subscriptions[index].change(at: state.now)
        emit(.subscription(state.subscriptions[index]))
        updateFamilySubscriptions(following: state.subscriptions[index])
    }

    /// Sends a notification about the current version of a transaction.
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
        emit(.notification(notification))
    }

    /// Sends a notification about a subscription and its latest transaction.
    mutating func notify(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, aboutSubscription index: Int
    ) {
        guard let latest = state.index(of: state.subscriptions[index].latestNumber) else { return }
        notify(type, subtype, about: state.transactions[latest])
    }
}
