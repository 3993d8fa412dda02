import Foundation
import LocalStore
import Paywall
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// An app on the simulator with its ledger, purchases, products and log in a database, and its screens.
@MainActor
struct ShopApp {
    static let texts = PaywallTexts(languages: ["en"])

    /// Keys for all tests, because making them takes a while.
    nonisolated static let signer = Result { try SimulatorSigner() }

    /// A store with the accounts of a family, `parent` and `child`.
    static func simulator(faults: [Fault] = []) throws -> StoreSimulator {
        let trial = ConfiguredOffer(paymentMode: .freeTrial, period: .week)
        let products = [
            product("export", .nonConsumable, 4_990, "Export"), product("suite", .nonConsumable, 9_990, "Suite"),
            product("coins", .consumable, 990, "Coins"),
            product(
                "monthly", .autoRenewableSubscription, 9_990, "Pro",
                ConfiguredSubscription(groupID: "pro", level: 1, period: .month, introductoryOffers: [trial])),
        ]
        let state = SimulatorState(
            seed: 1, now: try #require(Timestamp(rfc3339: "2026-11-01T12:00:00Z")),
            app: .init(bundleID: "com.example.app"), accounts: ["parent", "child"])
        let simulator = StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try signer.get(), state: state,
            faults: FaultPlan(faults: faults))
        try simulator.perform { engine in
            try engine.setFamily("family", of: "parent")
            try engine.setFamily("family", of: "child")
        }
        return simulator
    }

    private static func product(
        _ id: String, _ type: ProductType, _ price: Int64, _ name: String, _ terms: ConfiguredSubscription? = nil
    ) -> ConfiguredProduct {
        ConfiguredProduct(
            id: id, type: type, price: Milliunits(price), isFamilyShareable: type == .nonConsumable,
            localizations: [Localization(locale: "en_US", displayName: name)], subscription: terms)
    }

    let simulator: StoreSimulator
    let database: PurchaseDatabase
    let records: PurchaseRecords
    /// The ledger of the records.
    let ledger: ChangedLedger
    let entitlements: EntitlementStore
    let repository: PurchaseRepository
    let flow: OneTimePurchaseFlow
    let history: PurchaseHistoryViewModel
    let restore: RestoreViewModel
    /// Measures the deadlines of the history.
    let screenTimer = HeldTimer()

    /// Launches the app on a device of a customer; `store` is asked in place of the simulator.
    init(
        _ simulator: StoreSimulator, _ database: PurchaseDatabase, customer: String = "parent",
        store: (any Store)? = nil, timer: any PurchaseTimer = StoppedTimer()
    ) throws {
        self.simulator = simulator
        self.database = database
        let clock = simulator.clock
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: ["monthly"],
            features: try FeatureCatalog([
                FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["export", "suite"]),
                FeatureDefinition(id: "print", name: "Print", level: .premium, productIDs: ["suite"]),
            ]))
        let log = SupportLog(
            DatabaseLog(database, environment: PurchaseEnvironment(clock: clock)),
            environment: PurchaseEnvironment(clock: clock))
        let service = PurchaseService(
            store: store ?? simulator.customer(customer), ledger: DatabaseLedger(database),
            verifier: simulator.receiptVerifier, environment: PurchaseEnvironment(log: log, timer: timer, clock: clock))
        ledger = ChangedLedger(base: DatabaseLedger(database))
        records = PurchaseRecords(
            ledger, user: .noAccounts, catalog: catalog, environment: PurchaseEnvironment(clock: clock))
        entitlements = EntitlementStore(
            service: service, catalog: catalog, environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        repository = PurchaseRepository(
            service: service, cache: DatabaseProducts(database, environment: PurchaseEnvironment(clock: clock)),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        flow = OneTimePurchaseFlow(
            service: service, records: records, entitlements: entitlements, confirmation: ConfirmedByStore(),
            repository: repository,
            retry: NetworkRetry(
                schedule: BackoffSchedule(attempts: 1), environment: PurchaseEnvironment(timer: StoppedTimer())),
            environment: PurchaseEnvironment(log: log, timer: timer, clock: clock))
        history = PurchaseHistoryViewModel(
            records: records, entitlements: entitlements, products: repository, texts: Self.texts,
            exportLog: { facts in
                await log.flush()
                return try await DatabaseLog(database, environment: PurchaseEnvironment(clock: clock)).exportedLog(
                    facts: facts, at: clock())
            }, timer: screenTimer)
        restore = RestoreViewModel(
            purchase: OneTimePurchaseManager(flow), texts: Self.texts,
            exportLog: { facts in Array(facts.sorted(by: <).map { "\($0.key): \($0.value)\n" }.joined().utf8) },
            timer: StoppedTimer())
    }

    /// Starts what an app starts at launch.
    func start() async {
        await entitlements.start().value
        await flow.start().value
    }

    /// Returns the first state of a screen that meets a condition; the time limit of the suite ends the wait.
    func state<Model: ScreenModel>(
        of model: Model, _ condition: (Model.State) -> Bool
    ) async throws -> Model.State {
        for await state in model.updates() where condition(state) { return state }
        throw CancellationError()
    }

    /// Returns the first history that meets a condition.
    func history(where condition: (PurchaseHistory) -> Bool) async throws -> PurchaseHistory {
        let state = try await state(of: history) { state in
            if case .loaded(let history) = state { condition(history) } else { false }
        }
        guard case .loaded(let history) = state else { throw CancellationError() }
        return history
    }

    /// Waits for a purchase in a section, and returns it.
    func item(_ productID: String, in section: PurchaseHistory.SectionKind) async throws -> PurchaseItem {
        let history = try await history { $0.items(in: section).contains { $0.productID == productID } }
        return try #require(history.items(in: section).first { $0.productID == productID })
    }
}

