internal import PurchaseCore
internal import ReceiptTypes

extension Plan {
    /// Returns the plan with the store's own price and period; unchanged without a product.
    func priced(by product: Product?, _ catalog: TemplatePriceCatalog?) -> Plan {
        guard let product else { return self }
        // The store does not have the duration of a non-renewing subscription.
        let ownPeriod =
            product.type == .nonRenewingSubscription ? catalog?.nonRenewingPeriod(of: id)?.name ?? period : ""
        return Plan(
            id: id, displayPrice: product.displayPrice, period: product.subscription?.period.name ?? ownPeriod,
            isBestValue: isBestValue)
    }
}

extension BillingPeriod {
    /// The period as plans name it: `week`, `month`, `year`, or in ISO 8601.
    fileprivate var name: String {
        switch self {
        case .week: "week"
        case .month: "month"
        case .year: "year"
        default: description
        }
    }
}
