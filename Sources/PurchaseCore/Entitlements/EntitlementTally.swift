internal import ReceiptTypes

/// Collects the grounds and the denials of single purchases into ``Entitlements``.
struct EntitlementTally {
    /// A denial, with the fields that say whether another one is later.
    private struct Denial {
        let reason: DenialReason
        let purchaseDate: Timestamp
        let transactionID: String
    }

    let catalog: TemplatePriceCatalog
    let now: Timestamp
    private var grounds: [Entitlement: [Ground]] = [:]
    private var denials: [ExactString: Denial] = [:]
    private var grantedProducts: Set<ExactString> = []

    init(catalog: TemplatePriceCatalog, now: Timestamp) {
        self.catalog = catalog
        self.now = now
    }

    /// Adds a purchase with its standing.
    mutating func add(_ transaction: Transaction, _ standing: Transaction.Standing, isConfirmed: Bool) {
        let kind: Ground.Kind
        let lastInstant: Timestamp?
        switch standing {
        case .inForce(let end): (kind, lastInstant) = (transaction.groundKind, end)
        case .inGracePeriod(let end): (kind, lastInstant) = (.gracePeriod, end)
        case .inOfflineGrace(let end): (kind, lastInstant) = (.offlineGrace, end)
        case .denied(let reason): return deny(transaction, reason)
        }
        let entitlements = catalog.entitlements(for: transaction.productID)
        guard !entitlements.isEmpty else { return deny(transaction, .unknownProduct) }
        let ground = Ground(
            kind: kind, productID: transaction.productID, transactionID: transaction.id, end: lastInstant,
            isConfirmed: isConfirmed)
        grantedProducts.insert(ExactString(transaction.productID))
        for entitlement in entitlements { grounds[entitlement, default: []].append(ground) }
    }

    /// Keeps the reason of the product's latest purchase. A second reason for the same purchase replaces the first.
    private mutating func deny(_ transaction: Transaction, _ reason: DenialReason) {
        let product = ExactString(transaction.productID)
        if let known = denials[product] {
            if known.purchaseDate > transaction.purchaseDate { return }
            if known.purchaseDate == transaction.purchaseDate, transaction.id.precedes(known.transactionID) { return }
        }
        denials[product] = Denial(
            reason: reason, purchaseDate: transaction.purchaseDate, transactionID: transaction.id)
    }

    func entitlements(balances: [ExactString: Int], planChanges: [PlanChange]) -> Entitlements {
        let denied = denials.filter { !grantedProducts.contains($0.key) }
        return Entitlements(
            grounds: grounds.mapValues { $0.sorted() },
            denials: Dictionary(
                denied.map { ($0.key.string, $0.value.reason) }, uniquingKeysWith: { first, _ in first }),
            balances: Dictionary(balances.map { ($0.key.string, $0.value) }, uniquingKeysWith: { first, _ in first }),
            planChanges: planChanges.sorted {
                $0.date != $1.date
                    ? ($0.date ?? .maximum) < ($1.date ?? .maximum) : $0.productID.precedes($1.productID)
            },
            asOf: now
        )
    }
}

extension Transaction {
    /// The kind of the ground while the purchase is in force outside of a grace period.
    fileprivate var groundKind: Ground.Kind {
        switch kind {
        case .autoRenewable: .subscription
        case .nonRenewing: .nonRenewing
        case .consumable, .nonConsumable, .other: ownership == .familyShared ? .familyLifetime : .lifetime
        }
    }
}
