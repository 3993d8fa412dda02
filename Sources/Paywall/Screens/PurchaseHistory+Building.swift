internal import PurchaseCore
internal import ReceiptTypes

/// A product as the history knows it.
struct KnownProduct: Sendable {
    var product: Product
    /// Whether the store has returned the product in this session.
    var isSold: Bool
}

/// Makes the history of recorded purchases: a pure function of the records, the entitlements and the known products.
struct PurchaseHistoryBuilder {
    private let entitlements: Entitlements
    private let products: [ExactString: KnownProduct]
    private let texts: PaywallTexts
    /// The details of the entitlements by transaction id.
    private let details: [ExactString: PurchaseDetails]
    /// The date of the latest purchase that the entitlements know, by product id.
    private let latest: [ExactString: Timestamp]
    private let unconfirmed: Set<ExactString>

    init(_ entitlements: Entitlements, _ products: [ExactString: KnownProduct], _ texts: PaywallTexts) {
        self.entitlements = entitlements
        self.products = products
        self.texts = texts
        details = Dictionary(
            entitlements.purchases.map { (ExactString($0.transactionID), $0) }, uniquingKeysWith: { first, _ in first })
        latest = Dictionary(
            entitlements.purchases.map { (ExactString($0.productID), $0.purchaseDate) }, uniquingKeysWith: max)
        unconfirmed = Set(entitlements.unconfirmedGrounds.map { ExactString($0.transactionID) })
    }

    func history(of purchases: [Purchase]) -> PurchaseHistory {
        let standings = purchases.map(standing)
        let owned = Set(
            zip(purchases, standings).filter { $0.1.isInForce }.map { ExactString($0.0.productID) })
        var items: [PurchaseHistory.SectionKind: [PurchaseItem]] = [:]
        for (purchase, standing) in zip(purchases, standings) {
            let item = item(purchase, standing, isOwned: owned.contains(ExactString(purchase.productID)))
            items[section(of: item), default: []].append(item)
        }
        return PurchaseHistory(
            sections: PurchaseHistory.SectionKind.allCases.compactMap { kind in
                items[kind].map { .init(id: kind, title: texts.title(of: kind), items: $0) }
            })
    }

    private func section(of item: PurchaseItem) -> PurchaseHistory.SectionKind {
        if item.standing.isInForce { return item.isFamilyShared ? .family : .active }
        if case .refunded = item.standing { return .refunded }
        return .inactive
    }

    private func item(_ purchase: Purchase, _ standing: PurchaseStanding, isOwned: Bool) -> PurchaseItem {
        let known = products[ExactString(purchase.productID)]
        let isShared = purchase.ownership == .familyShared
        let price = purchase.price.flatMap { price in
            purchase.currency.map { texts.amount(price, $0, like: known?.product) }
        }
        return PurchaseItem(
            id: purchase.id, productID: purchase.productID, name: name(of: purchase.productID),
            kind: texts.kind(of: purchase.type), purchasedAt: purchase.purchasedAt, price: isShared ? nil : price,
            quantity: purchase.quantity, isFamilyShared: isShared, standing: standing,
            state: words(purchase, standing),
            offersPurchase: (known?.isSold ?? false) && !isOwned && standing.allowsPurchase)
    }

    private func name(of productID: String) -> String {
        let name = products[ExactString(productID)]?.product.displayName ?? ""
        return name.isEmpty ? productID : name
    }

    // MARK: Standing

    private func standing(of purchase: Purchase) -> PurchaseStanding {
        if purchase.isRevoked {
            return purchase.ownership == .familyShared
                ? .notShared(since: purchase.revocationDate) : .refunded(on: purchase.revocationDate)
        }
        if case .unverified(let code) = purchase.verification { return .unverified(code) }
        if purchase.type == .consumable {
            guard let share = purchase.refundedShare else { return .bought }
            let part = PurchaseRefund.Part(
                share: share, quantity: purchase.quantity, remaining: purchase.remainingQuantity)
            return .partlyRefunded(remaining: part.isOfCompleteItems ? part.remaining : nil)
        }
        if let details = details[ExactString(purchase.id.transactionID)] { return standing(of: details) }
        // The entitlements have every purchase in force, and of each product the latest one that is not.
        guard let latest = latest[ExactString(purchase.productID)], latest >= purchase.purchasedAt else {
            // Newer than the entitlements. A one-time purchase is in force from its record on.
            return purchase.type == .nonConsumable ? .inForce(until: nil) : .notChecked
        }
        switch purchase.type {
        case .autoRenewableSubscription: return .earlierPeriod
        case .nonConsumable: return .notListed
        default: return .ended(on: nil)
        }
    }

