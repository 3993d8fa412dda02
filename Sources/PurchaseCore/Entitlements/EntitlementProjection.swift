public import ReceiptTypes

/// A pure function from verified transactions, a catalog and an instant to entitlements.
///
/// The same transactions produce the same entitlements in any order and with any duplicates. The caller must have
/// verified every transaction. The time taken is proportional to their number.
public struct EntitlementProjection: Sendable {
    /// The map from products to entitlements.
    public let catalog: TemplatePriceCatalog
    /// The milliseconds for which a subscription set to renew stays granted after its end if the store is unreachable.
    public let offlineGraceMilliseconds: Int64

    /// Three days, in milliseconds.
    public static let defaultOfflineGraceMilliseconds: Int64 = 3 * 86_400_000

    /// Creates a projection.
    public init(catalog: TemplatePriceCatalog, offlineGraceMilliseconds: Int64 = defaultOfflineGraceMilliseconds) {
        self.catalog = catalog
        self.offlineGraceMilliseconds = offlineGraceMilliseconds
    }

    /// Returns the entitlements from the evidence of a service, for the time of the device's clock.
    public func entitlements(from evidence: PurchaseEvidence, clock now: Timestamp) -> Entitlements {
        entitlements(
            from: evidence.transactions, renewalInfos: evidence.renewalInfos,
            listedTransactionIDs: evidence.listedTransactionIDs, absences: evidence.absences,
            appPurchases: evidence.appPurchases, at: evidence.time(byClock: now),
            isStoreReachable: evidence.isStoreReachable, earliestConfirmedEnd: evidence.earliestConfirmedEnd)
    }

    /// Returns the entitlements at an instant.
    ///
    /// - Parameters:
    ///   - transactions: The verified transactions, in any order and with any duplicates.
    ///   - renewalInfos: The verified renewal infos.
    ///   - listedTransactionIDs: The transactions that the store has just listed as current. A subscription among them
    ///     is granted even if its end has passed: a device's clock can be wrong.
    ///   - absences: The purchases that the store did not list when it last answered.
    ///   - appPurchases: The purchases of the app itself, for which the catalog can grant products.
    ///   - now: The instant.
    ///   - isStoreReachable: Whether the store has answered; if not, offline grace applies.
    ///   - earliestConfirmedEnd: The instant before which an end counts as passed, although ``ClockMarks`` have not
    ///     reached it; nil if there is none.
    public func entitlements(
        from transactions: [Transaction],
        renewalInfos: some Sequence<RenewalInfo> = [],
        listedTransactionIDs: [String] = [],
        absences: [AbsentPurchase] = [],
        appPurchases: [AppPurchase] = [],
        at now: Timestamp,
        isStoreReachable: Bool = true,
        earliestConfirmedEnd: Timestamp? = nil
    ) -> Entitlements {
        // An array of very many transactions is not copied without need.
        let granted = catalog.purchases(grantedBy: appPurchases, at: max(now, earliestConfirmedEnd ?? now))
        let transactions = granted.isEmpty ? transactions : transactions + granted
        let renewals = Self.latest(renewalInfos)
        let listing = StoreListing(
            listed: listedTransactionIDs, absences: absences, earliestConfirmedEnd: earliestConfirmedEnd)
        let offlineGrace = isStoreReachable ? 0 : offlineGraceMilliseconds
        var products = NumberedStrings()
        var subscriptions = NumberedStrings()
        var periods: [Period] = []
        /// The latest period of each subscription, by its number.
        var latestPeriods: [Period] = []
        var nonRenewing: [Int: [Int]] = [:]
        var balances: [Int: Int] = [:]
        var tally = EntitlementTally(catalog: catalog, now: now)
        var shown = ShownPurchases()

        // A transaction is a large value, and copying very many takes longer than everything else. Most of them are
        // denied, so the loops read single fields of these.
        for index in transactions.latestIndices() {
            let kind = transactions[index].kind
            if kind == .consumable, transactions[index].isRevoked { continue }
            let product = products.number(of: transactions[index].productID)
            switch kind {
            case .consumable:
                Self.add(transactions[index].remainingQuantity, to: &balances[product, default: 0])
                for other in transactions[index].otherProductIDs {
                    let number = products.number(of: other)
                    Self.add(transactions[index].remainingQuantity, to: &balances[number, default: 0])
                }
            case .autoRenewable:
                let subscription = subscriptions.number(of: transactions[index].originalID)
                let period = Period(index: index, product: product, subscription: subscription)
                if subscription == latestPeriods.count {
                    latestPeriods.append(period)
                } else if transactions[index].isLaterPeriod(than: transactions[latestPeriods[subscription].index]) {
                    latestPeriods[subscription] = period
                }
                periods.append(period)
            case .nonRenewing:
                nonRenewing[product, default: []].append(index)
                let standing = listing.standing(
                    of: transactions[index], transactions[index].standing(at: now), renewal: nil, at: now)
                shown.add(index, product, isInForce: standing.isInForce, of: transactions)
            case .nonConsumable, .other:
                let standing = transactions[index].standing(at: now)
                if case .denied(let reason) = standing {
                    tally.deny(product, reason, transactions[index].purchaseDate, transactions[index].id)
                    shown.add(index, product, isInForce: false, of: transactions)
                } else {
                    let confirmed = listing.add(transactions[index], product, standing, renewal: nil, to: &tally)
                    shown.add(index, product, isInForce: confirmed.isInForce, of: transactions)
                }
            }
        }
        var changes: [PlanChange] = []
        for period in periods {
            let index = period.index
            let latest = latestPeriods[period.subscription]
            guard latest.index == index else {
                let standing = transactions[index].standing(at: now)
                var isInForce = false
                if case .denied(let reason) = standing, !listing.lists(transactions[index].id) {
                    tally.deny(period.product, reason, transactions[index].purchaseDate, transactions[index].id)
                } else {
                    isInForce =
                        listing.add(transactions[index], period.product, standing, renewal: nil, to: &tally).isInForce
                }
                // The plan before a change. Of the present plan, the latest period is shown for all.
                if period.product != latest.product {
                    shown.add(index, period.product, isInForce: isInForce, of: transactions)
                }
                continue
            }
            // The renewal info speaks about the latest period only.
            let transaction = transactions[index]
            let renewal = renewals[ExactString(transaction.originalID)]
            let standing = transaction.standing(at: now, renewal: renewal, extraTime: offlineGrace)
            let confirmed = listing.add(transaction, period.product, standing, renewal: renewal, to: &tally)
            shown.add(index, period.product, isInForce: confirmed.isInForce, of: transactions)
            if case .inForce(let end?) = standing, confirmed.isInForce,
                let change = renewal?.planChange(after: transaction, until: end)
            {
                changes.append(change)
            }
        }
        for (product, indices) in nonRenewing {
            addNonRenewing(indices.map { transactions[$0] }, product, listing, to: &tally)
        }
        let entitlements = tally.entitlements(products: products.strings, balances: balances, planChanges: changes)
        let grounds = entitlements.groundsByTransactionID
        return entitlements.adding(
            shown.indices.map { index in
                let transaction = transactions[index]
                guard transaction.kind == .autoRenewable else {
                    return PurchaseDetails(purchase: transaction, grounds[ExactString(transaction.id)], catalog)
                }
                let isLatest = latestPeriods[subscriptions.number(of: transaction.originalID)].index == index
                let renewal = isLatest ? renewals[ExactString(transaction.originalID)] : nil
                let standing = transaction.standing(at: now, renewal: renewal, extraTime: offlineGrace)
                return PurchaseDetails(
                    subscription: transaction,
                    listing.standing(of: transaction, standing, renewal: renewal, at: now), renewal, catalog)
            })
    }

