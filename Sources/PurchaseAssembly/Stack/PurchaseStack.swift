public import PurchaseCore
public import PurchaseStorage
public import ReceiptTypes

/// All parts of an app's purchases, connected: store, verifier, database, sealed store, service, entitlements, gating,
/// flow.
///
/// ```swift
/// let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.notes")], environments: [.production])
/// let setup = PurchaseSetup(catalog: catalog, verifier: ReceiptVerifier(policy: policy))
/// let purchases = try await PurchaseStack(setup, in: PurchaseFolder("/var/lib/notes"))
/// await purchases.start()
/// let result = await purchases.flow.purchaseProduct("com.example.export")
/// let isUnlocked = purchases.gating.canAccessSync("export")
/// ```
///
/// The parts are public: use them for everything that the stack itself does not offer. What concerns several parts is a
/// call of the stack, because the order matters: ``start()``, ``stop()``, ``signIn(_:)``, ``signOut()`` and
/// ``erase(_:)`` and ``eraseEverything()``. Calls that arrive at the same time run one after the other.
@MainActor
public final class PurchaseStack {
    /// The database and the sealed store.
    public let files: PurchaseFiles
    /// Buys, verifies, records and hands over, within the limits of the setup and unless ``recoveryLock`` refuses it.
    public let service: PurchaseService
    /// What the customer may use.
    public let entitlements: EntitlementStore
    /// Which features the customer may use.
    public let gating: FeatureGatingService
    /// Loads products.
    public let products: PurchaseRepository
    /// Keeps warnings and errors in the database, without secrets.
    public let log: SupportLog
    /// Counts what happens, and warns of slow stages and of many failures.
    public let monitor: PurchaseMonitor
    /// Refuses purchases while a database is recovered, and then until the store has answered with its
    /// history, from the first moment of each launch on.
    ///
    /// While the store cannot be reached, they stay refused; ``refresh()`` asks again. A store that fails for another
    /// reason, such as one without a history, ends the refusal, and so does a history of which not everything can be
    /// verified: the recovery is then still open, and the next launch refuses purchases until the store has answered.
    public let recoveryLock: RecoveryLock
    /// The app's user.
    public private(set) var user: AppUser
    /// The recorded purchases of the user; another object after each change of the user.
    public private(set) var records: PurchaseRecords
    /// Sells one-time products to the user; another object after each change of the user.
    public private(set) var flow: OneTimePurchaseFlow

    /// Sells templates.
    public var templates: TemplatePurchaseCoordinator {
        TemplatePurchaseCoordinator(
            purchaseService: service, entitlementRefresher: entitlements, flags: setup.flags,
            observers: setup.outcomeObservers)
    }

    /// Sells the products that unlock everything, such as subscriptions.
    public var pro: ProSubscriptionCoordinator {
        ProSubscriptionCoordinator(
            purchaseService: service, entitlementRefresher: entitlements, flags: setup.flags,
            observers: setup.outcomeObservers)
    }

    /// Sends the recorded purchases of the user to the app's own server; nil if the app has none.
    public private(set) var reconciler: SyncReconciler?

    /// Delivers the events of the user's purchases; nil if the app has no analytics.
    public private(set) var analytics: AnalyticsDispatcher?

    private let setup: PurchaseSetup
    /// The ledger of the service and of the records.
    private let ledger: any PurchaseLedger
    private let keptKeys: KeptVerificationKeys?
    /// The account with which an entry of the log is deleted.
    private let loggedAccount: Locked<UUIDText?>
    private var isStarted = false
    /// The last call that changes several parts.
    private var lastChange: Task<Void, Never>?
    private var runningRepair: Task<Void, Never>?
    /// The ends of recoveries.
    private let ends = SharedRuns<Void>()
    /// The first refresh and recording of a start, and the first recordings of the users since; nil before a start.
    private var loading: Task<Void, Never>?
    /// Whether damage was found that no check has looked for.
    private var hasDamage = false
    /// Whether a recovery may have dropped purchases from ``records`` whose deliveries the ledger still has.
    private var hasLostRecords = false

