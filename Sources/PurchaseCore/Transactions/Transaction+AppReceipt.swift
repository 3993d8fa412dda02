public import ReceiptTypes

extension Transaction {
    /// Reads an in-app purchase of a verified app receipt.
    ///
    /// Returns nil if the purchase lacks its transaction id, its product or its date, or is an auto-renewable
    /// subscription without an end. A purchase whose type the receipt does not tell is a subscription if it has an end,
    /// and otherwise a non-consumable: what it unlocks is for the catalog to say.
    ///
    /// A receipt does not have the account, the price, the subscription group, or whether a family member shares the
    /// purchase. Its cancellation date is a refund.
    ///
    /// - Parameters:
    ///   - purchase: The in-app purchase.
    ///   - app: The purchase of the app in the same receipt.
    public init?(_ purchase: AppReceiptPurchase, of app: AppPurchase) {
        guard let id = purchase.transactionId, !id.isEmpty, let productID = purchase.productId, !productID.isEmpty,
            let purchaseDate = purchase.purchaseDate ?? purchase.originalPurchaseDate
        else { return nil }
        let type = ProductType(purchase)
        let expiresDate = type == .autoRenewableSubscription ? purchase.expiresDate : nil
        if type == .autoRenewableSubscription, expiresDate == nil { return nil }
        let original = purchase.originalTransactionId
        self.init(
            app, id: id, originalID: original.flatMap { $0.isEmpty ? nil : $0 } ?? id, productID: productID, type: type,
            dates: (purchaseDate, purchase.originalPurchaseDate ?? purchaseDate, expiresDate),
            quantity: max(1, Int(clamping: purchase.quantity ?? 1)),
            webOrderLineItemID: purchase.webOrderLineItemId.flatMap { $0 > 0 ? "\($0)" : nil },
            revocationDate: purchase.cancellationDate, offer: purchase.offer)
    }

    /// Creates what a ledger records of an app receipt: the purchase of the app itself, under an id.
    ///
    /// Its facts are the same in each later receipt of the app, so a later receipt takes the place of an earlier one.
    init(_ app: AppPurchase, recordedAs id: String) {
        self.init(app, id: id, originalID: id, productID: app.bundleID, type: .app)
    }

    /// Reads what a ledger records of a verified app receipt or app transaction; nil if it does not identify the
    /// purchase of the app.
    package init?(recording receipt: AppReceipt, isAppTransaction: Bool) {
        guard let app = AppPurchase(receipt) else { return nil }
        self.init(app, recordedAs: app.recordID(isAppTransaction: isAppTransaction))
    }

    /// Creates the purchase of a product that the catalog grants for the purchase of the app.
    init(_ app: AppPurchase, granting productID: String) {
        self.init(app, id: "\(app.id) \(productID)", originalID: app.id, productID: productID, type: .nonConsumable)
    }

    private init(
        _ app: AppPurchase, id: String, originalID: String, productID: String, type: ProductType,
        dates: (purchase: Timestamp, original: Timestamp, end: Timestamp?)? = nil, quantity: Int = 1,
        webOrderLineItemID: String? = nil, revocationDate: Timestamp? = nil,
        offer: (type: OfferType, mode: OfferDiscountType?)? = nil
    ) {
        self.id = id
        self.originalID = originalID
        self.webOrderLineItemID = webOrderLineItemID
        self.productID = productID
        self.type = type
        kind = Kind(type)
        subscriptionGroupID = nil
        purchaseDate = dates?.purchase ?? app.originalPurchaseDate
        originalPurchaseDate = dates?.original ?? app.originalPurchaseDate
        isRenewal = nil
        expiresDate = dates?.end
        self.quantity = quantity
        ownership = .purchased
        self.revocationDate = revocationDate
        refundedShare = nil
        isUpgraded = false
        offerType = offer?.type
        offerPaymentMode = offer?.mode
        appAccountToken = nil
        signedDate = app.signedDate
        price = nil
        currency = nil
        environment = app.environment
        isOfTestStore = app.environment == .xcode || app.environment == .localTesting
        origin = .appStore
    }
}

extension ProductType {
    /// The app itself, which no store sells as an in-app purchase.
    static let app = Self(rawValue: "App")

    fileprivate init(_ purchase: AppReceiptPurchase) {
        switch purchase.productType {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        default: self = purchase.expiresDate == nil ? .nonConsumable : .autoRenewableSubscription
        }
    }
}

extension AppReceiptPurchase {
    fileprivate var offer: (type: OfferType, mode: OfferDiscountType?)? {
        if self.isTrialPeriod == 1 { return (.introductory, .freeTrial) }
        if self.isInIntroOfferPeriod == 1 { return (.introductory, nil) }
        return self.promotionalOfferId.flatMap { $0.isEmpty ? nil : (.promotional, nil) }
    }
}

extension [Transaction] {
    /// Returns the purchases of an app receipt that count beside the store's own transactions, which this array has.
    ///
    /// The store's own transaction says more than a receipt, so it takes the receipt's place, whichever was signed
    /// later. Only a refund that a later receipt has counts beside it.
    func purchasesBeside(_ receipt: [Transaction]) -> [Transaction] {
        guard !receipt.isEmpty, !isEmpty else { return receipt }
        let byID = Dictionary(grouping: self) { ExactString($0.id) }
        let nonConsumables = Dictionary(
            grouping: lazy.filter { $0.kind == .nonConsumable }, by: { ExactString($0.originalID) })
        return receipt.filter { purchase in
            let versions = (byID[ExactString(purchase.id)] ?? []).filter { $0.isSold(as: purchase) }
            // A receipt has an id of its own for each restored non-consumable.
            let isRestored =
                purchase.kind == .nonConsumable
                && (nonConsumables[ExactString(purchase.originalID)] ?? []).contains {
                    $0.productID.isIdentical(to: purchase.productID) && $0.play == nil
                }
            if purchase.isRevoked, versions.contains(where: { $0.purchaseKey == purchase.purchaseKey }) { return true }
            return versions.isEmpty && !isRestored
        }
    }
}

extension Transaction {
    /// Returns whether this transaction and a purchase of a receipt with the same id are the same purchase.
    ///
    /// The date tells the purchases of a test store apart, which uses its ids again. A receipt has whole seconds.
    fileprivate func isSold(as purchase: Transaction) -> Bool {
        guard play == nil, productID.isIdentical(to: purchase.productID) else { return false }
        let second: Int64 = 1_000
        return !isOfTestStore
            || purchaseDate.millisecondsSince1970 / second == purchase.purchaseDate.millisecondsSince1970 / second
    }
}
