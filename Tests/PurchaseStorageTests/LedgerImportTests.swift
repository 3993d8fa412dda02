import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

@testable import PurchaseStorage

@Suite("Import of another ledger", .timeLimit(.minutes(15)))
struct LedgerImportTests {
    private let files = TestDatabase()
    private let simulator: StoreSimulator
    /// The ledger of an app before it has a database.
    private let old = InMemoryLedger()

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    private final class CoinFulfiller: PurchaseFulfilling {
        let orders = Locked<[FulfilmentOrder]>([])
        func fulfil(_ order: FulfilmentOrder) async throws { orders.withLock { $0.append(order) } }
    }

    private var verifier: ReceiptVerifier {
        let simulator = simulator
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        return ReceiptVerifier(
            policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: { simulator.state.now })
    }

    private func service(_ ledger: some PurchaseLedger, _ fulfiller: CoinFulfiller) -> PurchaseService {
        let simulator = simulator
        return PurchaseService(
            store: simulator.customer("customer"), ledger: ledger, verifier: verifier, fulfiller: fulfiller,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
    }

    private func buyAll() async throws {
        let service = service(old, CoinFulfiller())
        for productID in ["pro.yearly", "coins", "pro.lifetime"] {
            let answer = await service.purchase(productID: productID)
            guard case .success(verified: true) = answer else {
                Issue.record("the purchase of \(productID) failed: \(answer)")
                return
            }
        }
        for status in try await simulator.customer("customer").subscriptionStatuses() {
            let info = await verifier.renewalInfo(of: status.renewalInfoJWS, at: simulator.state.now)
            try await old.record(try #require(info.verifiedPayload), jws: status.renewalInfoJWS)
        }
    }

    private func ledger() throws -> DatabaseLedger { DatabaseLedger(try files.open()) }

    private func importAll(_ ledger: DatabaseLedger) async throws -> LedgerImport {
        try await ledger.importEntries(of: old, verifier: verifier, at: simulator.state.now)
    }

    @Test("Entries, fulfilments and renewal infos are copied, and nothing is handed over a second time")
    func copies() async throws {
        try await buyAll()
        let ledger = try ledger()
        let result = try await importAll(ledger)
        #expect(result.imported == 4 && result.known == 0 && result.refused.isEmpty)
        let entries = try await ledger.entries()
        #expect(try await entries == old.entries() && entries.allSatisfy { $0.stage == .finished })
        #expect(try await ledger.renewalInfos() == old.renewalInfos())
        #expect(try await ledger.memory().clock == old.memory().clock)
        for entry in entries {
            let verified = await verifier.transaction(of: entry.transaction.content, at: simulator.state.now)
            let key = try #require(verified.verifiedPayload).purchaseKey
            #expect(try await ledger.fulfilment(of: key) == old.fulfilment(of: key))
        }
        let fulfiller = CoinFulfiller()
        let next = service(ledger, fulfiller)
        await next.resumeUnfinishedPurchases()
        _ = try await next.requestAllPurchaseHistory()
        #expect(fulfiller.orders.withLock { $0.isEmpty })
        #expect(try await ledger.database.recover() == nil, "every seal is right")
    }

    @Test("A repeated import changes nothing, and one that was interrupted is completed")
    func repeated() async throws {
        try await buyAll()
        let ledger = try ledger()
        let first = try #require(await old.entries().first)
        let part = InMemoryLedger()
        _ = try await part.observe(first.transaction, from: first.source, at: first.observedAt)
        let verified = await verifier.transaction(of: first.transaction.content, at: simulator.state.now)
        let transaction = try #require(verified.verifiedPayload)
        _ = try await part.markVerified(transaction, signedText: first.transaction.signedText)
        _ = try await part.record(transaction, signedText: first.transaction.signedText, for: nil)
        let interrupted = try await ledger.importEntries(of: part, verifier: verifier, at: simulator.state.now)
        #expect(interrupted.imported == 1)
        #expect(try await ledger.entries().map(\.stage) == [.recorded])
        #expect(try await importAll(ledger).imported == 4, "one of them has a later stage")
        let entries = try await ledger.entries()
        #expect(try await entries == old.entries())
        let again = try await importAll(ledger)
        #expect(again.imported == 0 && again.known == 4)
        #expect(try await ledger.entries() == entries)
    }

    @Test("A receipt that is not verified is refused with its code, and the others are imported")
    func refused() async throws {
        try await buyAll()
        let bought = try PurchaseSample.purchase("7", "pro.lifetime")
        let forged = SignedTransaction(jws: "e30.e30.c2ln", transactionID: "7", productID: "pro.lifetime")
        _ = try await old.observe(forged, from: .purchase, at: SimulatedApp.start)
        _ = try await old.markVerified(bought.transaction, signedText: forged.signedText)
        _ = try await old.record(bought.transaction, signedText: forged.signedText, for: nil)
        let ledger = try ledger()
        let result = try await importAll(ledger)
        #expect(result.imported == 4)
        #expect(result.refused.map(\.delivery?.transactionID) == ["7"])
        #expect(result.refused.first?.failure.code.rawValue.isEmpty == false)
        #expect(try await ledger.entries().count == 3)
    }

    @Test("A purchase that belongs to another account is refused, and leaves nothing")
    func conflict() async throws {
        try await buyAll()
        let entry = try #require(await old.entries().last)
        let verified = await verifier.transaction(of: entry.transaction.content, at: simulator.state.now)
        let transaction = try #require(verified.verifiedPayload)
        let database = try files.open()
        func delivery(_ account: UUIDText) -> ImportedDelivery {
            ImportedDelivery(
                content: entry.transaction.content, source: entry.source, observedAt: entry.observedAt,
                stage: .finished, account: account)
        }
        let now = PurchaseSample.start
        let alices = delivery(PurchaseSample.alice)
        #expect(try await database.importPurchase(transaction, alices, at: now) == .imported)
        let bobs = delivery(PurchaseSample.bob)
        #expect(
            try await database.importPurchase(transaction, bobs, at: now)
                == .conflict(.belongsToAnotherAccount))
        #expect(try await PurchaseRecords(database, PurchaseSample.bob).getAllPurchases().isEmpty)
        #expect(try await DatabaseLedger(database).entries().map(\.account) == [PurchaseSample.alice])
        #expect(try await database.importPurchase(transaction, alices, at: now) == .known)
        let owned = try await PurchaseRecords(database, PurchaseSample.alice).getAllPurchases()
        #expect(owned.map(\.id) == [Purchase.ID(transaction)])
    }

    @Test(
        "A delivery that was not recorded keeps its stage and is no purchase",
        arguments: [DeliveryStage.observed, .verified]
    )
    func unrecorded(_ stage: DeliveryStage) async throws {
        try await buyAll()
        let entry = try #require(await old.entries().last)
        let verified = await verifier.transaction(of: entry.transaction.content, at: simulator.state.now)
        let transaction = try #require(verified.verifiedPayload)
        let ledger = try ledger()
        func importing(_ stage: DeliveryStage) async throws -> ImportOutcome {
            let delivery = ImportedDelivery(
                content: entry.transaction.content, source: .unfinished, observedAt: entry.observedAt, stage: stage,
                account: nil)
            return try await ledger.database.importPurchase(transaction, delivery, at: PurchaseSample.start)
        }
        #expect(try await importing(stage) == .imported)
        #expect(try await importing(stage) == .known)
        #expect(try await ledger.entries().map(\.stage) == [stage])
        #expect(try await ledger.fulfilment(of: transaction.purchaseKey) == nil)
        let purchases = PurchaseRecords(ledger.database, nil)
        #expect(try await purchases.getAllPurchases().isEmpty)
        #expect(try await importing(.finished) == .imported)
        #expect(try await importing(stage) == .known, "a stage is never taken back")
        #expect(try await ledger.entries().map(\.stage) == [.finished])
        #expect(try await purchases.getAllPurchases().count == 1)
    }

    @Test(
        "A consumable of a deleted user is not granted again in a database that has imported the tombstones [OTP-9.5]")
    func tombstones() async throws {
        let source = try files.open()
        let coins = try await source.grantCoins()
        try await source.erase(PurchaseSample.alice)
        var exported = try DatabaseInspection(path: files.path, key: TestDatabase.key).tombstones()
        #expect(exported.count == 1)
        // Another key each, and the third database has the tombstones from the second one.
        for byte: UInt8 in [8, 9] {
            let (other, key) = (TestDatabase(), [UInt8](repeating: byte, count: 32))
            let database = try other.open(key: key)
            for tombstone in exported {
                #expect(try await database.importTombstone(tombstone) == .imported)
                #expect(try await database.importTombstone(tombstone) == .known)
            }
            #expect(try await database.deliver(coins) == .conflict(.belongsToAnotherAccount))
            let amount = try await DatabaseLedger(database).fulfilment(of: coins.transaction.purchaseKey)
            #expect(amount == .granted(productID: "coins", quantity: 1))
            let purchases = PurchaseRecords(database, PurchaseSample.alice)
            #expect(try await purchases.recordPurchase(coins) == .conflict(.belongsToAnotherAccount))
            #expect(try await database.recover() == nil, "every seal is right")
            exported = try DatabaseInspection(path: other.path, key: key).tombstones()
            #expect(exported.count == 1)
        }
    }

    @Test("A tombstone that is imported takes nothing from a user that has the purchase")
    func tombstoneOfOwned() async throws {
        let source = try files.open()
        let coins = try await source.grantCoins()
        try await source.erase(PurchaseSample.alice)
        let exported = try DatabaseInspection(path: files.path, key: TestDatabase.key).tombstones()
        let other = TestDatabase()
        let database = try other.open()
        _ = try await database.grantCoins()
        for tombstone in exported { _ = try await database.importTombstone(tombstone) }
        #expect(try await database.deliver(coins) == .unchanged)
        #expect(try await PurchaseRecords(database, PurchaseSample.alice).recordPurchase(coins) == .unchanged)
    }
}