    /// Opens the files in a folder and connects all parts; nothing is loaded until the stack is started.
    ///
    /// - Parameters:
    ///   - setup: What the app says about its purchases.
    ///   - folder: The folder of the files, which is created if it does not exist.
    ///   - keys: The place of the sealed store's key; nil for the file at ``PurchaseFolder/keyPath``.
    /// - Throws: The errors of ``PurchaseFiles/open(_:keys:environment:)``.
    public convenience init(
        _ setup: PurchaseSetup, in folder: PurchaseFolder, keys: (any SealingKeyProvider)? = nil
    ) async throws {
        let files = try await PurchaseFiles.open(folder, keys: keys, environment: setup.environment)
        self.init(setup, files: files)
    }

    /// Connects all parts over new files in a folder whose sealed store or key is lost; nothing happens to files that
    /// can be opened.
    ///
    /// The old files are set aside. Purchases are refused until ``start()`` has read the store's history. See
    /// ``PurchaseFiles/startOver(in:keys:environment:)`` for what is lost.
    ///
    /// - Parameters:
    ///   - setup: What the app says about its purchases.
    ///   - folder: The folder of the files.
    ///   - keys: The place of the sealed store's key; nil for the file at ``PurchaseFolder/keyPath``.
    /// - Throws: The errors of ``PurchaseFiles/startOver(in:keys:environment:)``.
    public convenience init(
        _ setup: PurchaseSetup, startingOverIn folder: PurchaseFolder, keys: (any SealingKeyProvider)? = nil
    ) async throws {
        let files = try await PurchaseFiles.startOver(in: folder, keys: keys, environment: setup.environment)
        self.init(setup, files: files)
    }

    /// Connects all parts over files that are open; nothing is loaded until the stack is started.
    public init(_ setup: PurchaseSetup, files: PurchaseFiles) {
        let storage = DatabaseLog(files.database, environment: setup.environment)
        let loggedAccount = Locked(setup.user.account)
        self.loggedAccount = loggedAccount
        log = SupportLog(
            storage, account: { loggedAccount.withLock { $0 } }, environment: setup.environment)
        var environment = setup.environment
        environment.log = log
        monitor = PurchaseMonitor(
            alerts: setup.alerts, cases: storage, rules: setup.monitorRules, environment: environment)
        environment.log = monitor
        var setup = setup
        setup.environment = environment
        self.setup = setup
        self.files = files
        user = setup.user
        ledger = setup.ledger(files.database)
        recoveryLock = RecoveryLock(environment: environment)
        if files.hasUnfinishedRecovery { recoveryLock.hold() }
        keptKeys = setup.keyCache.map { KeptVerificationKeys($0, files, log: environment.log) }
        service = PurchaseService(
            store: setup.store, ledger: ledger,
            verifier: keptKeys.map { KeyKeepingVerifier(base: setup.verifier, keys: $0) } ?? setup.verifier,
            fulfiller: setup.fulfiller, user: setup.user, deadlines: setup.deadlines,
            // The limits are those of a person at a screen, so their uptime is the system's beside any clock.
            pacing: PurchasePacing(
                purchases: RateLimiter(setup.purchaseLimit), restores: RateLimiter(setup.restoreLimit),
                recovery: recoveryLock),
            environment: environment)
        entitlements = EntitlementStore(
            service: service, catalog: setup.catalog, offlineGraceMilliseconds: setup.offlineGraceMilliseconds,
            deadlines: setup.deadlines, environment: environment)
        gating = FeatureGatingService(entitlements: entitlements, environment: environment)
        products = PurchaseRepository(
            service: service,
            cache: setup.productCache?(files.database) ?? DatabaseProducts(files.database, environment: environment),
            offerings: setup.offerings, platform: setup.platform, environment: environment)
        records = PurchaseRecords(ledger, user: setup.user, catalog: setup.catalog, environment: environment)
        flow = Self.flow(setup, service, records, entitlements, products)
        reconciler = Self.reconciler(setup, records)
        analytics = Self.analytics(setup, files, setup.user)
        // Weak: the database has the handler, and the monitor's log is written to the database.
        files.damage.setHandler { [weak self, weak monitor] row in
            if row.pathSetAside != nil {
                // Nothing of the database was changed.
                monitor?.log(PurchaseLogEvent(.fileSetAside, detail: "\(row)"))
                return
            }
            monitor?.log(PurchaseLogEvent(.damagedRow, detail: "\(row)"))
            Task { await self?.repair() }
        }
    }

