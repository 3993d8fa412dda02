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
    /// The latest denial of each product, by the product's number.
    private var denials: [Denial?] = []
    private var grantedProducts: Set<Int> = []

    init(catalog: TemplatePriceCatalog, now: Timestamp) {
        self.catalog = catalog
        self.now = now
    }

    /// Adds a purchase with its standing.
    ///
    /// - Parameter product: The number of the product.
    mutating func add(
        _ transaction: Transaction, _ product: Int, _ standing: Transaction.Standing, isConfirmed: Bool
    ) {
        let kind: Ground.Kind
        let lastInstant: Timestamp?
        switch standing {
        case .inForce(let end): (kind, lastInstant) = (transaction.groundKind, end)
        case .inGracePeriod(let end): (kind, lastInstant) = (.gracePeriod, end)
        case .inOfflineGrace(let end): (kind, lastInstant) = (.offlineGrace, end)
        case .denied(let reason): return deny(product, reason, transaction.purchaseDate, transaction.id)
        }
        var isKnown = false
        func grant(_ productID: String) {
            let entitlements = catalog.entitlements(for: productID)
            guard !entitlements.isEmpty else { return }
            isKnown = true
            let ground = Ground(
                kind: kind, productID: productID, transactionID: transaction.id, end: lastInstant,
                isConfirmed: isConfirmed)
            for entitlement in entitlements { grounds[entitlement, default: []].append(ground) }
        }
        grant(transaction.productID)
        for other in transaction.otherProductIDs { grant(other) }
        guard isKnown else { return deny(product, .unknownProduct, transaction.purchaseDate, transaction.id) }
        grantedProducts.insert(product)
    }

    /// Denies a purchase of a product, by the product's number.
    ///
    /// The reason of the product's latest purchase is kept. A second reason for the same purchase replaces the first.
    mutating func deny(_ product: Int, _ reason: DenialReason, _ purchaseDate: Timestamp, _ transactionID: String) {
        while denials.count <= product { denials.append(nil) }
        if let known = denials[product] {
            if known.purchaseDate > purchaseDate { return }
            if known.purchaseDate == purchaseDate, transactionID.precedes(known.transactionID) { return }
        }
        denials[product] = Denial(reason: reason, purchaseDate: purchaseDate, transactionID: transactionID)
    }

    /// Returns the entitlements of everything that was added.
    ///
    /// - Parameters:
    ///   - products: The ids of the products in the order of their numbers.
    ///   - balances: The number of items of each consumable, by the product's number.
    func entitlements(products: [String], balances: [Int: Int], planChanges: [PlanChange]) -> Entitlements {
        let denied = denials.enumerated().compactMap { product, denial in
            grantedProducts.contains(product) ? nil : denial.map { (products[product], $0.reason) }
        }
        return Entitlements(
            grounds: grounds.mapValues { $0.sorted() },
            denials: Dictionary(denied, uniquingKeysWith: { first, _ in first }),
            balances: Dictionary(
                balances.map { (products[$0.key], $0.value) }, uniquingKeysWith: { first, _ in first }),
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
