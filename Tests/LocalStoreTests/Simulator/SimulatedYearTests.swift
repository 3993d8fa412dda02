import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@Suite("A simulated year")
struct SimulatedYearTests {
    /// The number of signed items to verify; SIGNED_ITEM_COUNT raises it.
    private static let signedItemCount =
        ProcessInfo.processInfo.environment["SIGNED_ITEM_COUNT"].flatMap { Int($0) } ?? 300

    /// The number of years with consistency checks; YEAR_COUNT raises it.
    private static let seedCount = ProcessInfo.processInfo.environment["YEAR_COUNT"].flatMap { UInt64($0) } ?? 6

    @Test("all signed data of a year of fifty customers is verified")
    func signedData() throws {
        var simulation = try RandomCustomers(seed: 50, customers: 50)
        // More items need a busier year.
        try simulation.run(days: 365, perMille: Self.signedItemCount > 1000 ? 700 : 25)
        let store = try SampleStore.simulator(over: simulation.engine.state)
        let state = store.state
        let verifier = try SampleStore.verifier()
        var count = 0
        func require<Payload>(_ result: VerificationResult<Payload>, _ what: String) {
            count += 1
            if let failure = result.failure { Issue.record("\(what): \(failure)") }
        }
        // A stride over all items, so that a small sample covers the complete year.
        let total =
            state.transactions.count * 2 + state.subscriptions.count + state.notifications.count
            + state.accounts.count
        let step = max(1, total / max(1, Self.signedItemCount))
        func sample<Element>(_ elements: [Element]) -> [Element] {
            stride(from: 0, to: elements.count, by: step).map { elements[$0] }
        }
        for account in sample(state.accounts) {
            require(verifier.verifyAppTransaction(try store.signedAppTransaction(for: account.name)), account.name)
        }
        for transaction in sample(state.transactions) {
            require(verifier.verifyTransaction(try store.signedTransaction(transaction.id)), transaction.id)
            let play = try store.playPurchase(transaction.id)
            let result = verifier.verifyPurchase(data: play.data, signature: play.signature)
            if transaction.isRevoked {
                count += 1
                #expect(result.failure?.code == .purchaseCancelled)
            } else {
                require(result, transaction.id)
            }
        }
        for subscription in sample(state.subscriptions) {
            require(verifier.verifyRenewalInfo(try store.signedRenewalInfo(subscription.id)), subscription.id)
        }
        for notification in sample(state.notifications) {
            let result = verifier.verifyNotification(try store.signedNotification(notification))
            require(result, notification.id)
            let parts = try #require(result.verifiedPayload)
            #expect(parts.transaction?.verifiedPayload?.transactionId == notification.transaction.id)
        }
        #expect(count >= Self.signedItemCount, "only \(count) of \(total) signed items")
        print("\(count) of \(total) signed items verified")
    }