    private func standing(of details: PurchaseDetails) -> PurchaseStanding {
        let denial = details.isGranted ? nil : entitlements.denials[details.productID]
        // A product that the catalog does not know is in force and unlocks nothing.
        guard details.isGranted || denial == .unknownProduct else { return standing(of: details, denied: denial) }
        if let issue = details.billingIssue { return .paymentFailed(deadline: issue.deadline) }
        if unconfirmed.contains(ExactString(details.transactionID)) { return .unconfirmed }
        if let change = details.planChange { return .changes(productID: change.nextProductID, on: change.date) }
        if details.willRenew == true { return .renews(on: details.renewsOn) }
        // A commitment that does not renew still charges its remaining months.
        return .inForce(until: details.commitment?.endDate ?? details.accessEnds)
    }

    private func standing(of details: PurchaseDetails, denied reason: DenialReason?) -> PurchaseStanding {
        if details.billingIssue != nil { return .paymentFailed(deadline: nil) }
        switch reason {
        case .upgraded: return .replaced
        case .notListedByStore: return .notListed
        case .unconfirmed: return .needsStore
        case .unknownEnd, .unknownType, .unknownProduct: return .notChecked
        // The entitlements know it before the record does.
        case .revoked: return details.ownership == .familyShared ? .notShared(since: nil) : .refunded(on: nil)
        case .expired, .billingRetry, nil: return .ended(on: details.periodEnds)
        }
    }

    /// Returns what has become of a subscription, and the same in words.
    func state(of subscription: PurchaseDetails) -> (standing: PurchaseStanding, words: String) {
        let standing = standing(of: subscription)
        return (standing, words(subscription, standing))
    }

    // MARK: Words

    private func words(_ purchase: Purchase, _ standing: PurchaseStanding) -> String {
        if case .partlyRefunded(let remaining) = standing {
            guard let remaining else { return texts.text(PurchaseMessage.partlyRefundedItem) }
            return texts.text(
                PurchaseMessage.partlyRefunded, ["remaining": "\(remaining)", "quantity": "\(purchase.quantity)"])
        }
        return words(details[ExactString(purchase.id.transactionID)], standing)
    }

    private func words(_ details: PurchaseDetails?, _ standing: PurchaseStanding) -> String {
        if let details, standing.isInForce, let asOf = entitlements.asOf,
            let days = TrialManager.remainingTrialDays(of: details, at: asOf)
        {
            let nextID = details.planChange?.nextProductID ?? details.productID
            let next = products[ExactString(nextID)]?.product
            if let trial = texts.remainingTrial(of: details, days: days, next: next) { return trial }
        }
        switch standing {
        case .changes(let next, let date):
            let values = ["product": name(of: next), "date": date.map(texts.day) ?? ""]
            return texts.text(date == nil ? PurchaseMessage.changes : .changesOn, values)
        default: return texts.words(for: standing)
        }
    }
}

extension PurchaseStanding {
    /// Whether buying the product again makes sense, as far as this purchase shows.
    fileprivate var allowsPurchase: Bool {
        switch self {
        case .bought, .partlyRefunded, .ended, .replaced, .refunded, .notShared: true
        default: false
        }
    }
}

extension PaywallTexts {
    fileprivate func title(of section: PurchaseHistory.SectionKind) -> String {
        let message: PurchaseMessage =
            switch section {
            case .active: .sectionActive
            case .family: .sectionFamily
            case .inactive: .sectionInactive
            case .refunded: .sectionRefunded
            }
        return text(message)
    }

    fileprivate func words(for standing: PurchaseStanding) -> String {
        func dated(_ message: PurchaseMessage, _ date: Timestamp?, or other: PurchaseMessage) -> String {
            date.map { text(message, ["date": day(of: $0)]) } ?? text(other)
        }
        return switch standing {
        case .inForce(let end): dated(.activeUntil, end, or: .active)
        case .renews(let date), .changes(_, let date): dated(.renewsOn, date, or: .renews)
        case .unconfirmed: text(PurchaseMessage.unconfirmed)
        case .paymentFailed(let deadline): dated(.paymentFailedUntil, deadline, or: .paymentFailed)
        case .bought, .partlyRefunded: text(PurchaseMessage.bought)
        case .earlierPeriod: text(PurchaseMessage.earlierPeriod)
        case .ended(let date): dated(.endedOn, date, or: .ended)
        case .replaced: text(PurchaseMessage.replaced)
        case .refunded(let date): dated(.refundedOn, date, or: .refunded)
        case .notShared: text(PurchaseMessage.notShared)
        case .notListed: text(PurchaseMessage.notListed)
        case .needsStore: text(PurchaseMessage.needsStore)
        case .unverified: text(PurchaseMessage.unverified)
        case .notChecked: text(PurchaseMessage.notChecked)
        }
    }
}
