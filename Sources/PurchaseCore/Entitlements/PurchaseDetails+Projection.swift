internal import ReceiptTypes

extension PurchaseDetails {
    /// Creates the details of a period of a subscription.
    ///
    /// - Parameter renewal: The renewal info of the latest period; nil for an earlier one.
    init(
        subscription transaction: Transaction, _ standing: Transaction.Standing, _ renewal: RenewalInfo?,
        _ catalog: TemplatePriceCatalog
    ) {
        let entitlements = catalog.entitlements(of: transaction)
        let isGranted = standing.isInForce && !entitlements.isEmpty
        // A renewal info of an earlier period does not know the next price.
        let isCurrent = renewal.map { $0.signedDate >= transaction.purchaseDate } ?? false
        var end: Timestamp?
        var billingIssue: BillingIssue?
        var renewsOn: Timestamp?
        var planChange: PlanChange?
        var priceIncrease: PriceIncrease?
        var upcomingOffer: UpcomingOffer?
        switch standing {
        case .inForce(let until):
            end = until
            guard let renewal, renewal.willAutoRenew else { break }
            // An estimated end says how long access is granted, not when the store renews.
            let periodEnd = transaction.hasEstimatedEnd ? nil : until
            renewsOn = isCurrent ? renewal.renewalDate ?? periodEnd : periodEnd
            planChange = until.flatMap { renewal.planChange(after: transaction, until: $0) }
            if isCurrent { upcomingOffer = renewal.offer }
            if isCurrent, let status = renewal.priceIncreaseStatus {
                priceIncrease = PriceIncrease(
                    needsConsent: status == .pending, price: renewal.renewalPrice, currency: renewal.currency)
            }
        case .inGracePeriod(let until):
            end = until
            billingIssue = BillingIssue(since: transaction.expiresDate ?? until, deadline: until)
        case .inOfflineGrace(let until):
            end = until
        case .denied(.billingRetry):
            billingIssue = transaction.expiresDate.map { BillingIssue(since: $0, deadline: nil) }
        case .denied:
            break
        }
        self.init(
            productID: transaction.productID, transactionID: transaction.id, type: transaction.type,
            entitlements: entitlements, isGranted: isGranted, ownership: transaction.ownership,
            purchaseDate: transaction.purchaseDate, originalPurchaseDate: transaction.originalPurchaseDate,
            isRenewal: transaction.isRenewal, period: transaction.periodOfDetails,
            willRenew: transaction.isRevoked || transaction.isUpgraded ? false : renewal?.willRenew,
            renewsOn: renewsOn, accessEnds: isGranted && !transaction.hasEstimatedEnd ? end : nil,
            periodEnds: transaction.hasEstimatedEnd ? nil : transaction.expiresDate,
            billingIssue: billingIssue, planChange: planChange, priceIncrease: priceIncrease,
            upcomingOffer: upcomingOffer, commitment: isCurrent ? renewal?.commitment : nil,
            subscriptionGroupID: transaction.subscriptionGroupID,
            eligibleWinBackOfferIDs: isCurrent ? renewal?.eligibleWinBackOfferIDs ?? [] : []
        )
    }

    /// Creates the details of a non-consumable or a non-renewing subscription.
    ///
    /// - Parameter ground: The ground that the purchase is; nil if it grants nothing.
    init(purchase transaction: Transaction, _ ground: Ground?, _ catalog: TemplatePriceCatalog) {
        self.init(
            productID: transaction.productID, transactionID: transaction.id, type: transaction.type,
            entitlements: catalog.entitlements(of: transaction), isGranted: ground != nil,
            ownership: transaction.ownership, purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.originalPurchaseDate, isRenewal: transaction.isRenewal,
            accessEnds: ground?.end, periodEnds: ground?.end
        )
    }
}

extension TemplatePriceCatalog {
    /// Returns what the products of a purchase unlock together.
    fileprivate func entitlements(of transaction: Transaction) -> Set<Entitlement> {
        transaction.otherProductIDs.reduce(into: entitlements(for: transaction.productID)) { all, other in
            all.formUnion(entitlements(for: other))
        }
    }
}

extension Transaction {
    /// The kind of a subscription's period; nil for a purchase of Google Play, whose data does not name an offer.
    fileprivate var periodOfDetails: PurchaseDetails.Period? {
        if play != nil { return nil }
        // A transaction that was signed before the store told the payment mode has a price of zero.
        if offerPaymentMode == .freeTrial || offerType != nil && price?.rawValue == 0 { return .trial }
        guard let offerType else { return .regular }
        return offerType == .introductory ? .introductory : .offer
    }
}

extension Entitlements {
    /// The grounds by the id of their transaction.
    var groundsByTransactionID: [ExactString: Ground] {
        Dictionary(
            grounds.values.joined().map { (ExactString($0.transactionID), $0) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns a copy with the details of single purchases, the latest purchase first.
    func adding(_ purchases: [PurchaseDetails]) -> Self {
        Entitlements(
            grounds: grounds, denials: denials, balances: balances, planChanges: planChanges,
            purchases: purchases.sorted {
                $0.purchaseDate != $1.purchaseDate
                    ? $0.purchaseDate > $1.purchaseDate : $0.transactionID.precedes($1.transactionID)
            }, asOf: asOf
        )
    }
}

/// Chooses the purchases that screens show: those in force, and of each product the latest that is not.
///
/// An account can have a hundred thousand ended purchases, and details of all of them would cost more than everything
/// else.
struct ShownPurchases {
    private var inForce: [Int] = []
    /// The latest ended purchase of each product, by the product's number.
    private var ended: [Int?] = []

    /// Adds the purchase at an index of the transactions.
    ///
    /// - Parameter product: The number of the product.
    mutating func add(_ index: Int, _ product: Int, isInForce: Bool, of transactions: [Transaction]) {
        if isInForce { return inForce.append(index) }
        while ended.count <= product { ended.append(nil) }
        if let known = ended[product] {
            let (date, knownDate) = (transactions[index].purchaseDate, transactions[known].purchaseDate)
            guard date > knownDate || date == knownDate && transactions[index].id.precedes(transactions[known].id)
            else { return }
        }
        ended[product] = index
    }

    /// The indices of the chosen purchases, in any order.
    var indices: [Int] { inForce + ended.compactMap(\.self) }
}
