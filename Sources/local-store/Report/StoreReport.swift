internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// Writes transactions, subscriptions, notifications and purchases: as a table, or as JSON Lines with `--json`.
struct StoreReport {
    let session: Session

    // MARK: Writing

    func write(_ transactions: some Sequence<StoredTransaction>) throws(Output.Failure) {
        try write(transactions, as: .transaction, object: Self.object, cells: Self.cells)
    }

    func write(_ subscriptions: some Sequence<StoredSubscription>) throws(Output.Failure) {
        try write(subscriptions, as: .subscription, object: Self.object, cells: Self.cells)
    }

    func write(_ notifications: some Sequence<StoreNotification>) throws(Output.Failure) {
        try write(notifications, as: .notification, object: Self.object, cells: Self.cells)
    }

    func write(_ pending: some Sequence<PendingOrder>) throws(Output.Failure) {
        try write(pending, as: .pending, object: Self.object, cells: Self.cells)
    }

    /// Writes the store's answer to a purchase.
    func write(_ answer: PurchaseAnswer) throws(Output.Failure) {
        let name: String
        let inner: JSONObject
        let cells: [String]
        switch answer {
        case .bought(let transaction):
            (name, inner, cells) = ("bought", Self.object(transaction), Self.cells(transaction))
        case .owned(let transaction):
            (name, inner, cells) = ("owned already", Self.object(transaction), Self.cells(transaction))
        case .planChanged(let transaction):
            (name, inner, cells) = ("changes with the next renewal", Self.object(transaction), Self.cells(transaction))
        case .awaitingApproval(let purchase):
            (name, inner, cells) = ("waits for approval", Self.object(purchase), Self.cells(purchase))
        case .interrupted(let purchase):
            (name, inner, cells) = ("is interrupted", Self.object(purchase), Self.cells(purchase))
        }
        if session.writesJSON {
            let object: JSONObject = ["type": .string("purchase"), "answer": .string(name), "purchase": .object(inner)]
            return try session.writeLine(object, as: .purchase)
        }
        var table = TextTable()
        table.add([name] + cells)
        try table.write(to: session.output)
    }

    private func write<Item>(
        _ items: some Sequence<Item>,
        as schema: OutputSchema,
        object: (Item) -> JSONObject,
        cells: (Item) -> [String]
    ) throws(Output.Failure) {
        var table = TextTable()
        for item in items {
            if session.writesJSON {
                try session.writeLine(object(item), as: schema)
            } else {
                table.add(cells(item))
            }
        }
        try table.write(to: session.output)
    }

    // MARK: Table cells

    private static func cells(_ transaction: StoredTransaction) -> [String] {
        var remarks: [String] = []
        if transaction.play != nil { remarks.append("Google Play") }
        if let end = transaction.expiresDate { remarks.append("until \(end)") }
        if let commitment = transaction.commitment {
            remarks.append("month \(commitment.month) of \(commitment.monthCount)")
        }
        if transaction.quantity > 1 { remarks.append("quantity \(transaction.quantity)") }
        if let offer = transaction.offer { remarks.append(offer.id.map { "offer \($0)" } ?? "introductory offer") }
        if transaction.isFamilyShared { remarks.append("family-shared") }
        if transaction.isUpgraded { remarks.append("upgraded") }
        if let revocation = transaction.revocation {
            let share = revocation.percentage.map { ", \(Milliunits(Int64($0))) percent refunded" } ?? ""
            remarks.append("revoked \(revocation.date)\(share)")
        }
        return [
            transaction.id, transaction.account, transaction.productID, "\(transaction.purchaseDate)",
            transaction.price.map { "\($0) \(transaction.currency)" } ?? "", remarks.joined(separator: ", "),
        ]
    }

    private static func cells(_ subscription: StoredSubscription) -> [String] {
        var remarks: [String] = []
        if let end = subscription.gracePeriodEnd { remarks.append("grace until \(end)") }
        if let commitment = subscription.commitment { remarks.append("commitment until \(commitment.endDate)") }
        if subscription.isRunning, !subscription.willAutoRenew { remarks.append("does not renew") }
        if !subscription.renewalProductID.isIdentical(to: subscription.productID) {
            remarks.append("renews as \(subscription.renewalProductID)")
        }
        if subscription.isRunning, subscription.hasBillingIssue { remarks.append("payments fail") }
        if let increase = subscription.priceIncrease {
            remarks.append("price increases to \(increase.price)\(increase.isAccepted ? ", accepted" : "")")
        }
        if subscription.isFamilyShared { remarks.append("family-shared") }
        return [
            subscription.id, subscription.account, subscription.productID, subscription.standing.words,
            "until \(subscription.expiresDate)", remarks.joined(separator: ", "),
        ]
    }

