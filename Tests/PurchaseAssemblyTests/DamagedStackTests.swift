import DamageSupport
import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@testable import example_app

/// The number of damages for each store: STORAGE_DAMAGE of the environment, or two of each kind.
private let damageCount = FileDamage.count(otherwise: 2 * FileDamage.Kind.allCases.count)

/// The whole stack over a database that was damaged by a seed, and over the sealed store with its key.
///
/// Two users of one account of the store have bought: Alice a non-consumable, another one that was refunded, a
/// subscription and two consumables, and Bob a non-consumable. Everything is finished in the store. The files are those
/// of a process that was killed: a part of the content is in the database, and the rest in its log.
@Suite("Damaged databases of a purchase stack", .timeLimit(.minutes(damageCount > 100 ? 240 : 15)))
@MainActor
struct DamagedStackTests {
    /// The store that has sold everything.
    enum Shop: CaseIterable {
        case appStore, googlePlay
    }

    private nonisolated static let coins = "notes.coins"
    private nonisolated static let forgedJWS = "eyJhbGciOiJFUzI1NiJ9.e30.forged"

    private let app: TestApp
    private let catalog: TemplatePriceCatalog
    private let ledger = CoinLedger()
    private let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private let bob = UUIDText("11111111-c51c-4bf4-9960-e1c80e27aba0")

