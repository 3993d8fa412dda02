import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import PurchaseStorage
import ReceiptTypes
import ReceiptVerification
import Testing
import TranscriptSupport

/// The facade over real files and the simulator.
@Suite("The purchase stack", .timeLimit(.minutes(15)))
@MainActor
struct PurchaseStackTests {
    private let app: TestApp
    private let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private let bob = UUIDText("11111111-c51c-4bf4-9960-e1c80e27aba0")

    init() throws {
        app = try TestApp()
    }

    private func owned(_ stack: PurchaseStack) async throws -> [String] {
        try await stack.records.getAllPurchases().map(\.productID).sorted()
    }

    /// Returns when the sealed store has verification keys, or when the time limit has cancelled the caller.
    private func waitForKeys(_ stack: PurchaseStack) async throws {
        while try await !stack.files.secrets.names().contains("verification-keys"), !Task.isCancelled {
            await Task.yield()
        }
    }

    // MARK: Launches

    @Test("What was bought is unlocked at the next launch, also while the store cannot be reached [OTP-3.4]")
    func restart() async throws {
        let first = try await app.launch()
        #expect(!first.gating.canAccessSync("export"))
        #expect(await first.flow.purchaseProduct("notes.export").outcome == .success)
        #expect(first.gating.canAccessSync("export"))
        await first.stop()
        app.simulator.isOnline = false
        let second = try await app.launch()
        #expect(second.gating.canAccessSync("export"))
        #expect(try await owned(second) == ["notes.export"])
        #expect(
            await second.products.loadProductMetadata(["notes.export"], repeating: false).products.map(\.id)
                == ["notes.export"])
    }

    @Test("Purchases that were made while the stack was stopped arrive when it is started again")
    func stopAndStart() async throws {
        let stack = try await app.launch()
        await stack.stop()
        try app.simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        #expect(try await owned(stack).isEmpty)
        await stack.start()
        #expect(stack.gating.canAccessSync("export"))
        #expect(try await owned(stack) == ["notes.export"])
    }

    @Test("The parts of the app take the places of the defaults")
    func replacedParts() async throws {
        let orders = Locked<[String]>([])
        let asked = Locked(0)
        let stack = try await app.launch { setup in
            setup.fulfiller = RecordingFulfiller(orders: orders)
            setup.confirmation = DecliningDialogue(asked: asked)
            setup.ledger = { _ in InMemoryLedger() }
        }
        #expect(await stack.flow.purchaseProduct("notes.coins").outcome == .cancelled)
        #expect(asked.withLock { $0 } == 1)
        _ = await stack.service.purchase(productID: "notes.coins")
        #expect(orders.withLock { $0 } == ["notes.coins"])
        #expect(try await DatabaseLedger(stack.files.database).entries().isEmpty)
        let files = try await PurchaseFiles(secrets: stack.files.secrets, database: stack.files.database)
        let own = PurchaseStack(try app.setup(), files: files)
        await own.start()
        #expect(try await owned(stack) == ["notes.coins"], "the records are in the ledger of the app")
        #expect(try await owned(own).isEmpty)
    }

    // MARK: Verification keys

    @Test("After a restart, receipts of a known signer are verified without validating its chain [OTP-9.3]")
    func keptKeys() async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        await first.stop()
        for rotates in [false, true] {
            if rotates { try await app.openFiles().secrets.rotateKey() }
            let cache = VerificationKeyCache()
            let verifier = ReceiptVerifier(
                policy: app.simulator.receiptVerifier.policy, trustAnchors: app.simulator.signer.trustAnchors,
                keyCache: cache, clock: app.simulator.clock)
            let stack = try await app.launch { setup in
                setup.verifier = verifier
                setup.keyCache = cache
            }
            #expect(stack.gating.canAccessSync("export"))
            #expect(cache.statistics.hits > 0 && cache.statistics.chainValidations == 0, "rotated: \(rotates)")
        }
        #expect(app.log.count(.storageFailed) == 0)
    }

    @Test("Damaged verification keys are replaced and reported, and no purchase is lost")
    func damagedKeys() async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        try await first.files.secrets.set([1, 2, 3], for: "verification-keys")
        let second = try await app.launch()
        #expect(second.gating.canAccessSync("export"))
        #expect(app.log.count(.storageFailed) == 1)
        try await second.files.secrets.set([1, 2, 3], for: "verification-keys.key")
        let third = try await app.launch()
        #expect(third.gating.canAccessSync("export"))
    }

    // MARK: Recovery

    @Test("A damaged database is recovered at launch, and the store's history is read once [OTP-3.6]")
    func damagedAtLaunch() async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        await first.stop()
        try app.damageDatabase()
        app.simulator.isOnline = false
        let second = try await app.launch()
        #expect(try await second.files.database.unfinishedRecovery() != nil, "the store has not answered")
        #expect(second.recoveryLock.isLocked)
        app.simulator.isOnline = true
        await second.refresh()
        #expect(try await second.files.database.unfinishedRecovery() == nil)
        #expect(second.gating.canAccessSync("export"))
        #expect(try await owned(second) == ["notes.export"])
        #expect(app.log.count(.databaseRecovered) == 2)
        let third = try await app.launch()
        #expect(try await owned(third) == ["notes.export"])
        #expect(app.log.count(.databaseRecovered) == 2, "the recovery is finished")
    }

    @Test("A foreign journal is set aside at launch and logged; no purchase is lost, and the next one is recorded")
    func foreignJournal() async throws {
        let stack = try await app.launch()
        for product in ["notes.export", "notes.coins"] {
            #expect(await stack.flow.purchaseProduct(product).outcome == .success)
        }
        let bought = try await stack.records.getAllPurchases()
        await stack.stop()
        let journal = "\(app.folder.databasePath)-journal"
        let result = unsafe mkfifo(journal, 0o600)
        try #require(result == 0)
        let next = try await app.launch()
        #expect(app.log.count(.fileSetAside) == 1 && app.log.count(.databaseRecovered) == 0)
        #expect(!FileManager.default.fileExists(atPath: journal))
        #expect(try await Set(next.records.getAllPurchases()) == Set(bought))
        #expect(await next.flow.purchaseProduct("notes.yearly").outcome == .success)
        await next.stop()
    }

    @Test("A database that is removed while it is open is recovered by the next refresh [OTP-3.6]")
    func removedWhileOpen() async throws {
        let stack = try await app.launch()
        _ = await stack.flow.purchaseProduct("notes.export")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: app.folder.databasePath + suffix)
        }
        await stack.refresh()
        #expect(app.log.count(.databaseRecovered) == 1)
        #expect(try await stack.files.database.unfinishedRecovery() == nil)
        #expect(try await owned(stack) == ["notes.export"])
        #expect(stack.gating.canAccessSync("export"))
    }

    @Test("Damage behind the first page is recovered without a call of the app [OTP-3.6]", arguments: tables)
    func damagedTable(_ table: String) async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        await first.stop()
        try app.damageTable(table)
        let second = try await app.launch()
        await second.refresh()
        await app.log.has(.databaseRecovered)
        await second.refresh()
        #expect(second.gating.canAccessSync("export"))
        #expect(try await owned(second) == ["notes.export"])
        #expect(await second.flow.purchaseProduct("notes.coins").outcome == .success)
    }

    private nonisolated static let tables = ["deliveries", "purchases", "signed_texts"]

    /// What the customer has, the records of it, and what the sealed store keeps.
    private struct Holdings: Equatable {
        var entitlements: Entitlements
        var records: [Purchase]
        var verificationKeys: Set<VerificationKey>
        var databaseKey: [UInt8]?
        var secrets: [String]
    }

    /// Ends a stack, which stores its verification keys, and returns what is left.
    private func end(_ stack: PurchaseStack, _ cache: VerificationKeyCache?) async throws -> Holdings {
        await stack.flow.review()
        await stack.stop()
        let secrets = stack.files.secrets
        return Holdings(
            entitlements: stack.entitlements.entitlements, records: try await stack.records.getAllPurchases(),
            verificationKeys: Set(try #require(cache).keys),
            databaseKey: try await secrets.value(of: PurchaseFolder.databaseKeyName),
            secrets: try await secrets.names())
    }

    @Test("An earlier copy of the folder is accepted, and the store's answer brings it up to date [OTP-8.3]")
    func earlierCopy() async throws {
        var cache: VerificationKeyCache?
        let first = try await app.launch { cache = $0.keyCache }
        for product in ["notes.export", "notes.coins"] {
            #expect(await first.flow.purchaseProduct(product).outcome == .success)
        }
        let export = try #require(app.simulator.state.transactions.first { $0.productID == "notes.export" })
        let earlier = try await end(first, cache)
        let (files, copy) = (FileManager.default, "\(app.path)/copy")
        try files.copyItem(atPath: app.folder.path, toPath: copy)

        await first.start()
        #expect(await first.flow.purchaseProduct("notes.yearly").outcome == .success)
        try app.simulator.perform { try $0.refund(export.id) }
        await first.refresh()
        let latest = try await end(first, cache)
        #expect(latest.records.filter(\.isRevoked).map(\.productID) == ["notes.export"])
        #expect(latest.entitlements.isPro && latest.entitlements.balances == ["notes.coins": 1])

        try files.moveItem(atPath: app.folder.path, toPath: "\(app.path)/latest")
        try files.moveItem(atPath: copy, toPath: app.folder.path)
        app.simulator.isOnline = false
        let second = try await app.launch { cache = $0.keyCache }
        #expect(second.gating.canAccessSync("export") && !second.entitlements.entitlements.isPro)
        #expect(try await second.records.getAllPurchases() == earlier.records)
        app.simulator.isOnline = true
        await second.refresh()
        #expect(try await end(second, cache) == latest)
        // Closing the database would remove the log of the one in its place.
        withExtendedLifetime(first) {}
    }

    @Test("Many damaged rows are one check of the database [OTP-3.6]")
    func damagedRows() async throws {
        let first = try await app.launch()
        for _ in 0..<10 { _ = await first.flow.purchaseProduct("notes.coins") }
        try app.change("UPDATE purchases SET product_id = 'notes.export'")
        _ = try await first.records.getAllPurchases()
        await app.log.has(.databaseRecovered)
        await first.refresh()
        #expect(app.log.count(.damagedRow) == 10)
        #expect(app.log.count(.databaseRecovered) == 1)
        #expect(try await owned(first) == Array(repeating: "notes.coins", count: 10))
    }

    @Test(
        "A history that the verifier has not decided about is read again, and the recovery stays open until then [OTP-3.6]"
    )
    func undecidedHistory() async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        await first.stop()
        try app.damageDatabase()
        let isReachable = Locked(false)
        let second = try await app.launch { setup in
            setup.verifier = ServerVerifier(base: setup.verifier, isReachable: isReachable)
        }
        #expect(try await second.files.database.unfinishedRecovery() != nil)
        #expect(try await owned(second).isEmpty && !second.gating.canAccessSync("export"))
        await second.refresh()
        #expect(try await second.files.database.unfinishedRecovery() != nil, "the store has answered, not the verifier")
        isReachable.withLock { $0 = true }
        await second.refresh()
        #expect(try await second.files.database.unfinishedRecovery() == nil)
        #expect(second.gating.canAccessSync("export"))
        #expect(try await owned(second) == ["notes.export"])
    }

    @Test("With another key the database stays as it is, and the launch fails with a typed error")
    func lostSecrets() async throws {
        let first = try await app.launch()
        _ = await first.flow.purchaseProduct("notes.export")
        let before = try Data(contentsOf: URL(fileURLWithPath: app.folder.databasePath))
        try FileManager.default.removeItem(atPath: app.folder.secretsPath)
        await #expect(throws: DatabaseError(.wrongKey, "")) { try await app.launch() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: app.folder.databasePath)) == before)
        // Closing the database would move its log into the file.
        withExtendedLifetime(first) {}
    }

    // MARK: Users

    @Test("After a change of the user, nothing of the former user is shown, recorded or sold to the next one [OTP-9.4]")
    func users() async throws {
        let stack = try await app.launch { $0.user = .signedOut }
        await stack.signIn(alice)
        let flow = stack.flow
        #expect(await flow.purchaseProduct("notes.export").outcome == .success)
        #expect(stack.gating.canAccessSync("export"))
        #expect(try await owned(stack) == ["notes.export"])

        await stack.signIn(bob)
        #expect(stack.user == .signedIn(bob))
        #expect(stack.flow !== flow)
        #expect(!stack.gating.canAccessSync("export"))
        #expect(try await owned(stack).isEmpty)
        #expect(await !flow.purchaseProduct("notes.coins").isHandedOver, "the flow of the former user")
        #expect(app.simulator.state.transactions.count == 1)

        await stack.signOut()
        #expect(stack.user == .signedOut)
        #expect(stack.records.user.account == nil)
        await stack.signIn(UUIDText(alice.rawValue.uppercased()))
        #expect(stack.gating.canAccessSync("export"))
        #expect(try await owned(stack) == ["notes.export"])
    }

    @Test("Of changes of the user that are made at once, the last one is in force, with its own records")
    func concurrentChanges() async throws {
        let stack = try await app.launch { $0.user = .signedOut }
        async let first: Void = stack.signIn(alice)
        async let second: Void = stack.signOut()
        async let third: Void = stack.signIn(bob)
        _ = await (first, second, third)
        guard case .signedIn(let account) = stack.user else { return #expect(stack.user == .signedOut) }
        #expect(stack.records.user == .signedIn(account))
        let result = await stack.flow.purchaseProduct("notes.export")
        #expect(result.outcome == .success && result.purchase?.user == account)
    }

    @Test("The app's own server receives the purchases of the user that is signed in, and of no other [OTP-3.5]")
    func synchronization() async throws {
        let server = Server()
        let stack = try await app.launch { ($0.user, $0.syncTransport) = (.signedIn(alice), server) }
        _ = await stack.flow.purchaseProduct("notes.export")
        await stack.refresh()
        #expect(try await stack.records.getAllPurchases().map(\.isSynced) == [true])
        #expect(server.received.withLock { $0 }.map(\.user) == [alice])
        let former = try #require(stack.reconciler)
        await stack.signIn(bob)
        #expect(stack.reconciler !== former)
        _ = await stack.flow.purchaseProduct("notes.coins")
        await stack.stop()
        await stack.refresh()
        #expect(Set(server.received.withLock { $0 }.map(\.productID)).subtracting(["notes.coins"]) == ["notes.export"])
        await stack.start()
        await stack.refresh()
        #expect(server.received.withLock { $0 }.last?.productID == "notes.coins")
    }

    @Test("The stack keeps its log for support, counts its stages, and delivers the events of purchases [OTP-8.6]")
    func observation() async throws {
        let sink = Sink()
        let stack = try await app.launch { $0.analyticsSink = sink }
        _ = await stack.flow.purchaseProduct("notes.export")
        _ = await stack.analytics?.deliver()
        let delivered = sink.delivered.withLock { $0 }
        #expect(delivered.contains { $0.properties["product"] == .text("notes.export") })
        #expect(stack.monitor.report().openMetrics.contains("stage=\"record\""))
        try app.damageDatabase()
        #expect(try await stack.recover() != nil)
        let path = "\(app.path)/support.json"
        try await stack.exportLog(to: path, facts: ["version": "2.1"])
        let document = try String(contentsOfFile: path, encoding: .utf8)
        #expect(document.contains("database-recovered") && document.contains("2.1"))
    }

    @Test("A change of the user on a stopped stack does not start it")
    func changeWhileStopped() async throws {
        let stack = PurchaseStack(try app.setup(), files: try await app.openFiles())
        await stack.signIn(alice)
        try app.simulator.perform { engine in _ = try engine.buy("notes.export", for: "customer") }
        #expect(try await owned(stack).isEmpty)
    }

    /// Returns the search for an account and its only purchase, with the signed texts that the files have of it.
    private func traces(of account: UUIDText, _ id: String, _ stack: PurchaseStack) async throws -> TraceSearch {
        let deliveries = try await DatabaseLedger(stack.files.database).entries().map(\.transaction)
        let delivered = deliveries.filter { $0.transactionID == id }
        #expect(!delivered.isEmpty)
        var search = TraceSearch()
        search.add(account: account.rawValue)
        search.add(id: id)
        for delivery in delivered { search.add(receipt: delivery.signedText) }
        search.add(receipt: try app.simulator.signedTransaction(id))
        return search
    }

    @Test("After an erasure the account is signed out, and no file contains its id or its receipts [OTP-9.5]")
    func erasure() async throws {
        let stack = try await app.launch { $0.user = .signedOut }
        await stack.signIn(bob)
        _ = await stack.flow.purchaseProduct("notes.yearly")
        stack.log.log(PurchaseLogEvent(.storeFailed, transactionID: "forged-1", detail: "session of bob"))
        await stack.signIn(alice)
        stack.log.log(PurchaseLogEvent(.storeFailed, transactionID: "forged-2", detail: "session of alice"))
        let bought = await stack.flow.purchaseProduct("notes.export")
        let id = try #require(bought.purchase?.id.transactionID)
        try await waitForKeys(stack)
        let search = try await traces(of: alice, id, stack)
        let readable = try search.files(in: app.folder.path)
        #expect(readable[id] != nil, "the database has the id in a readable column")

        let erased = try await stack.erase(alice)
        #expect(erased.purchases == 1 && erased.ledgerEntries >= 1)
        #expect(stack.user == .signedOut)
        let logged = try await DatabaseLog(stack.files.database, longestAge: .max).logEntries().map(\.detail)
        #expect(logged.contains("session of bob") && !logged.contains("session of alice"))
        #expect(try await owned(stack).isEmpty)
        #expect(!stack.gating.canAccessSync("export"))
        let left = try search.files(in: app.folder.path)
        #expect(left.isEmpty, "\(left)")
        #expect(try await stack.files.database.erase(alice).purchases == 0)
        await stack.signIn(bob)
        #expect(try await owned(stack) == ["notes.yearly"], "the purchases of others stay")
    }

    @Test("An app without accounts deletes everything of its user, and can be started again [OTP-9.5]")
    func eraseEverything() async throws {
        let stack = try await app.launch()
        await stack.start()
        for product in ["notes.export", "notes.coins"] {
            #expect(await stack.flow.purchaseProduct(product).outcome == .success)
        }
        _ = await stack.products.loadProductMetadata(["notes.export"])
        let ids = app.simulator.state.transactions.map(\.id)
        for id in ids { #expect(try !app.files(containing: Array(id.utf8)).isEmpty, "\(id)") }
        let erased = try await stack.eraseEverything()
        #expect(erased.purchases == 2 && erased.ledgerEntries >= 2)
        #expect(try await !stack.files.secrets.names().contains("verification-keys"))
        #expect(try await DatabaseProducts(stack.files.database).getCachedProducts().isEmpty)
        #expect(try await DatabaseLog(stack.files.database).logEntries().isEmpty)
        for id in ids {
            #expect(try app.files(containing: Array(id.utf8)).isEmpty, "\(id)")
            let jws = try app.simulator.signedTransaction(id)
            #expect(try app.files(containing: Array(jws.utf8.suffix(40))).isEmpty)
        }
        await stack.start()
        #expect(try await owned(stack) == ["notes.export"], "the store still has it, and the coins were granted")
        await stack.stop()
    }

    @Test("What the store still has of an erased account is not written until the account signs in again [OTP-9.5]")
    func listedAfterErasure() async throws {
        let stack = try await app.launch { $0.user = .signedIn(alice) }
        for product in ["notes.export", "notes.coins"] {
            #expect(await stack.flow.purchaseProduct(product).outcome == .success)
        }
        // It names no account, and belongs to the one that is signed in.
        try app.simulator.perform { engine in _ = try engine.buy("notes.yearly", for: "customer") }
        let ledger = DatabaseLedger(stack.files.database)
        while try await ledger.entries().count(where: { $0.stage == .finished }) < 3, !Task.isCancelled {
            await Task.yield()
        }
        let ids = app.simulator.state.transactions.map(\.id)
        #expect(ids.count == 3)
        try await stack.erase(alice)
        await stack.refresh()
        await stack.stop()

        let next = try await app.launch { $0.user = .signedOut }
        await next.refresh()
        #expect(try await DatabaseLedger(next.files.database).entries().isEmpty)
        for id in ids { #expect(try app.files(containing: Array(id.utf8)).isEmpty, "\(id)") }
        #expect(try await DatabaseLog(next.files.database, longestAge: .max).logEntries().isEmpty)
        await next.signIn(alice)
        await next.refresh()
        #expect(try await owned(next) == ["notes.export", "notes.yearly"], "not the coins, which were granted")
        await next.stop()
    }

    @Test("An erasure of another account leaves the one that is signed in as it is, and deletes the verification keys")
    func erasureOfAnother() async throws {
        let stack = try await app.launch { $0.user = .signedIn(alice) }
        _ = await stack.flow.purchaseProduct("notes.export")
        let flow = stack.flow
        try await waitForKeys(stack)
        try await stack.erase(bob)
        #expect(try await !stack.files.secrets.names().contains("verification-keys"))
        #expect(stack.flow === flow && stack.user == .signedIn(alice))
        #expect(try await owned(stack) == ["notes.export"])
    }
}

private struct Server: SyncTransport {
    let received = Locked<[Purchase]>([])

    func send(_ submission: PurchaseSubmission) async throws(SyncError) {
        received.withLock { $0.append(submission.purchase) }
    }
}

/// A verifier that asks a server, which does not always answer.
private struct ServerVerifier: TransactionVerifying {
    let base: any TransactionVerifying
    let isReachable: Locked<Bool>

    var hasLastingVerdicts: Bool { false }

    private var timeout: VerificationFailure? {
        isReachable.withLock { $0 } ? nil : VerificationFailure(code: .verificationTimedOut)
    }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        if let timeout { return .unverified(timeout) }
        return await base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        if let timeout { return .unverified(timeout) }
        return await base.verifyRenewalInfo(jws, at: now)
    }
}

private struct Sink: AnalyticsSink {
    let delivered = Locked<[AnalyticsEvent]>([])

    func deliver(_ events: [AnalyticsEvent]) async throws { delivered.withLock { $0 += events } }
}

private struct RecordingFulfiller: PurchaseFulfilling {
    let orders: Locked<[String]>

    func fulfil(_ order: FulfilmentOrder) async throws {
        orders.withLock { $0.append(order.transaction.productID) }
    }
}

private struct DecliningDialogue: PurchaseConfirming {
    let asked: Locked<Int>

    nonisolated init(asked: Locked<Int>) {
        self.asked = asked
    }

    func confirm(_ proposal: PurchaseProposal) async -> Bool {
        asked.withLock { $0 += 1 }
        return false
    }
}
