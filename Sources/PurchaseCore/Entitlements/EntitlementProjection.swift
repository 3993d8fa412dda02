public import ReceiptTypes

/// Computes what a customer may use from what the store has signed.
///
/// A pure function: the same texts give the same entitlements in whatever order and however often they are given. Every
/// transaction given here must have been verified. It takes time in proportion to their number.
public struct EntitlementProjection: Sendable {
    /// What each product gives.
    public let catalog: TemplatePriceCatalog
    /// How long a subscription that should have renewed is granted while the store cannot be reached, in milliseconds.
    public let offlineGrace: Int64

    /// Three days, in milliseconds.
    public static let defaultOfflineGrace: Int64 = 3 * 86_400_000

    /// Makes a projection.
    public init(catalog: TemplatePriceCatalog, offlineGrace: Int64 = defaultOfflineGrace) {
        self.catalog = catalog
        self.offlineGrace = offlineGrace
    }

    /// Computes the entitlements for an instant.
    public func entitlements(
        from transactions: [Transaction],
        renewalInfos: some Sequence<RenewalInfo> = [],
        at now: Timestamp,
        isStoreReachable: Bool = true
    ) -> Entitlements {
        let renewals = Self.latest(renewalInfos)
        var subscriptions: [ExactText: Int] = [:]
        var nonRenewing: [ExactText: [Transaction]] = [:]
        var balances: [ExactText: Int] = [:]
        var tally = EntitlementTally(catalog: catalog, now: now)

        for index in transactions.latestIndices() {
            let transaction = transactions[index]
            switch transaction.kind {
            case .consumable:
                guard !transaction.isRevoked else { continue }
                Self.add(transaction.quantity, to: &balances[ExactText(transaction.productID), default: 0])
            case .nonConsumable:
                tally.note(transaction, Self.lifetime(transaction))
            case .autoRenewable:
                let id = ExactText(transaction.originalID)
                let known = subscriptions[id] ?? index
                if known == index || transaction.isLaterPeriod(than: transactions[known]) { subscriptions[id] = index }
                tally.note(transaction, Self.period(transaction, at: now))
            case .nonRenewing:
                nonRenewing[ExactText(transaction.productID), default: []].append(transaction)
            case .other:
                tally.note(transaction, .denied(.unknownType))
            }
        }
        var changes: [PlanChange] = []
        for (id, index) in subscriptions {
            let transaction = transactions[index]
            guard let renewal = renewals[id], transaction.isInForce, let end = transaction.expiresDate else { continue }
            if end < now {
                tally.note(
                    transaction, lapsed(transaction, endedAt: end, renewal, at: now, isStoreReachable: isStoreReachable)
                )
            } else if let next = renewal.planAfter(transaction) {
                changes.append(PlanChange(productID: transaction.productID, nextProductID: next, date: end))
            }
        }
        for purchases in nonRenewing.values { noteNonRenewing(purchases, &tally) }
        return tally.entitlements(balances: balances, planChanges: changes)
    }
}

// MARK: - One purchase

extension EntitlementProjection {
    private static func add(_ quantity: Int, to balance: inout Int) {
        let (sum, overflow) = balance.addingReportingOverflow(quantity)
        balance = overflow ? .max : sum
    }

    private static func lifetime(_ transaction: Transaction) -> EntitlementTally.Finding {
        if transaction.isRevoked { return .denied(.revoked) }
        let kind: Ground.Kind = transaction.ownership == .familyShared ? .familyLifetime : .lifetime
        return .granted(Ground(kind: kind, productID: transaction.productID, transactionID: transaction.id, end: nil))
    }

    private static func period(_ transaction: Transaction, at now: Timestamp) -> EntitlementTally.Finding {
        if transaction.isRevoked { return .denied(.revoked) }
        if transaction.isUpgraded { return .denied(.upgraded) }
        guard let end = transaction.expiresDate else { return .denied(.unknownEnd) }
        guard now <= end else { return .denied(.expired) }
        return .granted(
            Ground(kind: .subscription, productID: transaction.productID, transactionID: transaction.id, end: end))
    }

    /// What becomes of a subscription after the last period that was paid for.
    private func lapsed(
        _ transaction: Transaction,
        endedAt end: Timestamp,
        _ renewal: RenewalInfo,
        at now: Timestamp,
        isStoreReachable: Bool
    ) -> EntitlementTally.Finding {
        func ground(_ kind: Ground.Kind, until end: Timestamp) -> EntitlementTally.Finding {
            .granted(
                Ground(kind: kind, productID: transaction.productID, transactionID: transaction.id, end: end))
        }
        if let graceEnd = renewal.gracePeriodExpiresDate, now <= graceEnd {
            return ground(.gracePeriod, until: graceEnd)
        }
        if renewal.isInBillingRetry { return .denied(.billingRetry) }
        // Only where the last word was that it would renew, and nothing was heard since. A store that answers knows better.
        let offlineEnd = end.adding(milliseconds: max(0, offlineGrace))
        if !isStoreReachable, renewal.willAutoRenew, renewal.signedDate <= end, now <= offlineEnd {
            return ground(.offlineGrace, until: offlineEnd)
        }
        return .denied(.expired)
    }

    /// One after the other: who buys again before the end has paid for the time after it.
    private func noteNonRenewing(_ purchases: [Transaction], _ tally: inout EntitlementTally) {
        var end: Timestamp?
        let ordered = purchases.sorted {
            $0.purchaseDate != $1.purchaseDate ? $0.purchaseDate < $1.purchaseDate : $0.id.precedes($1.id)
        }
        for purchase in ordered {
            guard !purchase.isRevoked else {
                tally.note(purchase, .denied(.revoked))
                continue
            }
            guard let period = catalog.nonRenewingPeriod(of: purchase.productID) else {
                tally.note(purchase, .denied(.unknownEnd))
                continue
            }
            let start = max(purchase.purchaseDate, end ?? purchase.purchaseDate)
            let newEnd = start.adding(period, times: purchase.quantity)
            end = newEnd
            guard tally.now <= newEnd else {
                tally.note(purchase, .denied(.expired))
                continue
            }
            tally.note(
                purchase,
                .granted(
                    Ground(
                        kind: .nonRenewing, productID: purchase.productID, transactionID: purchase.id, end: newEnd)))
        }
    }
}

// MARK: - Versions

extension EntitlementProjection {
    /// The latest text about each subscription, by the id of its first transaction.
    private static func latest(_ renewalInfos: some Sequence<RenewalInfo>) -> [ExactText: RenewalInfo] {
        var latest: [ExactText: RenewalInfo] = [:]
        for info in renewalInfos {
            let id = ExactText(info.originalTransactionID)
            if latest[id].map(info.isLater) ?? true { latest[id] = info }
        }
        return latest
    }
}

extension Transaction {
    fileprivate var isInForce: Bool { !isRevoked && !isUpgraded }

    /// Whether this is the later of two periods of one subscription. Two can begin at once when one is upgraded.
    fileprivate func isLaterPeriod(than other: Transaction) -> Bool {
        if purchaseDate != other.purchaseDate { return purchaseDate > other.purchaseDate }
        if isUpgraded != other.isUpgraded { return !isUpgraded }
        return isLater(than: other)
    }
}

extension RenewalInfo {
    /// The product of the next period, where it is another one and there is a next period.
    fileprivate func planAfter(_ transaction: Transaction) -> String? {
        guard willAutoRenew, let autoRenewProductID, !autoRenewProductID.isIdentical(to: transaction.productID)
        else { return nil }
        return autoRenewProductID
    }
}
