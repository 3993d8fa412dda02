internal import ReceiptTypes

/// Gathers what single purchases give until all have been looked at.
struct EntitlementTally {
    /// What one purchase comes to.
    enum Finding {
        case granted(Ground)
        case denied(DenialReason)
    }

    /// A denial, and what is needed of the purchase to tell whether another one is later.
    private struct Denial {
        let reason: DenialReason
        let purchaseDate: Timestamp
        let transactionID: String
    }

    let catalog: TemplatePriceCatalog
    let now: Timestamp
    private var grounds: [Entitlement: [Ground]] = [:]
    private var denials: [ExactText: Denial] = [:]
    private var grantedProducts: Set<ExactText> = []

    init(catalog: TemplatePriceCatalog, now: Timestamp) {
        self.catalog = catalog
        self.now = now
    }

    /// Takes what a purchase comes to.
    mutating func note(_ transaction: Transaction, _ finding: Finding) {
        let product = ExactText(transaction.productID)
        switch finding {
        case .granted(let ground):
            let entitlements = catalog.entitlements(for: transaction.productID)
            guard !entitlements.isEmpty else { return deny(product, .unknownProduct, transaction) }
            grantedProducts.insert(product)
            for entitlement in entitlements { grounds[entitlement, default: []].append(ground) }
        case .denied(let reason):
            deny(product, reason, transaction)
        }
    }

    /// The reason that is told is that of the latest purchase, which a customer would ask about; of two findings about
    /// one purchase the later one knows more.
    private mutating func deny(_ product: ExactText, _ reason: DenialReason, _ transaction: Transaction) {
        if let known = denials[product] {
            if known.purchaseDate > transaction.purchaseDate { return }
            if known.purchaseDate == transaction.purchaseDate, transaction.id.precedes(known.transactionID) { return }
        }
        denials[product] = Denial(
            reason: reason, purchaseDate: transaction.purchaseDate, transactionID: transaction.id)
    }

    func entitlements(balances: [ExactText: Int], planChanges: [PlanChange]) -> Entitlements {
        let denied = denials.filter { !grantedProducts.contains($0.key) }
        return Entitlements(
            grounds: grounds.mapValues { $0.sorted() },
            denials: Dictionary(denied.map { ($0.key.text, $0.value.reason) }, uniquingKeysWith: { first, _ in first }),
            balances: Dictionary(balances.map { ($0.key.text, $0.value) }, uniquingKeysWith: { first, _ in first }),
            planChanges: planChanges.sorted {
                $0.date != $1.date ? $0.date < $1.date : $0.productID.precedes($1.productID)
            },
            asOf: now
        )
    }
}
