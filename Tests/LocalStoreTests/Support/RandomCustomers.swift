import LocalStore
import PurchaseCore
import ReceiptTypes

/// Customers that send random commands, deterministic for a seed.
struct RandomCustomers {
    var engine: SimulatorEngine
    private var generator: SplitMix64
    /// Whether customers also delete transactions and finish undelivered ones, which no app could notice.
    var removesTransactions = false
    /// The number of commands that succeeded.
    private(set) var acceptedCommandCount = 0

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
        engine = SampleStore.engine(seed: seed, accounts: (0..<customers).map { "customer \($0)" }) {
            $0.isGracePeriodEnabled = true
        }
        // Every fifth customer shares a family with the next one.
        for index in stride(from: 0, to: customers - 1, by: 5) {
            try engine.setFamily("family \(index)", of: "customer \(index)")
            try engine.setFamily("family \(index)", of: "customer \(index + 1)")
        }
    }

    /// Advances the clock by days; each customer has two chances a day to send a command.
    mutating func run(days: Int, perMille: Int) throws {
        for _ in 0..<days {
            for account in engine.state.accounts + engine.state.accounts
            where Int(generator.next() % 1000) < perMille {
                let before = engine
                do {
                    try performRandomCommand(account.name)
                    acceptedCommandCount += 1
                } catch is StoreSimulatorError {
                    // A failed command has no effect.
                    engine = before
                }
            }
            try engine.advance(byMilliseconds: SampleStore.day)
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[Int(generator.next() % UInt64(values.count))]
    }

    private mutating func performRandomCommand(_ account: String) throws {
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
        case 12: if removesTransactions { engine.finish(id) }
        case 13: try engine.setFamily(pick([nil, "family 0", "family 5"]) ?? nil, of: account)
        case 14: try engine.stopSharing(id)
        case 15:
            _ = try engine.changePlan(subscription, to: pick(Self.products) ?? "coins", offer: pick(Self.offers) ?? nil)
        case 16: if removesTransactions { try engine.delete(id) }
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
