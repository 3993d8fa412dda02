import PurchaseCore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

// The code of PurchaseStorage's documentation.

private let token: [UInt8] = []
private func log(_ message: String) {}
private func show(_ message: String) {}

/// `SealedStore`
private func sealedStore() async throws {
    let keys = SealingKeyFile("/var/lib/notes/state/sealing.key")
    let store = try SealedStore(folder: "/var/lib/notes/secrets", keys: keys)
    try await store.set(token, for: "sync-token")
    let restored = try await store.value(of: "sync-token")
    print(restored ?? [])
}

/// `TheSealedStore.md`
private func theSealedStore() async throws {
    let keys = SealingKeyFile("/var/lib/notes/state/sealing.key")
    let store = try SealedStore(folder: "/var/lib/notes/secrets", keys: keys)
    try await store.reseal()  // ends a rotation that was interrupted
    try await store.set(token, for: "sync-token")
    let restored = try await store.value(of: "sync-token")
    print(restored ?? [])
}

#if !canImport(Security)
    /// `TheSealedStore.md`
    private func secretService() async throws {
        let keys = SecretServiceKeys(store: "com.example.notes")
        let secrets = try SealedStore(folder: "/home/ada/.local/share/notes/secrets", keys: keys)
        print(try await secrets.names())
    }
#else
    /// `TheSealedStore.md`
    private func keychain(folder: String) async throws {
        let keys = KeychainSealingKeys(service: "com.example.notes.secrets")
        let secrets = try SealedStore(folder: folder, keys: keys)
        print(try await secrets.names())
    }
#endif

/// `SealedKeyCacheStorage`
private func keyCacheStorage(_ store: SealedStore) async throws {
    let storage = try await store.keyCacheStorage()
    let cache = VerificationKeyCache()
    if let warning = cache.load(from: storage, sealingKey: storage.sealingKey) { log(warning.message) }
    try cache.save(to: storage, sealingKey: storage.sealingKey)
}

/// `PurchaseStorage.md`
private func databaseJournal() async throws {
    let keys = SealingKeyFile("/var/lib/notes/state/sealing.key")
    let secrets = try SealedStore(folder: "/var/lib/notes/secrets", keys: keys)
    let key = try await secrets.value(of: "database-key", orSet: PurchaseDatabase.randomKey())
    let database = try PurchaseDatabase(path: "/var/lib/notes/purchases.sqlite", key: key)
    let ledger = DatabaseLedger(database)
    print(try await ledger.entries().count)
}

/// `DamagedFiles.md`
private func recovery(
    _ path: String, _ key: [UInt8], _ makeService: (DatabaseLedger) -> any PurchaseServicing
) async throws {
    let database: PurchaseDatabase
    do {
        database = try PurchaseDatabase(path: path, key: key)
    } catch {
        guard error.code == .damaged else { throw error }
        _ = try PurchaseDatabase.recover(path: path, key: key)
        database = try PurchaseDatabase(path: path, key: key)
    }
    let service = makeService(DatabaseLedger(database))
    if let recovery = try await database.unfinishedRecovery() {
        log("\(recovery.finding.rawValue): \(recovery.detail)")
        if try await service.requestAllPurchaseHistory().notRecorded == 0 {
            try await database.finishRecovery(recovery)
        }
    }
}

/// `PurchaseStorage.md`
private func recordedPurchases(
    _ database: PurchaseDatabase, _ account: UUIDText, _ catalog: TemplatePriceCatalog
) async throws {
    let purchases = PurchaseRecords(DatabaseLedger(database), user: .signedIn(account), catalog: catalog)
    for try await owned in purchases.purchaseUpdates(unlocking: "export") {
        show(owned.isEmpty ? "locked" : "unlocked")
    }
}

/// `ObservingPurchases.md`
private func observation(
    _ database: PurchaseDatabase, _ account: UUIDText, _ store: any Store, _ verifier: ReceiptVerifier,
    _ pager: any PurchaseAlerting, _ provider: any AnalyticsSink
) async throws {
    let supportLog = SupportLog(DatabaseLog(database), environment: PurchaseEnvironment(log: ConsoleLog()))
    let monitor = PurchaseMonitor(
        alerts: pager, cases: DatabaseLog(database), environment: PurchaseEnvironment(log: supportLog))
    let environment = PurchaseEnvironment(log: monitor)
    let service = PurchaseService(
        store: store, ledger: DatabaseLedger(database), verifier: verifier, environment: environment)
    let analytics = AnalyticsDispatcher(
        queue: DatabaseAnalytics(database, user: .signedIn(account)), sink: provider, environment: environment)
    await analytics.start()

    func supportWasAsked() async throws {
        await supportLog.flush()
        try await DatabaseLog(database).export(to: "/var/lib/notes/support.json", facts: ["version": "2.1"])
    }
    func metricsWereScraped() -> (type: String, body: String) {
        (MonitorReport.openMetricsType, monitor.report().openMetrics)
    }
    _ = await service.purchase(productID: "com.example.export")
    try await supportWasAsked()
    show(metricsWereScraped().body)
}

/// `SupportLog`
private func supportLog(
    _ database: PurchaseDatabase, _ store: any Store, _ ledger: any PurchaseLedger, _ verifier: ReceiptVerifier,
    _ pager: any PurchaseAlerting
) -> PurchaseService {
    let log = SupportLog(DatabaseLog(database))
    let monitor = PurchaseMonitor(alerts: pager, environment: PurchaseEnvironment(log: log))
    let service = PurchaseService(
        store: store, ledger: ledger, verifier: verifier, environment: PurchaseEnvironment(log: monitor))
    return service
}

/// `AnalyticsDispatcher`
private func analytics(_ database: PurchaseDatabase, _ account: UUIDText, _ provider: any AnalyticsSink) async {
    let analytics = AnalyticsDispatcher(queue: DatabaseAnalytics(database, user: .signedIn(account)), sink: provider)
    await analytics.start()
}
