import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Compares the projection with one that is as simple as the rules, and slow.
@Suite("Naive projection")
struct NaiveProjectionTests {
    @Test("[PSE-12] the projection has the same result as a naive one, on random histories")
    func agreement() throws {
        var (grounds, denials, details) = (0, 0, 0)
        for seed in RandomHistory.seeds(share: 5) {
            var generator = SplitMix64(seed: seed &* 31)
            let history = RandomHistory(seed: seed)
            let transactions = try history.payloads.map { try #require(Transaction($0)) }
            let naive = NaiveProjection(
                transactions: transactions, renewals: try history.renewals.map { try #require(RenewalInfo($0)) },
                listed: transactions.map(\.id).filter { _ in generator.once(in: 4) },
                absences: transactions.filter { _ in generator.once(in: 6) }.map {
                    AbsentPurchase(
                        transactionID: $0.id, since: generator.once(in: 2) ? history.now : $0.purchaseDate,
                        isConfirmed: generator.once(in: 2))
                },
                now: history.now, isStoreReachable: generator.once(in: 2))
            let projection = EntitlementProjection(catalog: Sample.catalog)
            let result = projection.entitlements(
                from: naive.transactions, renewalInfos: naive.renewals, listedTransactionIDs: naive.listed,
                absences: naive.absences, at: naive.now, isStoreReachable: naive.isStoreReachable)
            let expected = naive.entitlements()
            if result != expected { Issue.record("\(result) and not \(expected): \(history.replay)") }
            grounds += expected.grounds.count
            denials += expected.denials.count
            details += expected.purchases.count
        }
        #expect(min(grounds, denials, details) > 0, "\(grounds) grounds, \(denials) denials, \(details) details")
    }
}

/// The entitlements from a history, each found by a search of the whole history.
private struct NaiveProjection {
    let transactions: [Transaction]
    let renewals: [RenewalInfo]
    let listed: [String]
    let absences: [AbsentPurchase]
    let now: Timestamp
    let isStoreReachable: Bool

    private let catalog = Sample.catalog

    func entitlements() -> Entitlements {
        var grounds: [Entitlement: [Ground]] = [:]
        var denials: [(purchase: Transaction, reason: DenialReason)] = []
        for purchase in latestVersions where purchase.type != .consumable {
            let standing = standing(of: purchase)
            let unlocked = catalog.entitlements(for: purchase.productID)
            if case .denied(let reason) = standing {
                denials.append((purchase, reason))
            } else if unlocked.isEmpty {
                denials.append((purchase, .unknownProduct))
            } else {
                let ground = Ground(
                    kind: kind(of: purchase, standing), productID: purchase.productID, transactionID: purchase.id,
                    end: end(of: standing), isConfirmed: absence(of: purchase)?.isConfirmed != false)
                for entitlement in unlocked { grounds[entitlement, default: []].append(ground) }
            }
        }
        let granted = Set(grounds.values.joined().map(\.productID))
        var reasons: [String: DenialReason] = [:]
        for (purchase, reason) in denials where !granted.contains(purchase.productID) {
            let rivals = denials.map(\.purchase).filter { $0.productID == purchase.productID }
            if rivals.allSatisfy({ !isLater($0, purchase) }) { reasons[purchase.productID] = reason }
        }
        return Entitlements(
            grounds: grounds.mapValues { $0.sorted() }, denials: reasons, balances: balances, planChanges: planChanges,
            purchases: purchases(grounds), asOf: now)
    }

    // MARK: Versions

    private var latestVersions: [Transaction] {
        transactions.enumerated().filter { index, transaction in
            transactions.enumerated().allSatisfy { other, rival in
                guard rival.purchaseKey == transaction.purchaseKey, other != index else { return true }
                return other > index ? !rival.isLater(than: transaction) : transaction.isLater(than: rival)
            }
        }.map(\.element)
    }

    private func isLater(_ left: Transaction, _ right: Transaction) -> Bool {
        left.purchaseDate != right.purchaseDate ? left.purchaseDate > right.purchaseDate : right.id.precedes(left.id)
    }

    private func isLatestPeriod(_ purchase: Transaction) -> Bool {
        latestVersions.allSatisfy { rival in
            guard rival.type == .autoRenewableSubscription, rival.originalID == purchase.originalID,
                rival.id != purchase.id
            else { return true }
            if rival.purchaseDate != purchase.purchaseDate { return rival.purchaseDate < purchase.purchaseDate }
            if rival.isUpgraded != purchase.isUpgraded { return rival.isUpgraded }
            let (isEmpty, isRivalEmpty) = (isEmptyPeriod(purchase), isEmptyPeriod(rival))
            if isEmpty != isRivalEmpty { return isRivalEmpty }
            if rival.isRevoked != purchase.isRevoked { return rival.isRevoked }
            let (end, rivalEnd) = (purchase.expiresDate ?? .maximum, rival.expiresDate ?? .maximum)
            if end != rivalEnd { return rivalEnd < end }
            return purchase.isLater(than: rival)
        }
    }

    private func isEmptyPeriod(_ period: Transaction) -> Bool {
        period.expiresDate.map { $0 <= period.purchaseDate } ?? false
    }

    /// Returns whether the subscription of a purchase has changed to another product since.
    private func isFormerPlan(_ purchase: Transaction) -> Bool {
        latestVersions.contains {
            $0.type == .autoRenewableSubscription && $0.originalID == purchase.originalID && isLatestPeriod($0)
                && $0.productID != purchase.productID
        }
    }

    private func renewal(of purchase: Transaction) -> RenewalInfo? {
        guard purchase.type == .autoRenewableSubscription, isLatestPeriod(purchase) else { return nil }
        let all = renewals.filter { $0.originalTransactionID == purchase.originalID }
        return all.reduce(nil) { latest, next in latest.map { next.isLater(than: $0) ? next : $0 } ?? next }
    }

    // MARK: Standing

    private func absence(of purchase: Transaction) -> AbsentPurchase? {
        absences.first { $0.transactionID == purchase.id }.flatMap { $0.concerns(purchase) ? $0 : nil }
    }

    private func standing(of purchase: Transaction) -> Transaction.Standing {
        let renewal = renewal(of: purchase)
        let grace = isStoreReachable ? 0 : EntitlementProjection.defaultOfflineGraceMilliseconds
        var standing = purchase.standing(at: now, renewal: renewal, extraTime: grace)
        if purchase.type == .nonRenewingSubscription, standing.isInForce {
            guard let end = nonRenewingEnd(of: purchase) else { return .denied(.unknownEnd) }
            standing = .period(until: end, at: now)
        }
        if standing.isInForce, absence(of: purchase)?.isConfirmed == true { return .denied(.notListedByStore) }
        guard standing == .denied(.expired) || standing == .denied(.billingRetry),
            purchase.type == .autoRenewableSubscription, listed.contains(purchase.id),
            var end = renewal?.gracePeriodExpiresDate ?? purchase.expiresDate
        else { return standing }
        while end < now { end = end.adding(milliseconds: 86_400_000) }
        return renewal?.gracePeriodExpiresDate == nil ? .inForce(until: end) : .inGracePeriod(until: end)
    }

    /// Returns the end of a non-renewing subscription, which earlier purchases of the product extend.
    private func nonRenewingEnd(of purchase: Transaction) -> Timestamp? {
        guard let period = catalog.nonRenewingPeriod(of: purchase.productID) else { return nil }
        let counted = latestVersions.filter {
            $0.productID == purchase.productID && !$0.isRevoked && !isLater($0, purchase)
                && ($0.id == purchase.id || absence(of: $0)?.isConfirmed != true)
        }
        var end = Timestamp.minimum
        for earlier in counted.sorted(by: { isLater($1, $0) }) {
            end = max(end, earlier.purchaseDate).adding(period, times: earlier.quantity)
        }
        return end
    }

    private func kind(of purchase: Transaction, _ standing: Transaction.Standing) -> Ground.Kind {
        switch standing {
        case .inGracePeriod: return .gracePeriod
        case .inOfflineGrace: return .offlineGrace
        default: break
        }
        switch purchase.type {
        case .autoRenewableSubscription: return .subscription
        case .nonRenewingSubscription: return .nonRenewing
        default: return purchase.ownership == .familyShared ? .familyLifetime : .lifetime
        }
    }

    private func end(of standing: Transaction.Standing) -> Timestamp? {
        switch standing {
        case .inForce(let end): end
        case .inGracePeriod(let end), .inOfflineGrace(let end): end
        case .denied: nil
        }
    }

    // MARK: Everything else

    private var balances: [String: Int] {
        var balances: [String: Int] = [:]
        for purchase in latestVersions where purchase.type == .consumable && !purchase.isRevoked {
            balances[purchase.productID, default: 0] += purchase.remainingQuantity
        }
        return balances
    }

    private var planChanges: [PlanChange] {
        latestVersions.compactMap { purchase in
            let renewal = renewal(of: purchase)
            let standing = purchase.standing(
                at: now, renewal: renewal,
                extraTime: isStoreReachable ? 0 : EntitlementProjection.defaultOfflineGraceMilliseconds)
            guard case .inForce(let end?) = standing, absence(of: purchase)?.isConfirmed != true, let renewal,
                renewal.willAutoRenew, let next = renewal.autoRenewProductID, next != purchase.productID
            else { return nil }
            return PlanChange(
                productID: purchase.productID, nextProductID: next, date: purchase.hasEstimatedEnd ? nil : end)
        }.sorted { ($0.date ?? .maximum, $0.productID) < ($1.date ?? .maximum, $1.productID) }
    }

    /// Returns the details of the purchases in force, and of each product the latest that is not.
    private func purchases(_ grounds: [Entitlement: [Ground]]) -> [PurchaseDetails] {
        let candidates = latestVersions.filter {
            $0.type != .consumable
                && ($0.type != .autoRenewableSubscription || isLatestPeriod($0) || isFormerPlan($0))
        }
        // A non-renewing subscription is shown as in force until its purchase is revoked.
        func isInForce(_ purchase: Transaction) -> Bool {
            guard purchase.type == .nonRenewingSubscription else { return standing(of: purchase).isInForce }
            return !purchase.isRevoked && absence(of: purchase)?.isConfirmed != true
        }
        let shown = candidates.filter { purchase in
            if isInForce(purchase) { return true }
            return candidates.allSatisfy { rival in
                guard rival.productID == purchase.productID, rival.id != purchase.id, !isInForce(rival) else {
                    return true
                }
                if rival.purchaseDate != purchase.purchaseDate { return rival.purchaseDate < purchase.purchaseDate }
                return purchase.id.precedes(rival.id)
            }
        }
        return shown.map { purchase in
            if purchase.type == .autoRenewableSubscription {
                return PurchaseDetails(subscription: purchase, standing(of: purchase), renewal(of: purchase), catalog)
            }
            let ground = grounds.values.joined().first { $0.transactionID == purchase.id }
            return PurchaseDetails(purchase: purchase, ground, catalog)
        }.sorted {
            $0.purchaseDate != $1.purchaseDate
                ? $0.purchaseDate > $1.purchaseDate : $0.transactionID.precedes($1.transactionID)
        }
    }
}