    private static func cells(_ notification: StoreNotification) -> [String] {
        [
            "\(notification.date)",
            notification.type.rawValue + (notification.subtype.map { " \($0.rawValue)" } ?? ""), notification.account,
            notification.transaction.productID, notification.transaction.id,
        ]
    }

    private static func cells(_ purchase: PendingOrder) -> [String] {
        [
            purchase.id, purchase.account, purchase.productID, "\(purchase.date)",
            purchase.kind == .approval ? "awaiting approval" : "interrupted",
        ]
    }

    // MARK: JSON objects

    private static func object(_ transaction: StoredTransaction) -> JSONObject {
        [
            "type": .string("transaction"), "transactionId": .string(transaction.id),
            "originalTransactionId": .string(transaction.originalID), "account": .string(transaction.account),
            "productId": .string(transaction.productID), "productType": .string(transaction.type.rawValue),
            "reason": .string(transaction.reason.rawValue),
            "purchaseDate": .string("\(transaction.purchaseDate)"),
            "expiresDate": .optionalString(transaction.expiresDate),
            "quantity": .integer(Int64(transaction.quantity)),
            "commitmentMonth": transaction.commitment.map { .integer(Int64($0.month)) } ?? .null,
            "commitmentMonths": transaction.commitment.map { .integer(Int64($0.monthCount)) } ?? .null,
            "price": .optionalString(transaction.price), "currency": .string(transaction.currency),
            "storefront": .string(transaction.storefront),
            "appAccountToken": .optionalString(transaction.appAccountToken),
            "offerType": transaction.offer.map { .integer(Int64($0.type.rawValue)) } ?? .null,
            "offerId": .optionalString(transaction.offer?.id), "familyShared": .boolean(transaction.isFamilyShared),
            "upgraded": .boolean(transaction.isUpgraded),
            "revocationDate": .optionalString(transaction.revocation?.date),
            "revocationPercentage": .optionalString(
                transaction.revocation.map { Milliunits(Int64($0.percentage ?? 100_000)) }),
            "finished": .boolean(transaction.isFinished),
        ]
    }

    private static func object(_ subscription: StoredSubscription) -> JSONObject {
        [
            "type": .string("subscription"), "originalTransactionId": .string(subscription.id),
            "latestTransactionId": .string(subscription.latestTransactionID),
            "account": .string(subscription.account), "groupId": .string(subscription.groupID),
            "productId": .string(subscription.productID), "status": .string(subscription.standing.rawValue),
            "entitled": .boolean(subscription.isEntitled), "expiresDate": .optionalString(subscription.expiresDate),
            "gracePeriodExpiresDate": .optionalString(subscription.gracePeriodEnd),
            "autoRenews": .boolean(subscription.willAutoRenew),
            "autoRenewProductId": .string(subscription.renewalProductID),
            "billingPlan": .optionalString(subscription.billingPlan?.rawValue),
            "commitmentExpiresDate": .optionalString(subscription.commitment?.endDate),
            "paymentsFail": .boolean(subscription.hasBillingIssue),
            "increasedPrice": .optionalString(subscription.priceIncrease?.price),
            "increaseAccepted": subscription.priceIncrease.map { .boolean($0.isAccepted) } ?? .null,
            "familyShared": .boolean(subscription.isFamilyShared),
        ]
    }

    private static func object(_ notification: StoreNotification) -> JSONObject {
        [
            "type": .string("notification"), "notificationUUID": .string(notification.id),
            "notificationType": .string(notification.type.rawValue),
            "subtype": .optionalString(notification.subtype?.rawValue),
            "date": .string("\(notification.date)"), "account": .string(notification.account),
            "productId": .string(notification.transaction.productID),
            "transactionId": .string(notification.transaction.id),
            "originalTransactionId": .string(notification.transaction.originalID),
        ]
    }

    private static func object(_ purchase: PendingOrder) -> JSONObject {
        [
            "type": .string("pending"), "id": .string(purchase.id), "kind": .string(purchase.kind.rawValue),
            "account": .string(purchase.account), "productId": .string(purchase.productID),
            "date": .string("\(purchase.date)"),
        ]
    }
}
