internal import PurchaseCore

@testable internal import LocalStore
@testable internal import ReceiptTypes

/// A simulated store under any sequence of commands, with rejected commands and jumps of its clock.
///
/// The first byte is the time rate, the second the settings; then each command is a byte with its choices.
final class StoreEngineTarget: FuzzTarget {
    static let name = "store-engine"
    static let summary = "a simulated store under any commands: its rules, and its state file"
    static let maximumLength = 512

    /// Enough to buy, renew, share, refund and subscribe again.
    private static let maximumCommandCount = 64
    private static let accounts = ["anna", "ben", "carla"]
    private static let start = Timestamp(milliseconds: 1_738_324_800_000) ?? .minimum

    private let configuration = StoreConfiguration(
        products: [
            ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990)),
            ConfiguredProduct(id: "life", type: .nonConsumable, price: Milliunits(.max), isFamilyShareable: true),
            ConfiguredProduct(id: "season", type: .nonRenewingSubscription, price: Milliunits(0)),
            subscription("week", level: 3, .week), subscription("month", level: 2, .month),
            subscription("other", level: 2, .month), subscription("year", level: 2, .year),
            subscription("top", level: 1, .month, isFamilyShareable: true),
            subscription("long", level: 1, must(BillingPeriod(months: 400_000, days: 400_000), "a long period")),
        ],
        groups: [SubscriptionGroup(id: "group")]
    )

    private static func subscription(
        _ id: String, level: Int, _ period: BillingPeriod, isFamilyShareable: Bool = false
    ) -> ConfiguredProduct {
        let trial = ConfiguredOffer(paymentMode: .freeTrial, period: .week)
        var offer = ConfiguredOffer(
            id: "offer", referenceName: "offer", paymentMode: .payAsYouGo, period: .month, periodCount: 12,
            price: Milliunits(100), eligibility: [.new, .existing, .expired], isStackable: true)
        var terms = ConfiguredSubscription(groupID: "group", level: level, period: period)
        terms.introductoryOffers = [trial]
        terms.promotionalOffers = [offer]
        terms.codeOffers = [offer]
        offer.paymentMode = .payUpFront
        terms.winBackOffers = [offer]
        return ConfiguredProduct(
            id: id, type: .autoRenewableSubscription, price: Milliunits(4990), isFamilyShareable: isFamilyShareable,
            subscription: terms)
    }

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        [
            ("nothing", []), ("buy-refund", [0, 0, 0, 0, 0, 0, 0, 4, 0]),
            ("subscribe-renew", [0, 2, 0, 0, 4, 0, 0, 20, 0, 40, 20, 0, 40, 9, 0]),
            ("grace-recovery", [0, 8, 0, 0, 4, 0, 0, 11, 0, 1, 20, 0, 60, 11, 0, 0]),
            ("family-upgrade", [0, 0, 18, 0, 1, 18, 1, 1, 0, 0, 4, 0, 0, 12, 0, 7, 6, 0]),
            ("approval", [1, 1, 0, 0, 1, 0, 0, 1, 0]), ("fast", [16, 0, 0, 0, 3, 0, 0, 20, 200, 255]),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        var engine = SimulatorEngine(configuration: configuration, state: Self.state(&choices))
        engine.eventLimit = 200
        var count = 0
        while !choices.isAtEnd, count < Self.maximumCommandCount {
            count += 1
            let before = engine
            do {
                try Self.command(&engine, &choices)
                require(engine.state.now >= before.state.now, "the clock was set back")
            } catch is StoreSimulatorError {
                // A rejected command must have no effect, so the run continues with the state before it.
                engine = before
            }
        }
        try check(engine)
    }

    private static func state(_ choices: inout Choices) -> SimulatorState {
        var settings = StoreSettings()
        settings.timeRate = TimeRate(rawValue: choices.element(of: TimeRate.known))
        let switches = choices.byte()
        settings.isAskToBuyEnabled = switches & 1 != 0
        settings.isInterruptingPurchases = switches & 2 != 0
        settings.isFailingRenewals = switches & 4 != 0
        settings.isGracePeriodEnabled = switches & 8 != 0
        return SimulatorState(
            seed: 1, now: start, app: SimulatedApp(bundleID: "com.example.app"), settings: settings, accounts: accounts
        )
    }

    // MARK: Commands

    private static func command(_ engine: inout SimulatorEngine, _ choices: inout Choices) throws {
        switch choices.number(below: 24) {
        case 0:
            let account = choices.element(of: accounts)
            let product = choices.element(of: engine.configuration.products).id
            let order = PurchaseOrder(quantity: choices.number(below: 12), offer: offer(&choices))
            _ = try engine.buy(product, for: account, order)
        case 1: _ = try engine.approve(pending(engine, &choices))
        case 2: try engine.decline(pending(engine, &choices))
        case 3: _ = try engine.resolve(pending(engine, &choices))
        case 4: try engine.refund(transaction(engine, &choices))
        case 5: try engine.reverseRefund(transaction(engine, &choices))
        case 6: try engine.stopSharing(transaction(engine, &choices))
        case 7: try engine.cancelRenewal(transaction(engine, &choices))
        case 8: try engine.resumeRenewal(transaction(engine, &choices))
        case 9: try engine.renew(transaction(engine, &choices))
        case 10: try engine.expire(transaction(engine, &choices))
        case 11:
            let id = transaction(engine, &choices)
            try engine.setBillingIssue(choices.flag(), id)
        case 12:
            let id = transaction(engine, &choices)
            let product = choices.element(of: engine.configuration.products).id
            _ = try engine.changePlan(id, to: product, offer: offer(&choices))
        case 13:
            let id = transaction(engine, &choices)
            let price = Milliunits(Int64(bitPattern: choices.word()))
            try engine.requestPriceIncrease(id, to: price, needsConsent: choices.flag())
        case 14: try engine.consentToPriceIncrease(transaction(engine, &choices))
        case 15: try engine.declinePriceIncrease(transaction(engine, &choices))
        case 16: try engine.delete(transaction(engine, &choices))
        case 17: engine.finish(transaction(engine, &choices))
        case 18:
            let account = choices.element(of: accounts)
            try engine.setFamily(choices.flag() ? "family" : nil, of: account)
        case 19: try engine.requestRefund(transaction(engine, &choices))
        case 20:
            // Minutes to a year, or a jump of any length.
            let scale = choices.byte()
            let length = Int64(choices.byte())
            try engine.advance(
                byMilliseconds: scale == 255 ? Int64(bitPattern: choices.word()) : length * 60_000 << (scale % 12))
        case 21: try engine.abandon(pending(engine, &choices))
        case 22: try engine.declineRefund(transaction(engine, &choices))
        default:
            let switches = choices.byte()
            engine.updateSettings { settings in
                settings.isFailingRenewals = switches & 1 != 0
                settings.isGracePeriodEnabled = switches & 2 != 0
                settings.isAskToBuyEnabled = switches & 4 != 0
            }
        }
    }

    private static func offer(_ choices: inout Choices) -> RequestedOffer? {
        switch choices.number(below: 4) {
        case 0: nil
        case 1: .promotional(id: "offer")
        case 2: .code(name: "offer")
        default: .winBack(id: "offer")
        }
    }

    private static func transaction(_ engine: SimulatorEngine, _ choices: inout Choices) -> String {
        let all = engine.state.transactions
        return all.isEmpty ? "1" : all[Int(choices.byte()) % all.count].id
    }

    private static func pending(_ engine: SimulatorEngine, _ choices: inout Choices) -> String {
        let all = engine.state.pending
        return all.isEmpty ? "1" : all[Int(choices.byte()) % all.count].id
    }

    // MARK: Properties

    private func check(_ engine: SimulatorEngine) throws {
        let state = engine.state
        let json = try StateJSON.encode(state)
        requireEqual(
            try StateJSON.decode(SimulatorState.self, from: json[...]), state, "a state, written and read back")
        for account in Self.accounts {
            let entitlements = engine.currentEntitlements(of: account)
            for transaction in entitlements {
                require(!transaction.isRevoked, "a revoked transaction is a current entitlement")
                require(transaction.type != .consumable, "a consumable is a current entitlement")
                require(!transaction.isUpgraded, "an upgraded transaction is a current entitlement")
            }
            let history = Set(engine.history(of: account).map(\.id))
            require(entitlements.allSatisfy { history.contains($0.id) }, "an entitlement is not in the history")
            let running = engine.subscriptions(of: account).filter { $0.isRunning && !$0.isFamilyShared }
            require(running.count <= 1, "one customer has two running subscriptions of one group")
        }
        for transaction in state.transactions {
            require(
                transaction.signedDate >= transaction.purchaseDate, "a transaction is signed before its purchase date")
            if let end = transaction.expiresDate, transaction.type == .autoRenewableSubscription {
                require(end >= transaction.purchaseDate, "a period ends before it begins")
            }
        }
    }
}