    init() throws {
        let others = ["notes.icons", "notes.themes"].map {
            ConfiguredProduct(id: $0, type: .nonConsumable, price: Milliunits(2_990))
        }
        app = try TestApp(selling: NotesApp.products + others)
        let features = ["export", "icons", "themes", "scan"].map {
            FeatureDefinition(id: FeatureID(rawValue: $0), name: $0, level: .premium, productIDs: ["notes.\($0)"])
        }
        catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["notes.yearly"], features: try FeatureCatalog(features))
    }

    // MARK: The app

    private func setup(_ shop: Shop) throws -> PurchaseSetup {
        let simulator = app.simulator
        switch shop {
        case .appStore:
            return PurchaseSetup(
                catalog: catalog, store: simulator.customer("customer"), verifier: simulator.receiptVerifier,
                environment: PurchaseEnvironment(clock: simulator.clock))
        case .googlePlay:
            let bundleID = simulator.state.app.bundleID
            let key = try simulator.signer.playPublicKey
            var keys = PlayKeyring()
            keys.add([UInt8](key.utf8), forPackage: bundleID)
            let verifier = ReceiptVerifier(
                policy: VerificationPolicy(apps: [.init(bundleID: bundleID)]),
                trustAnchors: simulator.signer.trustAnchors, playKeys: keys, clock: simulator.clock)
            return PurchaseSetup(
                catalog: catalog, store: simulator.playCustomer("customer"), verifier: verifier,
                playProducts: simulator.configuration.playProducts,
                environment: PurchaseEnvironment(clock: simulator.clock))
        }
    }

    /// Launches the app, with another store if one is given; Alice is signed in.
    private func launch(
        _ shop: Shop, in folder: PurchaseFolder, store: (any Store)? = nil, log: EventLog = EventLog()
    ) async throws -> PurchaseStack {
        var setup = try setup(shop)
        if let store { setup.store = store }
        setup.user = .signedIn(alice)
        setup.fulfiller = ledger
        setup.environment.log = log
        setup.environment.timer = StoppedTimer()
        let stack = try await PurchaseStack(setup, in: folder)
        await stack.start()
        return stack
    }

    // MARK: Before the damage

    private func buy(_ products: [String], _ stack: PurchaseStack) async {
        for product in products {
            #expect(await stack.flow.purchaseProduct(product).outcome == .success, "\(product)")
        }
    }

    /// Adds what a user has now to what the user has had.
    private func add(_ stack: PurchaseStack, of user: UUIDText, to users: inout [UUIDText: Bought]) async throws {
        let recorded = try await stack.records.getAllPurchases()
        var bought = users[user] ?? Bought()
        bought.holdings = try await holdings(stack)
        bought.coins = currentBalance(stack)
        bought.purchases.formUnion(recorded)
        bought.entitlements.formUnion(bought.holdings.grounds.keys)
        users[user] = bought
    }

    private func holdings(_ stack: PurchaseStack) async throws -> Holdings {
        let inForce = try await stack.records.getAllPurchases().filter { !$0.isRevoked && $0.type != .consumable }
        return Holdings(
            grounds: stack.entitlements.entitlements.grounds,
            purchases: inForce.sorted { $0.id.transactionID < $1.id.transactionID })
    }

    private func currentBalance(_ stack: PurchaseStack) -> Int {
        stack.entitlements.entitlements.balances[Self.coins] ?? 0
    }

    /// Sells to both users, and returns a copy of the files.
    private func sell(_ shop: Shop) async throws -> Sold {
        var users: [UUIDText: Bought] = [:]
        let stack = try await launch(shop, in: app.folder)
        await buy(["notes.export", Self.coins, "notes.icons"], stack)
        try await add(stack, of: alice, to: &users)
        // What follows is only in the log of the database.
        try app.change("PRAGMA wal_checkpoint(FULL)")
        await buy(["notes.yearly", Self.coins], stack)
        let icons = try #require(app.simulator.state.transactions.first { $0.productID == "notes.icons" })
        try app.simulator.perform { try $0.refund(icons.id) }
        await stack.refresh()
        await stack.flow.review()
        try await add(stack, of: alice, to: &users)
        await stack.signIn(bob)
        await buy(["notes.themes"], stack)
        try await add(stack, of: bob, to: &users)
        await stack.stop()

        // A delivery that the store has not signed, for a product that neither user has bought.
        let deliveries = DatabaseLedger(stack.files.database)
        let forged = SignedTransaction(jws: Self.forgedJWS, transactionID: "forged", productID: "notes.scan")
        _ = try await deliveries.observe(forged, from: .update, at: app.simulator.state.now)
        try await deliveries.quarantine(signedText: Self.forgedJWS, because: .signatureInvalid)
        await stack.log.flush()

        let alices = try #require(users[alice])
        let bobs = try #require(users[bob])
        #expect(alices.holdings.purchases.map(\.productID).sorted() == ["notes.export", "notes.yearly"])
        #expect(Set(alices.holdings.grounds.keys) == [.pro, .feature("export")])
        #expect(alices.entitlements.contains(.feature("icons")) && alices.coins == 2)
        #expect(Set(bobs.holdings.grounds.keys) == [.feature("themes")])
        let sold = app.simulator.state.transactions.filter { $0.productID == Self.coins }
        #expect(sold.count == 2 && sold.allSatisfy(\.isFinished))
        #expect(ledger.credited.values.sorted() == [1, 1])
        let copy = PurchaseFolder("\(app.path)/sold")
        try FileManager.default.copyItem(atPath: app.folder.path, toPath: copy.path)
        let log = try Data(contentsOf: URL(fileURLWithPath: copy.databasePath + "-wal"))
        try #require(!log.isEmpty)
        return Sold(folder: copy, users: users, credited: ledger.credited)
    }

    private func damagedCopy(of sold: Sold, _ damage: FileDamage) throws -> PurchaseFolder {
        let copy = PurchaseFolder("\(app.path)/damaged-\(damage.seed)")
        try FileManager.default.copyItem(atPath: sold.folder.path, toPath: copy.path)
        try damage.apply(to: copy.databasePath)
        return copy
    }

    // MARK: After the damage

    /// Expects that each user has nothing that was not verified for that user before the damage.
    private func expectOnlyVerified(_ stack: PurchaseStack, _ sold: Sold, _ damage: FileDamage) async throws {
        for user in [alice, bob] {
            await stack.signIn(user)
            let before = try #require(sold.users[user])
            let entitlements = stack.entitlements.entitlements
            // A database that cannot be read now has nothing.
            let recorded = (try? await stack.records.getAllPurchases()) ?? []
            #expect(before.purchases.isSuperset(of: recorded), "\(damage)")
            #expect(before.entitlements.isSuperset(of: entitlements.grounds.keys), "\(damage)")
            #expect(
                entitlements.balances.allSatisfy { $0.key == Self.coins && $0.value <= before.coins }, "\(damage)")
        }
        #expect(ledger.credited == sold.credited, "\(damage)")
    }

    /// Returns the difference between the present and the former state of a user; nil if there is none.
    private func difference(_ stack: PurchaseStack, of user: UUIDText, from before: Bought) async throws -> String? {
        let database = stack.files.database
        if try await database.unfinishedRecovery(of: user) != nil { return "the history was not read" }
        let now = try await holdings(stack)
        if now != before.holdings { return "\(now), not \(before.holdings)" }
        // The store does not list finished consumables, so those count that the ledger still has.
        let kept = try await DatabaseLedger(database).entries().filter {
            $0.stage >= .recorded && $0.account == user && $0.transaction.productID == Self.coins
        }
        let count = Set(kept.map(\.transaction.transactionID)).count
        let balance = currentBalance(stack)
        return balance == count ? nil : "a balance of \(balance) with \(count) purchases"
    }

    /// Waits until a user has everything again, a minute at most, and expects that a restore changes nothing.
    private func expectEverything(
        _ stack: PurchaseStack, of user: UUIDText, _ sold: Sold, _ damage: FileDamage
    ) async throws {
        await stack.signIn(user)
        let before = try #require(sold.users[user])
        let end = ContinuousClock.now + .seconds(60)
        var found = try await difference(stack, of: user, from: before)
        while found != nil, ContinuousClock.now < end, !Task.isCancelled {
            await stack.refresh()
            await Task.yield()
            found = try await difference(stack, of: user, from: before)
        }
        // Other damages would wait for the same defect.
        try #require(found == nil, "\(damage)")
        #expect(await stack.flow.restorePurchases().outcome == .alreadyRestored, "\(damage)")
        #expect(try await difference(stack, of: user, from: before) == nil, "restored, \(damage)")
    }

    @Test(
        "A damaged database is set aside and reported, and everything in force is granted again [OTP-3.6]",
        arguments: Shop.allCases)
    func recovery(_ shop: Shop) async throws {
        let sold = try await sell(shop)
        for damage in (0..<damageCount).map(FileDamage.init) {
            let folder = try damagedCopy(of: sold, damage)
            defer { try? FileManager.default.removeItem(atPath: folder.path) }
            let log = EventLog()
            try await launchOffline(shop, in: folder, log, sold, damage)

            let stack = try await launch(shop, in: folder, log: log)
            // The app need not have met all of the damage.
            try await stack.recover()
            // A claim that could not be released, because the ledger was damaged, excludes others for a minute.
            try app.simulator.perform { engine in try engine.advance(byMilliseconds: 61_000) }
            try await expectEverything(stack, of: alice, sold, damage)
            let balance = currentBalance(stack)
            try await expectEverything(stack, of: bob, sold, damage)
            #expect(try await stack.recover() == nil, "\(damage)")
            let entries = try await DatabaseLedger(stack.files.database).entries()
            #expect(
                entries.allSatisfy { $0.transaction.signedText != Self.forgedJWS || $0.stage == .observed },
                "\(damage)")
            await stack.stop()

            let isReported = log.count(.databaseRecovered) > 0
            #expect(isReported || !damage.isObvious, "\(damage)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let isSetAside = names.contains { $0.hasPrefix("purchases.sqlite.damaged-") }
            #expect(isSetAside == isReported || damage.kind == .removed, "\(damage)")
            #expect(balance <= 2, "\(damage)")
            // What was in the database before its log was damaged is kept. Other damage that nothing shows is none.
            let isOfLog = [.changedLog, .removedLog].contains(damage.kind)
            #expect(balance >= (isOfLog ? 1 : isReported ? 0 : 2), "\(damage)")
            // A repeated order has the key of the first one, so the account of the coins stays as it is.
            #expect(ledger.credited == sold.credited, "\(damage)")
        }
    }

    /// Launches the app while the store cannot be reached, and stops it.
    private func launchOffline(
        _ shop: Shop, in folder: PurchaseFolder, _ log: EventLog, _ sold: Sold, _ damage: FileDamage
    ) async throws {
        app.simulator.isOnline = false
        defer { app.simulator.isOnline = true }
        let stack = try await launch(shop, in: folder, log: log)
        try await expectOnlyVerified(stack, sold, damage)
        await stack.stop()
    }

    @Test(
        "With a store that lists nothing, a damaged database grants only what was verified before [OTP-3.6]",
        arguments: Shop.allCases)
    func storeWithoutPurchases(_ shop: Shop) async throws {
        let sold = try await sell(shop)
        for damage in (0..<damageCount).map(FileDamage.init) {
            let folder = try damagedCopy(of: sold, damage)
            defer { try? FileManager.default.removeItem(atPath: folder.path) }
            let stack = try await launch(shop, in: folder, store: EmptyStore())
            try await expectOnlyVerified(stack, sold, damage)
            try await stack.recover()
            try await expectOnlyVerified(stack, sold, damage)
            await stack.stop()
        }
    }
}

