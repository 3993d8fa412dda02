public import ReceiptTypes

/// A pure function from verified transactions, a catalog and an instant to entitlements.
///
/// The same transactions produce the same entitlements in any order and with any duplicates. The caller must have verified
/// every transaction. The time taken is proportional to their number.
public struct EntitlementProjection: Sendable {
    /// The map from products to entitlements.
    public let catalog: TemplatePriceCatalog
    /// The milliseconds for which a subscription set to renew stays granted after its end if the store is unreachable.
    public let offlineGrace: Int64

    /// Three days, in milliseconds.
    public static let defaultOfflineGrace: Int64 = 3 * 86_400_000

    /// Creates a projection.
    public init(catalog: TemplatePriceCatalog, offlineGrace: Int64 = defaultOfflineGrace) {
        self.catalog = catalog
        self.offlineGrace = offlineGrace
    }

    /// Returns the entitlements at an instant.
    public func entitlements(
        from transactions: [Transaction],
        renewalInfos: some Sequence<RenewalInfo> = [],
        at now: Timestamp,
        isStoreReachable: Bool = true
    ) -> Entitlements {
        let renewals = Self.latest(renewalInfos)
        var latestPeriods: [ExactString: Int] = [:]
        var nonRenewing: [ExactString: [Transaction]] = [:]
        var balances: [ExactString: Int] = [:]
        var tally = EntitlementTally(catalog: catalog, now: now)
        var shown = ShownPurchases()

        for index in transactions.latestIndices() {
            let transaction = transactions[index]
            switch transaction.kind {
            case .consumable:
                guard transaction.standing(at: now).isInForce else { continue }
                Self.add(transaction.quantity, to: &balances[ExactString(transaction.productID), default: 0])
            case .autoRenewable:
                let id = ExactString(transaction.originalID)
                let known = latestPeriods[id] ?? index
                if known == index || transaction.isLaterPeriod(than: transactions[known]) { latestPeriods[id] = index }
                tally.add(transaction, transaction.standing(at: now))
            case .nonRenewing:
                nonRenewing[ExactString(transaction.productID), default: []].append(transaction)
                shown.add(index, isInForce: transaction.standing(at: now).isInForce, of: transactions)
            case .nonConsumable, .other:
                let standing = transaction.standing(at: now)
                tally.add(transaction, standing)
                shown.add(index, isInForce: standing.isInForce, of: transactions)
            }
        }
        var changes: [PlanChange] = []
        for (id, index) in latestPeriods {
            let transaction = transactions[index]
            let renewal = renewals[id]
            let standing = transaction.standing(
                at: now, renewal: renewal, offlineGrace: isStoreReachable ? 0 : offlineGrace)
            shown.add(index, isInForce: standing.isInForce, of: transactions)
            guard let renewal else { continue }
            if case .inForce(let end) = standing {
                if let end, let next = renewal.productAfter(transaction) {
                    changes.append(PlanChange(productID: transaction.productID, nextProductID: next, date: end))
                }
            } else {
                // The period is over. This standing replaces the one without the renewal info.
                tally.add(transaction, standing)
            }
        }
        for purchases in nonRenewing.values { addNonRenewing(purchases, to: &tally) }
        let entitlements = tally.entitlements(balances: balances, planChanges: changes)
        let grounds = entitlements.groundsByTransactionID
        return entitlements.adding(
            shown.indices.map { index in
                let transaction = transactions[index]
                guard transaction.kind == .autoRenewable else {
                    return PurchaseDetails(purchase: transaction, grounds[ExactString(transaction.id)], catalog)
                }
                let renewal = renewals[ExactString(transaction.originalID)]
                let standing = transaction.standing(
                    at: now, renewal: renewal, offlineGrace: isStoreReachable ? 0 : offlineGrace)
                return PurchaseDetails(subscription: transaction, standing, renewal, catalog)
            })
    }

    private static func add(_ quantity: Int, to balance: inout Int) {
        let (sum, overflow) = balance.addingReportingOverflow(quantity)
        balance = overflow ? .max : sum
    }

    /// Adds the purchases of one non-renewing subscription. A purchase before the end of another one extends it.
    private func addNonRenewing(_ purchases: [Transaction], to tally: inout EntitlementTally) {
        var end: Timestamp?
        let ordered = purchases.sorted {
            $0.purchaseDate != $1.purchaseDate ? $0.purchaseDate < $1.purchaseDate : $0.id.precedes($1.id)
        }
        for purchase in ordered {
            let standing = purchase.standing(at: tally.now)
            guard standing.isInForce else {
                tally.add(purchase, standing)
                continue
            }
            guard let period = catalog.nonRenewingPeriod(of: purchase.productID) else {
                tally.add(purchase, .denied(.unknownEnd))
                continue
            }
            let start = max(purchase.purchaseDate, end ?? purchase.purchaseDate)
            let newEnd = start.adding(period, times: purchase.quantity)
            end = newEnd
            tally.add(purchase, .period(until: newEnd, at: tally.now))
        }
    }

    /// Returns the latest renewal info of each subscription, by the id of its first transaction.
    private static func latest(_ renewalInfos: some Sequence<RenewalInfo>) -> [ExactString: RenewalInfo] {
        var latest: [ExactString: RenewalInfo] = [:]
        for info in renewalInfos {
            let id = ExactString(info.originalTransactionID)
            if latest[id].map(info.isLater) ?? true { latest[id] = info }
        }
        return latest
    }
}

extension Transaction {
    /// Returns whether this is the later of two periods of one subscription.
    ///
    /// After an upgrade two periods can begin at the same instant; then the one that is not upgraded is later.
    fileprivate func isLaterPeriod(than other: Transaction) -> Bool {
        if purchaseDate != other.purchaseDate { return purchaseDate > other.purchaseDate }
        if isUpgraded != other.isUpgraded { return !isUpgraded }
        return isLater(than: other)
    }
}

extension RenewalInfo {
    /// Returns the product of the next period if it differs from the current one; nil if the subscription does not renew.
    fileprivate func productAfter(_ transaction: Transaction) -> String? {
        guard willAutoRenew, let autoRenewProductID, !autoRenewProductID.isIdentical(to: transaction.productID)
        else { return nil }
        return autoRenewProductID
    }
}
