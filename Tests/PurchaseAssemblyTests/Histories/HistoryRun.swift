import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import ReceiptTypes
import TimerSupport

@testable import example_app

/// One random history: a customer's device with two users of the app, the store, the app's own server, and the model.
///
/// After each action, nothing may be recorded, granted or sent for the wrong user. Now and then, and at the end, the
/// history settles: the store and the server answer, and the app must then have exactly what the model says.
@MainActor
final class HistoryRun {
    private static let products = [
        ConfiguredProduct(id: "export", type: .nonConsumable, price: Milliunits(4_990)),
        ConfiguredProduct(id: "themes", type: .nonConsumable, price: Milliunits(2_990)),
        ConfiguredProduct(id: "coins", type: .consumable, price: Milliunits(990)),
    ]
    private static let users = [
        UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0"), UUIDText("11111111-c51c-4bf4-9960-e1c80e27aba0"),
    ]
    private static let start = Timestamp(milliseconds: 1_760_000_000_000) ?? .minimum

    /// What has happened, for the message of a failure.
    private(set) var actions: [String] = []
    private(set) var findings: [String] = []
    /// The sales of the store with what became of them.
    var sales: [HistoryModel.Sale] { Array(model.sales.values) }

    private let path: String
    private let simulator: StoreSimulator
    private let catalog: TemplatePriceCatalog
    private let ledger = CreditLedger()
    private let server = HistoryServer()
    private var random: SplitMix64
    private var model = HistoryModel()
    private var user: UUIDText?
    private var kill = KillSwitch(0, killsProcess: false)
    private var stack: PurchaseStack?
    /// The number of orders when the model was last compared with them.
    private var checkedOrders = 0

    private var folder: PurchaseFolder { PurchaseFolder("\(path)/app") }