    private static func flow(
        _ setup: PurchaseSetup, _ service: PurchaseService, _ records: PurchaseRecords,
        _ entitlements: EntitlementStore, _ products: PurchaseRepository
    ) -> OneTimePurchaseFlow {
        OneTimePurchaseFlow(
            service: service, records: records, entitlements: entitlements, confirmation: setup.confirmation,
            repository: products, flags: setup.flags, platform: setup.platform,
            deadlines: setup.deadlines, environment: setup.environment)
    }

    private static func reconciler(_ setup: PurchaseSetup, _ records: PurchaseRecords) -> SyncReconciler? {
        setup.syncTransport.map { transport in
            SyncReconciler(records: records, transport: transport, environment: setup.environment)
        }
    }

    private static func analytics(
        _ setup: PurchaseSetup, _ files: PurchaseFiles, _ user: AppUser
    ) -> AnalyticsDispatcher? {
        setup.analyticsSink.map { sink in
            AnalyticsDispatcher(
                queue: DatabaseAnalytics(files.database, user: user, environment: setup.environment), sink: sink,
                environment: setup.environment)
        }
    }

    // MARK: Start and stop

    /// Loads what the customer owns, resumes unfinished purchases, and listens to the store from here on.
    ///
    /// It returns when the entitlements are loaded and ``records`` has the purchases, or after
    /// ``/PurchaseCore/PurchaseDeadlines/queryMilliseconds``; the rest goes on then. What the ledger has is published
    /// at once. If the database was recovered, it also reads the history that the device has of the store;
    /// ``recoveryLock`` refuses purchases until then. A second call does nothing.
    public func start() async { await withinDeadline { await self.begin() } }

    /// Runs a step, and returns when it has ended or after the deadline of a query; the step goes on then.
    private func withinDeadline(_ step: @escaping @MainActor () async -> Void) async {
        let task = Task { await step() }
        _ = await setup.environment.timer.answer(within: setup.deadlines.queryMilliseconds, isCancellable: false) {
            await task.value
        }
    }

    private func begin() async {
        let loading = await inTurn { () -> Task<Void, Never>? in
            self.isStarted = true
            await self.service.resume()
            await self.checkRecovery()
            self.load([self.entitlements.start(), await self.startFlow()])
            return self.loading
        }
        await loading?.value
        await finishRecovery()
        await finishErasure()
    }

    /// Starts what belongs to the user.
    private func startFlow() async -> Task<Void, Never> {
        await reconciler?.start(connectivity: setup.connectivity?())
        await analytics?.start()
        return flow.start()
    }

    /// Adds tasks to those that are awaited before a start or a change of the user returns.
    private func load(_ tasks: [Task<Void, Never>]) {
        let earlier = loading
        loading = Task {
            await earlier?.value
            for task in tasks { await task.value }
        }
    }

    /// Ends what belongs to a user; nothing more is sent when it returns.
    ///
    /// - Parameter then: Runs as soon as nothing more of the user is begun.
    private static func stop(
        _ flow: OneTimePurchaseFlow, _ reconciler: SyncReconciler?, _ analytics: AnalyticsDispatcher?,
        then: () async -> Void = {}
    ) async {
        flow.stop()
        await then()
        await reconciler?.stop()
        await analytics?.stop()
    }

    /// Stops listening to the store, and returns when nothing is processed, recorded or handed over any more and the
    /// verification keys are stored. What is loaded stays, and the stack can be started again.
    ///
    /// What has begun is awaited as long as an order to the fulfiller and a query may take, by default for a minute. A
    /// handler or a fulfiller of the app that takes longer goes on, and so does a purchase that the customer is making.
    /// What waits for another attempt, such as a purchase that the fulfiller could not grant, is repeated when the
    /// stack is started again, or at the next launch.
    public func stop() async { await inTurn { await self.end() } }

    private func end() async {
        isStarted = false
        entitlements.stop()
        await Self.stop(flow, reconciler, analytics)
        let begun = [loading, runningRepair, ends.last].compactMap(\.self)
        loading = nil
        await service.suspend { [entitlements] in
            for task in begun { await task.value }
            await entitlements.waitForRefreshes()
        }
        await keptKeys?.flush()
    }