    /// A period of a subscription: its index in the transactions, and the numbers of its product and its subscription.
    private struct Period {
        let index: Int
        let product: Int
        let subscription: Int
    }

    private static func add(_ quantity: Int, to balance: inout Int) {
        let (sum, overflow) = balance.addingReportingOverflow(quantity)
        balance = overflow ? .max : sum
    }

    /// Adds the purchases of one non-renewing subscription. A purchase before the end of another one extends it.
    private func addNonRenewing(
        _ purchases: [Transaction], _ product: Int, _ listing: StoreListing, to tally: inout EntitlementTally
    ) {
        var end: Timestamp?
        let ordered = purchases.sorted {
            $0.purchaseDate != $1.purchaseDate ? $0.purchaseDate < $1.purchaseDate : $0.id.precedes($1.id)
        }
        for purchase in ordered {
            let standing = purchase.standing(at: tally.now)
            guard standing.isInForce else {
                listing.add(purchase, product, standing, renewal: nil, to: &tally)
                continue
            }
            guard let period = catalog.nonRenewingPeriod(of: purchase.productID) else {
                listing.add(purchase, product, .denied(.unknownEnd), renewal: nil, to: &tally)
                continue
            }
            let start = max(purchase.purchaseDate, end ?? purchase.purchaseDate)
            let newEnd = start.adding(period, times: purchase.quantity)
            // What the store does not list extends nothing.
            if listing.confirmation(of: purchase) != .denied { end = newEnd }
            listing.add(purchase, product, .period(until: newEnd, at: tally.now), renewal: nil, to: &tally)
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

/// What the store has last answered about the recorded purchases.
private struct StoreListing {
    /// Whether the store's answer speaks for a purchase.
    enum Confirmation {
        /// Nothing speaks against it.
        case confirmed
        /// The store did not list it, and that is not confirmed yet.
        case unconfirmed
        /// The store does not list it, and that is confirmed.
        case denied
    }

    private let listed: Set<ExactString>
    private let absences: [ExactString: AbsentPurchase]
    private let earliestConfirmedEnd: Timestamp?

    init(listed: [String], absences: [AbsentPurchase], earliestConfirmedEnd: Timestamp?) {
        self.earliestConfirmedEnd = earliestConfirmedEnd
        self.listed = Set(listed.map(ExactString.init))
        self.absences = Dictionary(
            absences.map { (ExactString($0.transactionID), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether the store has just listed the transaction with an id as current.
    func lists(_ id: String) -> Bool { !listed.isEmpty && listed.contains(ExactString(id)) }

    func confirmation(of transaction: Transaction) -> Confirmation {
        guard !absences.isEmpty, let absence = absences[ExactString(transaction.id)], absence.concerns(transaction)
        else { return .confirmed }
        return absence.isConfirmed ? .denied : .unconfirmed
    }

    /// Adds a purchase to a tally, and returns the standing that follows from the answer.
    ///
    /// - Parameter product: The number of the product.
    @discardableResult
    func add(
        _ transaction: Transaction, _ product: Int, _ standing: Transaction.Standing, renewal: RenewalInfo?,
        to tally: inout EntitlementTally
    ) -> Transaction.Standing {
        let standing = self.standing(of: transaction, standing, renewal: renewal, at: tally.now)
        tally.add(transaction, product, standing, isConfirmed: confirmation(of: transaction) != .unconfirmed)
        return standing
    }

    /// Returns the standing that follows from the answer and from the standing that a purchase has without it.
    func standing(
        of transaction: Transaction, _ standing: Transaction.Standing, renewal: RenewalInfo?, at now: Timestamp
    ) -> Transaction.Standing {
        if standing.isInForce, confirmation(of: transaction) == .denied { return .denied(.notListedByStore) }
        return vouched(standing, of: transaction, renewal: renewal, at: now).confirmed(from: earliestConfirmedEnd)
    }

    /// Returns the standing of a subscription whose end has passed by the clock although the store lists it as current.
    ///
    /// The store's list outranks the clock. The subscription stays in force until a whole number of days after its end,
    /// the first such instant that is not over, so another answer has to vouch for it each day.
    private func vouched(
        _ standing: Transaction.Standing, of transaction: Transaction, renewal: RenewalInfo?, at now: Timestamp
    ) -> Transaction.Standing {
        switch standing {
        case .denied(.expired), .denied(.billingRetry): break
        default: return standing
        }
        guard transaction.kind == .autoRenewable, lists(transaction.id),
            let end = renewal?.gracePeriodExpiresDate ?? transaction.expiresDate
        else { return standing }
        let day = Timestamp.millisecondsPerDay
        // Both instants are within ten thousand years, so nothing here can overflow.
        let days = (now.millisecondsSince1970 - end.millisecondsSince1970 + day - 1) / day
        let vouchedEnd = end.adding(milliseconds: max(0, days) * day)
        return renewal?.gracePeriodExpiresDate == nil ? .inForce(until: vouchedEnd) : .inGracePeriod(until: vouchedEnd)
    }
}

extension Transaction {
    /// Returns whether this is the later of two periods of one subscription.
    ///
    /// Two periods can begin at the same instant. After an upgrade, the one that is not upgraded is later. A
    /// subscription that a simulator renews at once has an empty period before the one that begins with it. A
    /// subscription that is bought again at the instant of its refund has a revoked period before the new one.
    fileprivate func isLaterPeriod(than other: Transaction) -> Bool {
        if purchaseDate != other.purchaseDate { return purchaseDate > other.purchaseDate }
        if isUpgraded != other.isUpgraded { return !isUpgraded }
        if isEmptyPeriod != other.isEmptyPeriod { return !isEmptyPeriod }
        if isRevoked != other.isRevoked { return !isRevoked }
        let (end, otherEnd) = (expiresDate ?? .maximum, other.expiresDate ?? .maximum)
        if end != otherEnd { return end > otherEnd }
        return isLater(than: other)
    }

    private var isEmptyPeriod: Bool { expiresDate.map { $0 <= purchaseDate } ?? false }
}

extension RenewalInfo {
    /// Returns the change to another product that follows a transaction; nil if none does, or if nothing renews.
    ///
    /// - Parameter end: The end of the period.
    func planChange(after transaction: Transaction, until end: Timestamp) -> PlanChange? {
        guard willRenew, let next = nextProductID, !next.isIdentical(to: transaction.productID) else { return nil }
        let date = commitment?.endDate ?? (transaction.hasEstimatedEnd ? nil : end)
        return PlanChange(productID: transaction.productID, nextProductID: next, date: date)
    }
}