/// What a user has in force, without consumables.
private struct Holdings: Equatable {
    var grounds: [Entitlement: [Ground]] = [:]
    /// The recorded purchases in the order of their ids.
    var purchases: [Purchase] = []
}

/// What a user has bought before the damage.
private struct Bought {
    /// What the user had at the end.
    var holdings = Holdings()
    /// The balance of coins at the end.
    var coins = 0
    /// The purchases that were verified, in each state that they had.
    var purchases: Set<Purchase> = []
    /// Everything that was granted at any time.
    var entitlements: Set<Entitlement> = []
}

/// The files of the app before the damage, and what they have.
private struct Sold {
    let folder: PurchaseFolder
    let users: [UUIDText: Bought]
    let credited: [PurchaseKey: Int]
}

/// The account of the coins on the app's server: the number that was ordered last for each key.
private final class CoinLedger: PurchaseFulfilling {
    private let state = Locked<[PurchaseKey: Int]>([:])

    var credited: [PurchaseKey: Int] { state.withLock { $0 } }

    func fulfil(_ order: FulfilmentOrder) async throws {
        guard order.transaction.productID == "notes.coins" else { return }
        state.withLock { $0[order.key] = order.quantity }
    }
}

/// A store that knows no purchase of the customer.
private struct EmptyStore: Store {
    func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        throw StoreError(.productUnavailable, "the store sells nothing")
    }

    func updates() -> AsyncStream<StoreUpdate> { AsyncStream.makeStream(of: StoreUpdate.self).stream }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { [] }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { [] }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { [] }
    func history() async throws(StoreError) -> [SignedTransaction] { [] }
    func finish(transactionID: String) async throws(StoreError) {}
    func synchronize() async throws(StoreError) {}
}