    /// Asks the store again; call it when the app becomes active and when the network is back.
    ///
    /// It also repeats the end of a recovery that the store has not answered and of an erasure that another process has
    /// held up, and sends what the app's own server has not acknowledged. It returns within
    /// ``/PurchaseCore/PurchaseDeadlines/queryMilliseconds``; what is not done then goes on.
    public func refresh() async { await withinDeadline { await self.askAgain() } }

    private func askAgain() async {
        // A store that does not answer about unfinished purchases can answer about the others.
        let resuming = Task { [service] in await service.resumeUnfinishedPurchases() }
        _ = await setup.environment.timer.answer(within: setup.deadlines.queryMilliseconds / 10, isCancellable: false) {
            await resuming.value
        }
        await entitlements.refresh()
        await resuming.value
        await runningRepair?.value
        if hasDamage { await repair() }
        await finishRecovery()
        await finishErasure()
        if isStarted { await reconciler?.syncPendingPurchases() }
    }

    // MARK: Users

    /// Changes the app's user to an account. Nothing of the former user is shown from the beginning of the call on.
    ///
    /// It returns in the state in which ``start()`` does: the entitlements of the account are loaded, and ``records``
    /// has its purchases. It waits for a store or a database that does not answer as long as ``start()`` does; the
    /// stack then goes on trying by itself.
    ///
    /// Purchases that the former user has begun stay unfinished until that one signs in again.
    public func signIn(_ account: UUIDText) async { await change(to: .signedIn(account)) }

    /// Ends the session of the app's user. Purchases that belong to no account stay visible.
    public func signOut() async { await change(to: .signedOut) }

    private func change(to newUser: AppUser) async {
        let loading = await inTurn { () -> Task<Void, Never>? in
            if newUser.lowercased != self.user.lowercased { await self.setUser(newUser) }
            return self.loading
        }
        await withinDeadline {
            await loading?.value
            if self.isStarted { await self.finishRecovery() }
        }
    }

    private func setUser(_ newUser: AppUser, then work: () async -> Void = {}) async {
        let (formerFlow, formerReconciler, formerAnalytics) = (flow, reconciler, analytics)
        user = newUser
        records = PurchaseRecords(ledger, user: newUser, catalog: setup.catalog, environment: setup.environment)
        flow = Self.flow(setup, service, records, entitlements, products)
        reconciler = Self.reconciler(setup, records)
        analytics = Self.analytics(setup, files, newUser)
        await entitlements.changeUser {
            // Nothing of the former user must record or send what is delivered for the next one, and nothing is bought
            // for the former user while that ends.
            await Self.stop(formerFlow, formerReconciler, formerAnalytics) { await service.signOut() }
            loggedAccount.withLock { $0 = newUser.account }
            if case .signedIn(let account) = newUser {
                await checkRecovery()
                await service.signIn(account)
            }
        }
        await work()
        if isStarted { load([await startFlow()]) }
    }

    /// Deletes everything of an account: purchases, events, ledger, verification keys and cached products, and the
    /// files that were set aside.
    ///
    /// If the account is signed in, it is signed out first, and deliveries that are being processed are awaited, for
    /// twenty seconds at most: what is recorded after that needs another call. So does a purchase that the customer is
    /// making meanwhile. A digest of each granted purchase stays, so that a consumable is not granted again; see
    /// ``/PurchaseStorage/PurchaseDatabase/erase(_:)``. The verification keys and products of other users are found
    /// again.
    ///
    /// The store still has the purchases, and goes on listing them. While no account is signed in, also after a launch,
    /// nothing of that is written: neither what names an account nor what the store only lists; see
    /// ``/PurchaseCore/PurchaseService/signOut()``. If the account signs in again, its purchases are recorded again. If
    /// another account signs in under the same account of the store, the ledger notes again which purchases of the
    /// store belong to another user, so that nothing is sold twice; erase the account again to delete that.
    ///
    /// - Returns: What was deleted in the database.
    /// - Throws: ``/PurchaseCore/DatabaseError``, ``/PurchaseStorage/SealedStoreError`` or
    ///   ``/PurchaseCore/PurchaseError``. Call it again: it deletes what is left.
    @discardableResult
    public func erase(_ account: UUIDText) async throws -> ErasedUser {
        let result = await inTurn { () async -> Result<ErasedUser, any Error> in
            func eraseFiles() async -> Result<ErasedUser, any Error> {
                await self.eraseFiles { database throws(DatabaseError) in try await database.erase(account) }
            }
            guard self.user.account?.lowercased == account.lowercased else { return await eraseFiles() }
            var result: Result<ErasedUser, any Error>?
            await self.setUser(.signedOut) {
                await self.finishDeliveries()
                result = await eraseFiles()
            }
            return result ?? .failure(CancellationError())
        }
        return try result.get()
    }

