import PurchaseCore
import ReceiptTypes
import Testing

/// Checks properties of the projection on many random histories.
@Suite("Projection properties")
struct ProjectionPropertyTests {
    private let projection = EntitlementProjection(catalog: Sample.catalog)

    @Test("[PSE-12] entitlements are independent of order and duplicates, and have unrevoked, unexpired grounds")
    func invariance() throws {
        for seed in RandomHistory.seeds() {
            let history = RandomHistory(seed: seed)
            let transactions = try history.payloads.map { try #require(Transaction($0)) }
            let renewals = try history.renewals.map { try #require(RenewalInfo($0)) }
            var generator = SplitMix64(seed: ~seed)
            let isStoreReachable = generator.once(in: 2)
            let expected = projection.entitlements(
                from: transactions, renewalInfos: renewals, at: history.now, isStoreReachable: isStoreReachable)
            for _ in 0..<2 {
                let repeated = transactions.filter { _ in generator.once(in: 2) }
                let shuffled = projection.entitlements(
                    from: (transactions + repeated).shuffled(using: &generator),
                    renewalInfos: (renewals + renewals.filter { _ in generator.once(in: 2) })
                        .shuffled(using: &generator),
                    at: history.now, isStoreReachable: isStoreReachable)
                if shuffled != expected { Issue.record("the order changes the result: \(history.replay)") }
            }
            check(expected, against: history, isStoreReachable: isStoreReachable)
        }
    }

    /// Checks every ground and balance against the payloads, in the simplest possible terms.
    private func check(_ entitlements: Entitlements, against history: RandomHistory, isStoreReachable: Bool) {
        let now = history.now
        for (entitlement, grounds) in entitlements.grounds {
            if grounds.isEmpty { Issue.record("\(entitlement) without a ground: \(history.replay)") }
            for ground in grounds {
                let isJustified = history.payloads.contains { payload in
                    payload.transactionId == ground.transactionID && payload.productId == ground.productID
                        && !isRevoked(payload, in: history) && !isUpgraded(payload, in: history)
                        && isUnexpired(payload, ground, in: history, isStoreReachable: isStoreReachable)
                }
                if !isJustified || !ground.isInForce(at: now) {
                    Issue.record("\(ground) grants \(entitlement) without a reason: \(history.replay)")
                }
            }
        }
        var balances: [String: Int] = [:]
        var counted: Set<String> = []
        for payload in history.payloads where payload.type == .consumable && !isRevoked(payload, in: history) {
            guard counted.insert(payload.transactionId ?? "").inserted else { continue }
            balances[payload.productId ?? "", default: 0] += Int(payload.quantity ?? 0)
        }
        if balances != entitlements.balances { Issue.record("balances are wrong: \(history.replay)") }
    }

    /// Returns the versions of the same purchase with the latest signing date.
    private func last(
        _ payload: JWSTransactionDecodedPayload, in history: RandomHistory
    ) -> [JWSTransactionDecodedPayload] {
        let all = history.payloads.filter {
            payload.webOrderLineItemId == nil
                ? $0.transactionId == payload.transactionId
                : $0.webOrderLineItemId == payload.webOrderLineItemId
        }
        let date = all.compactMap(\.signedDate).max()
        return all.filter { $0.signedDate == date }
    }

    private func isRevoked(_ payload: JWSTransactionDecodedPayload, in history: RandomHistory) -> Bool {
        last(payload, in: history).contains { $0.revocationDate != nil }
    }

    private func isUpgraded(_ payload: JWSTransactionDecodedPayload, in history: RandomHistory) -> Bool {
        last(payload, in: history).contains { $0.isUpgraded == true }
    }

    private func isUnexpired(
        _ payload: JWSTransactionDecodedPayload, _ ground: Ground, in history: RandomHistory, isStoreReachable: Bool
    ) -> Bool {
        switch payload.type {
        case .nonConsumable?: return ground.end == nil
        case .nonRenewingSubscription?: return ground.kind == .nonRenewing
        default: break
        }
        guard let end = payload.expiresDate else { return false }
        let renewals = history.renewals.filter { $0.originalTransactionId == payload.originalTransactionId }
        let date = renewals.compactMap(\.signedDate).max()
        switch ground.kind {
        case .subscription: return history.now <= end
        case .gracePeriod:
            return renewals.contains { $0.signedDate == date && $0.gracePeriodExpiresDate == ground.end }
        case .offlineGrace:
            return !isStoreReachable && renewals.contains { $0.signedDate == date && $0.autoRenewStatus == .on }
        default: return false
        }
    }
}