    init(seed: UInt64, signer: SimulatorSigner, in parent: String) throws {
        random = SplitMix64(seed: seed)
        path = "\(parent)/history-\(UUID().uuidString)"
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: Self.products), signer: signer,
            state: SimulatorState(
                seed: 1, now: Self.start, app: SimulatedApp(bundleID: "com.example.app"), accounts: ["customer"]))
        let features = ["export", "themes"].map {
            FeatureDefinition(id: FeatureID(rawValue: $0), name: $0, level: .premium, productIDs: [$0])
        }
        catalog = TemplatePriceCatalog(version: 1, proProductIDs: [], features: try FeatureCatalog(features))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Runs the history until its first finding.
    func run() async {
        do {
            try await runActions()
        } catch {
            findings.append("\(error)")
        }
    }

    private func runActions() async throws {
        try await launch()
        if random.below(8) > 0 { try await signIn(Self.users[0]) }
        for _ in 0..<(8 + random.below(12)) where findings.isEmpty {
            try await act(Action.choices[Int(random.below(UInt64(Action.choices.count)))])
            await checkAlways()
            if random.below(3) == 0 { try await settle() }
        }
        for user in Self.users where findings.isEmpty {
            try await signIn(user)
            try await settle()
        }
        await stack?.stop()
    }

    // MARK: Actions

    private enum Action: CaseIterable {
        case buy, restore, synchronize, erase, signIn, signOut, refund, crash, restart, damage, connection, time

        /// The actions of which one is drawn at random, those that are more frequent several times.
        static let choices =
            allCases + Array(repeating: .buy, count: 4) + [.signIn, .signIn, .refund, .crash, .crash, .restore]
    }

    private func act(_ action: Action) async throws {
        switch action {
        case .buy: try await buy()
        case .restore: try await restore()
        case .synchronize:
            server.mode = HistoryServer.Mode.allCases[Int(random.below(4))]
            note("sync \(server.mode)")
            try await app().reconciler?.syncPendingPurchases()
        case .erase: try await erase(Self.users[Int(random.below(2))])
        case .signIn: try await signIn(Self.users[Int(random.below(2))])
        case .signOut: try await signIn(nil)
        case .refund: try refund()
        case .crash: try await crash()
        case .restart:
            note("restart")
            try await app().stop()
            try await launch()
        case .damage: try await damage()
        case .connection:
            simulator.isOnline.toggle()
            note("online \(simulator.isOnline)")
        case .time:
            note("an hour")
            try simulator.perform { engine in try engine.advance(byMilliseconds: 3_600_000) }
        }
    }

    private func buy() async throws {
        let product = Self.products[Int(random.below(3))].id
        let owned = model.granted(to: user).contains(product)
        let before = simulator.state.transactions.count
        let result = try await app().flow.purchaseProduct(product)
        note("buy \(product): \(result.outcome)")
        // Each new transaction is a sale: none of the products renews.
        let count = simulator.state.transactions.count - before
        let isSold = count > 0
        noteSales()
        if count > 1 { findings.append("one call has \(count) sales: \(product)") }
        if result.sale == .sold, !isSold { findings.append("sold, and the store has no sale: \(result)") }
        if result.sale == .notSold, isSold { findings.append("not sold, and the store has a sale: \(result)") }
        if owned, isSold { findings.append("sold a second time: \(product)") }
        if user == nil, isSold { findings.append("sold to no user: \(product)") }
    }

    private func restore() async throws {
        let result = try await app().flow.restorePurchases()
        note("restore: \(result.outcome)")
        if case .failed = result.outcome { return }
        let active = Set(result.purchases.map(\.productID))
        let granted = model.granted(to: user)
        if active != granted { findings.append("restored \(active), not \(granted)") }
    }

    private func refund() throws {
        let sales = model.sales.values.filter { !$0.isRefunded }.map(\.id).sorted()
        guard !sales.isEmpty else { return }
        let id = sales[Int(random.below(UInt64(sales.count)))]
        note("refund \(id)")
        try simulator.perform { engine in try engine.refund(id) }
        model.refund(id)
    }

    private func signIn(_ account: UUIDText?) async throws {
        note(account.map { "sign in \($0.rawValue.prefix(4))" } ?? "sign out")
        server.expect(Set([user, account].compactMap { $0 }))
        user = account
        if let account { try await app().signIn(account) } else { try await app().signOut() }
        server.expect(Set([user].compactMap { $0 }))
    }

    private func erase(_ account: UUIDText) async throws {
        note("erase \(account.rawValue.prefix(4))")
        var failures: [String] = []
        while failures.count < 3 {
            do {
                try await app().erase(account)
                break
            } catch {
                // A damaged database is recovered by the next refresh.
                failures.append("\(error)")
                try await app().refresh()
            }
        }
        if failures.count == 3 { return findings.append("not erased: \(failures)") }
        if user == account { user = nil }
        server.expect(Set([user].compactMap { $0 }))
        model.erase(account)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for name in names {
            let content = try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            if content?.range(of: Data(account.rawValue.utf8)) != nil { findings.append("not erased in \(name)") }
        }
    }

    /// Ends the process within an action, and launches the app an hour later, when the claims of the process have
    /// ended.
    private func crash() async throws {
        let step = 1 + Int(random.below(40))
        kill.kill(at: step)
        note("crash at step \(step) of")
        switch random.below(5) {
        case 0, 1: try await buy()
        case 2: try await restore()
        case 3: try await signIn(Self.users[Int(random.below(2))])
        default: try await app().refresh()
        }
        kill.kill(at: 1)
        try simulator.perform { engine in try engine.advance(byMilliseconds: 3_600_000) }
        try await launch()
    }

    private func damage() async throws {
        let isOpen = random.below(2) == 0
        let isRemoved = random.below(2) == 0
        note("\(isRemoved ? "remove" : "damage") the \(isOpen ? "open" : "closed") database")
        if !isOpen {
            try await app().stop()
            stack = nil
        }
        for suffix in isRemoved ? ["", "-wal", "-shm"] : ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.databasePath + suffix)
        }
        // The file can be missing, because an earlier action has removed it.
        if !isRemoved, let file = FileHandle(forUpdatingAtPath: folder.databasePath) {
            defer { try? file.close() }
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        }
        model.loseDatabase()
        if !isOpen { try await launch() }
    }

    // MARK: The app

    private func app() throws -> PurchaseStack {
        guard let stack else { throw Killed() }
        return stack
    }

    private func launch() async throws {
        stack = nil
        kill = KillSwitch(0, killsProcess: false)
        var setup = PurchaseSetup(
            catalog: catalog, store: simulator.customer("customer"), verifier: simulator.receiptVerifier,
            environment: PurchaseEnvironment(clock: simulator.clock))
        setup.store = KilledStore(base: setup.store, saving: nil, kill: kill)
        setup.ledger = { [kill] in KilledLedger(base: DatabaseLedger($0), kill: kill) }
        setup.fulfiller = LedgerFulfiller(ledger: ledger, kill: kill)
        setup.syncTransport = server
        setup.environment.timer = StoppedTimer()
        setup.user = user.map { .signedIn($0) } ?? .signedOut
        setup.purchaseLimit = RateLimit(count: 1_000, perMilliseconds: 1)
        setup.restoreLimit = setup.purchaseLimit
        let launched = try await open(setup)
        await launched.start()
        stack = launched
    }

    /// Opens the files. A process that has ended in this test closes its database a moment later, so it is waited for.
    private func open(_ setup: PurchaseSetup) async throws -> PurchaseStack {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await PurchaseStack(setup, in: folder)
            } catch let error as DatabaseError where error.code == .busy && ContinuousClock.now < end {
                await Task.yield()
            }
        }
    }

    private func noteSales() {
        for transaction in simulator.state.transactions {
            guard let buyer = transaction.appAccountToken else { continue }
            model.sell(
                HistoryModel.Sale(
                    id: transaction.id, productID: transaction.productID,
                    isConsumable: transaction.type == .consumable, buyer: buyer))
        }
    }

    private func note(_ action: String) { actions.append(action) }

    // MARK: Comparing

    private func granted() throws -> Set<String> {
        Set(try ["export", "themes"].filter { try app().gating.canAccessSync(FeatureID(rawValue: $0)) })
    }

    private func checkAlways() async {
        do {
            let recorded = (try? await app().records.getAllPurchases()) ?? []
            findings += model.violations(of: user, recorded: recorded, granted: try granted())
        } catch {
            findings.append("\(error)")
        }
        for order in ledger.orders.dropFirst(checkedOrders) {
            let sale = model.sales[order.id]
            if sale?.buyer != order.account { findings.append("order for another user: \(order)") }
            if sale?.record == .erased, order.quantity > 0 { findings.append("erased and granted again: \(order)") }
        }
        checkedOrders = ledger.orders.count
        findings += server.strangers.map { "sent for a user that is not signed in: \($0)" }
    }

    /// Lets the store and the server answer, and waits until the app has what the model says, a minute at most.
    private func settle() async throws {
        note("settle")
        simulator.isOnline = true
        server.mode = .working
        // A claim that could not be released, because the ledger was damaged, excludes others for a minute.
        try simulator.perform { engine in try engine.advance(byMilliseconds: 61_000) }
        let end = ContinuousClock.now + .seconds(60)
        var differences: [String] = []
        repeat {
            try await app().refresh()
            let recorded: [Purchase]
            do {
                recorded = try await app().records.getAllPurchases()
            } catch {
                differences = ["\(error)"]
                continue
            }
            differences = model.differences(
                of: user, recorded: recorded, granted: try granted(),
                coins: try app().entitlements.entitlements.balances["coins"] ?? 0,
                finished: Set(simulator.state.transactions.filter(\.isFinished).map(\.id)), credited: ledger.credited,
                received: server.received)
            if differences.isEmpty { model.settle(user, recorded: recorded) }
            await Task.yield()
        } while !differences.isEmpty && ContinuousClock.now < end && !Task.isCancelled
        findings += differences
        await checkAlways()
    }
}