    /// Deletes everything of all users and everything that belongs to no account; an app without accounts deletes the
    /// data of its user so.
    ///
    /// The stack is stopped first, as by ``stop()``, and an account that is signed in is signed out. A digest of each
    /// granted purchase stays, so that a consumable is not granted again; see
    /// ``/PurchaseStorage/PurchaseDatabase/eraseEverything()``.
    ///
    /// The store still has the purchases: in an app without accounts, ``start()``, ``refresh()`` and the next launch
    /// record what it lists again. Until then the app shows what was loaded.
    ///
    /// - Returns: What was deleted in the database.
    /// - Throws: ``/PurchaseCore/DatabaseError``, ``/PurchaseStorage/SealedStoreError`` or
    ///   ``/PurchaseCore/PurchaseError``. Call it again: it deletes what is left.
    @discardableResult
    public func eraseEverything() async throws -> ErasedUser {
        let result = await inTurn { () async -> Result<ErasedUser, any Error> in
            if self.user.account != nil { await self.setUser(.signedOut) }
            await self.end()
            return await self.eraseFiles { database throws(DatabaseError) in try await database.eraseEverything() }
        }
        return try result.get()
    }

    /// Deletes rows of the database, and what else the files have of the users.
    private func eraseFiles(
        _ eraseRows: (PurchaseDatabase) async throws(DatabaseError) -> ErasedUser
    ) async -> Result<ErasedUser, any Error> {
        do {
            // What is not written yet could be about the users, and would be written after the deletion.
            guard await log.flush() else {
                throw DatabaseError(.busy, "the log cannot be written now, and could be about the users")
            }
            // Before the rows: if it fails, they are still there, and the next call deletes both.
            try files.removeSetAside()
            let erased = try await eraseRows(files.database)
            try await keptKeys?.removeAll(from: files.secrets)
            try await products.removeProducts()
            return .success(erased)
        } catch {
            return .failure(error)
        }
    }

    /// Deletes what an erasure has left in the files that was killed or met a process that reads them.
    private func finishErasure() async {
        do {
            try await files.database.finishErasure()
        } catch {
            monitor.log(PurchaseLogEvent(.storageFailed, detail: "an erasure is not finished: \(error)"))
        }
    }

    /// Waits until the deliveries that the service has received are processed, for twenty seconds at most: a handler of
    /// the app can wait for the erasure itself.
    private func finishDeliveries() async {
        let listener = service.listenForTransactions { _ in }
        listener.cancel()
        _ = await setup.environment.timer.answer(within: 20_000) { await listener.value }
    }

    /// Writes the log to a new file with mode 0600, as one JSON document for support; see
    /// ``/PurchaseStorage/DatabaseLog/export(to:facts:)``.
    public func exportLog(to path: String, facts: [String: String] = [:]) async throws(DatabaseError) {
        await log.flush()
        try await DatabaseLog(files.database, environment: setup.environment).export(to: path, facts: facts)
    }

    /// Makes a new key for the sealed store, and seals the database's key and the verification keys with it.
    public func rotateKey() async throws(SealedStoreError) { try await files.secrets.rotateKey() }

    /// Runs a step after all earlier ones have ended.
    private func inTurn<Value: Sendable>(_ step: @escaping @MainActor () async -> Value) async -> Value {
        let previous = lastChange
        let task = Task {
            await previous?.value
            return await step()
        }
        lastChange = Task { _ = await task.value }
        return await task.value
    }

    // MARK: Recovery

    /// Checks the whole database, and replaces it by a new one with what can be read if it is damaged.
    ///
    /// The stack does so itself at launch and when it meets a damaged row. ``recoveryLock`` then refuses purchases
    /// until the store has answered with its history, which a started stack asks for at once.
    ///
    /// - Returns: The report; nil if the database is sound.
    /// - Throws: ``/PurchaseCore/DatabaseError``, or ``/PurchaseCore/RecoveryLockError``.
    @discardableResult
    public func recover() async throws -> DatabaseRecovery? {
        let report = try await replaceIfDamaged()
        if report != nil, isStarted { await finishRecovery() }
        return report
    }