/// The folder of a database, which is removed at the end.
final class DatabaseFolder: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "paywall-\(UUID().uuidString)").path()

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open() throws -> PurchaseDatabase {
        try PurchaseDatabase(
            path: "\(folder)/purchases.sqlite", key: [UInt8](repeating: 7, count: 32), busyTimeout: 60_000)
    }
}

/// A ledger whose reads of purchases a test can make fail or stay silent.
struct ChangedLedger: PurchaseLedger {
    enum Reading {
        case works, fails, isSilent
    }

    let base: any PurchaseLedger
    private let state = Locked(Reading.works)

    init(base: any PurchaseLedger) {
        self.base = base
    }

    func setReading(_ reading: Reading) { state.withLock { $0 = reading } }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.transact(step, body)
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        switch state.withLock({ $0 }) {
        case .works: break
        case .fails:
            let cause = DatabaseError(.inputOutput, "the file cannot be read")
            throw LedgerError(.notReadable, cause.message, underlying: cause)
        case .isSilent: for await _ in AsyncStream.makeStream(of: Void.self).stream {}
        }
        return try await base.read(step, body)
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}

/// A timer whose waits end when a test says so.
final class HeldTimer: PurchaseTimer {
    private struct State {
        var waits: [(milliseconds: Int64, continuation: AsyncStream<Void>.Continuation)] = []
    }

    private let state = Locked(State())
    private let starts = AsyncStream.makeStream(of: Int64.self)

    func start(milliseconds: Int64) -> Task<Void, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.waits.append((milliseconds, continuation)) }
        starts.continuation.yield(milliseconds)
        return Task { for await _ in stream {} }
    }

    /// Waits until a wait of this length was started, and ends all of them.
    func end(_ milliseconds: Int64) async {
        for await started in starts.stream where started == milliseconds { break }
        let due = state.withLock { state in
            defer { state.waits.removeAll { $0.milliseconds == milliseconds } }
            return state.waits.filter { $0.milliseconds == milliseconds }
        }
        for wait in due { wait.continuation.finish() }
    }
}

/// A store that answers no call.
struct SilentStore: Store {
    private func wait<Answer>(for answer: Answer) async -> Answer {
        for await _ in AsyncStream.makeStream(of: Void.self).stream {}
        return answer
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] { await wait(for: []) }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        await wait(for: .userCancelled)
    }

    func updates() -> AsyncStream<StoreUpdate> { AsyncStream.makeStream(of: StoreUpdate.self).stream }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { await wait(for: []) }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { await wait(for: []) }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { await wait(for: []) }
    func history() async throws(StoreError) -> [SignedTransaction] { await wait(for: []) }
    func finish(transactionID: String) async throws(StoreError) { await wait(for: ()) }
    func synchronize() async throws(StoreError) { await wait(for: ()) }
}