    @Test("the same seed and commands give the same bytes")
    func isDeterministic() throws {
        func run(_ seed: UInt64) throws -> SimulatorState {
            var simulation = try RandomCustomers(seed: seed, customers: 10)
            try simulation.run(days: 120, perMille: 100)
            #expect(simulation.acceptedCommandCount > 50)
            return simulation.engine.state
        }
        let (first, second) = (try run(7), try run(7))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(first) == encoder.encode(second))
        #expect(first != (try run(8)))
        let (store, other) = (try SampleStore.simulator(over: first), try SampleStore.simulator(over: second))
        for transaction in first.transactions.suffix(20) {
            let texts = try [store, other].map { try $0.signedTransaction(transaction.id).split(separator: ".")[1] }
            #expect(texts[0] == texts[1])
        }
    }

    @Test("the state stays consistent through a year of random commands")
    func staysConsistent() throws {
        for seed in 1...Self.seedCount {
            var simulation = try RandomCustomers(seed: seed, customers: 12)
            simulation.removesTransactions = seed.isMultiple(of: 2)
            for _ in 0..<12 {
                try simulation.run(days: 30, perMille: 150)
                try requireConsistent(simulation.engine)
            }
        }
    }

    private func requireConsistent(_ engine: SimulatorEngine) throws {
        requireConsistent(engine.state.transactions)
        for subscription in engine.state.subscriptions { try requireConsistent(subscription, in: engine.state) }
        for account in engine.state.accounts { requireConsistent(account.name, in: engine) }
    }

    private func requireConsistent(_ transactions: [StoredTransaction]) {
        let lineItems = transactions.compactMap(\.webOrderLineItemID)
        #expect(Set(lineItems).count == lineItems.count)
        for transaction in transactions {
            let isSubscription = transaction.type == .autoRenewableSubscription
            #expect(isSubscription == (transaction.expiresDate != nil))
            #expect(transaction.expiresDate ?? .maximum >= transaction.purchaseDate)
        }
    }

    private func requireConsistent(_ subscription: StoredSubscription, in state: SimulatorState) throws {
        let latest = try #require(state.transaction(subscription.latestTransactionID))
        #expect(latest.account == subscription.account)
        #expect(latest.originalID == subscription.id)
        if subscription.standing == .revoked { #expect(latest.isRevoked) }
        guard subscription.standing == .active else { return }
        #expect(subscription.expiresDate > state.now)
        #expect(latest.expiresDate == subscription.expiresDate, "\(subscription) \(latest)")
        #expect(!latest.isRevoked && !latest.isUpgraded)
    }

    private func requireConsistent(_ account: String, in engine: SimulatorEngine) {
        let own = engine.subscriptions(of: account).filter { !$0.isFamilyShared }
        #expect(own.count <= 1)
        let bought = engine.state.transactions.filter { $0.account == account }
        let trialCount = bought.count { $0.offer?.type == .introductory }
        #expect(trialCount <= 1)
        let isEligible = engine.isEligibleForIntroductoryOffer(account, group: "group")
        #expect(trialCount == 0 || !isEligible)
        for entitled in engine.currentEntitlements(of: account) {
            #expect(!entitled.isRevoked && entitled.type != .consumable)
        }
    }

    @Test("the purchase core grants what the store lists as entitled")
    func agreesWithPurchaseCore() async throws {
        for seed in 1...max(1, Self.seedCount / 6) { try await compare(seed: seed) }
    }

    private func compare(seed: UInt64) async throws {
        var simulation = try RandomCustomers(seed: seed + 10, customers: 8)
        let devices = simulation.engine.state.accounts.map { TestDevice($0.name) }
        for month in 0..<6 {
            try simulation.run(days: 30, perMille: 75)
            // The last instant of a period is entitled for an app and over for the store.
            try simulation.engine.advance(byMilliseconds: 1)
            let store = try SampleStore.simulator(over: simulation.engine.state)
            for device in devices {
                let app = try device.launch(store)
                await app.service.resumeUnfinishedPurchases()
                let entitlements = await app.refreshed()
                let held = store.engine.currentEntitlements(of: device.account)
                // A season lasts a month in the catalog, and has no end in the store.
                let isPro = held.contains { $0.productID.hasPrefix("pro.") && $0.productID != "pro.season" }
                let hasSeason = entitlements.grounds.values.joined().contains { $0.kind == .nonRenewing }
                #expect(
                    entitlements.isPro == (isPro || hasSeason), "\(device.account) in month \(month) of year \(seed)")
                #expect(entitlements.templates.isEmpty == !held.contains { $0.productID == "template.a" })
                let coins = store.state.transactions.filter {
                    $0.account == device.account && $0.type == .consumable && !$0.isRevoked
                }
                #expect(await device.wallet.balance == coins.reduce(0) { $0 + $1.quantity }, "year \(seed)")
            }
            // Keeps finished transactions finished for the next month.
            for transaction in store.state.transactions where transaction.isFinished {
                simulation.engine.finish(transaction.id)
            }
        }
    }
}