    private func replaceIfDamaged() async throws -> DatabaseRecovery? {
        let report = try await recoveryLock.run {
            [recoveryLock, database = files.database, clock = setup.environment.clock] in
            let report = try await database.recover(clock: clock)
            if report != nil { recoveryLock.hold() }
            return report
        }
        if report != nil { hasLostRecords = true }
        return report
    }

    /// Checks the database once for all damage that was found since the last check.
    private func repair() async {
        hasDamage = true
        if let runningRepair { return await runningRepair.value }
        let task = Task {
            await self.repairAll()
            self.runningRepair = nil
        }
        runningRepair = task
        await task.value
    }

    private func repairAll() async {
        do {
            while hasDamage {
                hasDamage = false
                try await recover()
                // A row that was dropped, or a file of another process, can lack what the ledger has.
                hasLostRecords = true
                await checkRecovery()
                if isStarted { await finishRecovery() }
            }
        } catch {
            monitor.log(PurchaseLogEvent(.storageFailed, detail: "the database is not recovered: \(error)"))
            // The next refresh tries again.
            hasDamage = true
        }
    }

    /// Refuses purchases if the store's history was not read for the user since a recovery.
    private func checkRecovery() async {
        let hold = recoveryLock.lastHold
        do {
            if try await unfinishedRecovery(of: user.account) != nil {
                recoveryLock.hold()
            } else {
                recoveryLock.endHolds(through: hold)
            }
        } catch {
            // The end of the recovery reads it again.
            recoveryLock.hold()
        }
    }

    /// Reads the store's history if the database was recovered and that was not done since.
    ///
    /// A call during another one reads what is left then: a recovery can have ended while the history was read.
    private func finishRecovery() async { await ends.run { await self.readHistory() }.value }

    private func readHistory() async {
        // While no account is signed in, nothing of the history could be recorded, and nothing is sold.
        guard user != .signedOut else { return }
        if hasLostRecords {
            hasLostRecords = false
            // The ledger has what it needs, so this does not wait for the store's answer.
            await flow.review()
        }
        let earlierHold = recoveryLock.lastHold
        do {
            guard let report = try await unfinishedRecovery(of: user.account) else {
                return recoveryLock.endHolds(through: earlierHold)
            }
            let finding = "\(report.finding.rawValue): \(report.detail)"
            monitor.log(PurchaseLogEvent(.databaseRecovered, detail: finding))
            // The history is read after each recovery of these.
            let hold = recoveryLock.lastHold
            try await recoveryLock.run { [service, recoveryLock, database = files.database, log = monitor] in
                let answer: (history: RestoredHistory, user: AppUser)
                do throws(StoreError) {
                    answer = try await service.readHistory()
                } catch {
                    // Another attempt would not bring the history either, and the customer could never buy again.
                    if !error.isRetryable { recoveryLock.endHolds(through: hold) }
                    throw error
                }
                let (history, user) = answer
                guard user != .signedOut else { return }
                recoveryLock.endHolds(through: hold)
                guard history.isComplete else {
                    let detail = "not all transactions of the history are recorded"
                    return log.log(PurchaseLogEvent(.storageFailed, detail: detail))
                }
                // For the other accounts it stays open until they sign in.
                try await database.finishRecovery(report, of: user.account)
            }
            await flow.review()
            await entitlements.refresh()
        } catch {
            monitor.log(PurchaseLogEvent(.storageFailed, detail: "the recovery is not finished: \(error)"))
        }
    }

    private func unfinishedRecovery(of account: UUIDText?) async throws -> DatabaseRecovery? {
        do throws(DatabaseError) {
            return try await files.database.unfinishedRecovery(of: account)
        } catch {
            guard error.code == .damaged else { throw error }
        }
        _ = try await replaceIfDamaged()
        return try await files.database.unfinishedRecovery(of: account)
    }
}

extension AppUser {
    /// The user with the account in lower case, in which accounts are compared.
    fileprivate var lowercased: AppUser { account.map { .signedIn($0.lowercased) } ?? self }
}
