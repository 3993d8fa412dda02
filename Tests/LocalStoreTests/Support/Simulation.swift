import LocalStore
import PurchaseCore
import ReceiptTypes

/// Customers who buy, cancel, come back and complain by chance, always the same for a seed.
struct Simulation {
    var engine: LocalStoreEngine
    private var generator: SplitMix64
    /// Whether transactions are removed too, and finished by nobody who has seen them: no app can ever hear of that.
    var removes = false
    /// The commands that the store has carried out.
    private(set) var carriedOut = 0

    private static let products = [
        "coins", "coins", "coins", "template.a", "pro.season", "pro.lifetime", "pro.basic", "pro.other", "pro.plus",
        "pro.yearly", "pro.weekly", "pro.weekly",
    ]
    private static let offers: [RequestedOffer?] = [
        nil, nil, nil, .promotional(id: "half"), .promotional(id: "plus"), .code(name: "WELCOME"), .code(name: "STACK"),
        .code(name: "RETURN"), .winBack(id: "back"),
    ]

    init(seed: UInt64, customers: Int) throws {
        generator = SplitMix64(seed: seed)
        engine = Shop.engine(seed: seed, accounts: (0..<customers).map { "customer \($0)" }) {
            $0.isGracePeriodEnabled = true
        }
        // Every fifth customer has a family with the next one.
        for index in stride(from: 0, to: customers - 1, by: 5) {
            try engine.setFamily("family \(index)", of: "customer \(index)")
            try engine.setFamily("family \(index)", of: "customer \(index + 1)")
        }
    }

    /// Lets days pass in which each customer does something twice with a chance.
    mutating func run(days: Int, perMille: Int) throws {
        for _ in 0..<days {
            for account in engine.state.accounts + engine.state.accounts
            where Int(generator.next() % 1000) < perMille {
                let before = engine
                do {
                    try act(account.name)
                    carriedOut += 1
                } catch is LocalStoreError {
                    // A command that is refused has not happened.
                    engine = before
                }
            }
            try engine.advance(by: Shop.day)
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[Int(generator.next() % UInt64(values.count))]
    }

    private mutating func act(_ account: String) throws {
        let transactions = engine.state.transactions.filter { $0.account == account && !$0.isFamilyShared }
        let id = pick(transactions)?.id ?? "0"
        let subscription = engine.subscriptions(of: account).first?.id ?? "0"
        switch generator.next() % 26 {
        case 0: try engine.cancelRenewal(subscription)
        case 1: try engine.resumeRenewal(subscription)
        case 2: try engine.refund(id)
        case 3: try engine.reverseRefund(id)
        case 4: try engine.setBillingIssue(true, subscription)
        case 5: try engine.setBillingIssue(false, subscription)
        case 6: try engine.requestPriceIncrease(subscription, to: Milliunits(Int64(generator.next() % 100_000)))
        case 7: try engine.consentToPriceIncrease(subscription)
        case 8: try engine.declinePriceIncrease(subscription)
        case 9: try engine.expire(subscription)
        case 10: try engine.renew(subscription)
        case 11: try engine.requestRefund(id)
        case 12: if removes { engine.finish(id) }
        case 13: try engine.setFamily(pick([nil, "family 0", "family 5"]) ?? nil, of: account)
        case 14: try engine.stopSharing(id)
        case 15:
            _ = try engine.changePlan(subscription, to: pick(Self.products) ?? "coins", offer: pick(Self.offers) ?? nil)
        case 16: if removes { try engine.delete(id) }
        case 17:
            engine.updateSettings { $0.isAskToBuyEnabled.toggle() }
            for purchase in engine.state.pending where generator.next().isMultiple(of: 2) {
                _ = try engine.approve(purchase.id)
            }
        default:
            let order = PurchaseOrder(
                quantity: generator.next() % 10 == 0 ? 3 : 1,
                appAccountToken: UUIDText("3f2c7a4e-0f5c-4a7e-9a0e-0d7f6f0c1a2b"),
                offer: pick(Self.offers) ?? nil)
            _ = try engine.buy(pick(Self.products) ?? "coins", for: account, order)
        }
    }
}
