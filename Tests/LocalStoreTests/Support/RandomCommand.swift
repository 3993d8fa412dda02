import LocalStore
import PurchaseCore
import ReceiptTypes

/// A command for a store, with what it needs of the store's state; random, and deterministic for a generator.
struct RandomCommand {
    let name: String
    let need: StateNeed
    /// Runs the command; a purchase has an answer.
    let run: (inout SimulatorEngine) throws -> PurchaseAnswer?

    private static let products = SampleStore.configuration.products.map(\.id)
    private static let offers: [RequestedOffer?] = [
        nil, nil, nil, .promotional(id: "half"), .code(name: "WELCOME"), .code(name: "STACK"),
        .code(name: "RETURN"), .winBack(id: "back"),
    ]

    init(_ state: SimulatorState, _ generator: inout SplitMix64) {
        func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &generator) }
        func isHeads() -> Bool { generator.next().isMultiple(of: 2) }
        let account = pick(state.accounts)?.name ?? ""
        switch generator.next() % 5 {
        case 0:
            let (product, offer) = (pick(Self.products) ?? "", pick(Self.offers) ?? nil)
            let order = isHeads() ? PurchaseOrder(offer: offer) : PurchaseOrder(play: PlayOrder())
            self.init("buy", .purchases(of: account)) { try $0.buy(product, for: account, order) }
        case 1:
            // A transaction is named by its identifier, or by its product and account.
            let product = isHeads() ? pick(state.transactions.filter { $0.account == account })?.productID : nil
            self.init(onTransaction: pick(state.transactions)?.id ?? "1", or: product, account, &generator)
        case 2:
            let product = isHeads() ? pick(state.subscriptions.filter { $0.account == account })?.productID : nil
            let id = pick(state.transactions.filter { $0.groupID != nil })?.id ?? "1"
            self.init(onSubscription: id, or: product, account, &generator)
        case 3:
            let (pending, isApproved) = (pick(state.pending), isHeads())
            self.init("answer", .pendingPurchases(of: isHeads() ? account : nil)) { engine in
                guard let pending else { return nil }
                if isApproved { return try engine.approve(pending.id) }
                try engine.decline(pending.id)
                return nil
            }
        default:
            let days = isHeads() ? Int64(generator.next() % 30) : nil
            let need = StateNeed.dueEvents { now in days.map { now.adding(milliseconds: $0 * SampleStore.day) } }
            self.init("advance", need) { engine in
                let target = days.map { engine.state.now.adding(milliseconds: $0 * SampleStore.day) }
                if let instant = target ?? engine.nextEventDate { try engine.advance(to: instant) }
                return nil
            }
        }
    }

    private init(
        _ name: String, _ need: StateNeed, _ run: @escaping (inout SimulatorEngine) throws -> PurchaseAnswer?
    ) {
        (self.name, self.need, self.run) = (name, need, run)
    }

    private init(onTransaction id: String, or product: String?, _ account: String, _ generator: inout SplitMix64) {
        typealias Body = (inout SimulatorEngine, String) throws -> Void
        let bodies: [(String, Body)] = [
            ("finish", { $0.finish($1) }),
            ("refund", { try $0.refund($1) }),
            ("refund a part", { try $0.refund($1, share: .percentage(33_333)) }),
            ("reverse a refund", { try $0.reverseRefund($1) }),
            ("request a refund", { try $0.requestRefund($1) }),
            ("decline a refund", { try $0.declineRefund($1) }),
        ]
        let (name, body) = bodies[Int(generator.next() % UInt64(bodies.count))]
        self.init(name, .transactions([product ?? id], of: product == nil ? nil : account)) { engine in
            let latest = engine.state.transactions.last { $0.account == account && $0.productID == product }
            try body(&engine, product == nil ? id : latest?.id ?? "none")
            return nil
        }
    }

    private init(onSubscription id: String, or product: String?, _ account: String, _ generator: inout SplitMix64) {
        typealias Body = (inout SimulatorEngine, String) throws -> Void
        let price = Milliunits(Int64(generator.next() % 50_000) + 1)
        let plan = Self.products.randomElement(using: &generator) ?? ""
        let offer = Self.offers.randomElement(using: &generator) ?? nil
        let bodies: [(String, Body)] = [
            ("cancel", { try $0.cancelRenewal($1) }),
            ("resume", { try $0.resumeRenewal($1) }),
            ("fail", { try $0.setBillingIssue(true, $1) }),
            ("recover", { try $0.setBillingIssue(false, $1) }),
            ("renew", { try $0.renew($1) }),
            ("expire", { try $0.expire($1) }),
            ("raise the price", { try $0.requestPriceIncrease($1, to: price) }),
            ("consent", { try $0.consentToPriceIncrease($1) }),
            ("change the plan", { _ = try $0.changePlan($1, to: plan, offer: offer) }),
        ]
        let (name, body) = bodies[Int(generator.next() % UInt64(bodies.count))]
        self.init(name, .subscription(product ?? id, of: product == nil ? nil : account)) { engine in
            let all = engine.subscriptions(of: account).filter { $0.productID == product }
            let named = all.last(where: \.isRunning) ?? all.last
            try body(&engine, product == nil ? id : named?.id ?? "none")
            return nil
        }
    }
}
