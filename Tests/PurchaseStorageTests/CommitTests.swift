import Foundation
import LocalStore
import PurchaseCore
import PurchaseStorage
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// The commits of a purchase and of a refresh, counted in the write-ahead log that SQLite has written.
@Suite("Commits of the ledger")
struct CommitTests {
    private let files = TestDatabase()
    private let simulator: StoreSimulator
    private let database: PurchaseDatabase

    init() throws {
        simulator = try SimulatedApp.simulator()
        database = try files.open()
    }

    /// A simulator with many products that are bought once.
    private static func largeSimulator() throws -> StoreSimulator {
        let products = (0..<purchaseCount).map {
            ConfiguredProduct(id: "template.\($0)", type: .nonConsumable, price: Milliunits(990))
        }
        let state = SimulatorState(
            seed: 1, now: SimulatedApp.start, app: .init(bundleID: "com.example.app"), accounts: ["customer"])
        return StoreSimulator(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(), state: state)
    }

    /// The number of commits in the write-ahead log: each ends with a frame that has the size of the database.
    private func commits() throws -> Int {
        let log = try Data(contentsOf: URL(filePath: "\(files.path)-wal"))
        func number(_ offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (header, frameHeader) = (32, 24)
        guard log.count > header else { return 0 }
        let (frame, salt) = (frameHeader + number(8), log[16..<24])
        return stride(from: header, through: log.count - frame, by: frame).count {
            log[$0 + 8..<$0 + 16] == salt && number($0 + 4) != 0
        }
    }

    private func service(
        _ fulfiller: any PurchaseFulfilling = NoFulfilment(), in other: StoreSimulator? = nil,
        verifications: Locked<[String: Int]>? = nil
    ) -> PurchaseService {
        let simulator = other ?? simulator
        let clock: @Sendable () -> Timestamp = { simulator.state.now }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock)
        return PurchaseService(
            store: simulator.customer("customer"), ledger: DatabaseLedger(database),
            verifier: CountingVerifier(base: verifier, counts: verifications ?? Locked([:])), fulfiller: fulfiller,
            environment: PurchaseEnvironment(
                timer: StoppedTimer(), uptime: { DeviceUptime(startID: UUIDText("start"), milliseconds: 0) },
                clock: clock))
    }

    @Test("A plain purchase commits three times, and one with a fulfiller four times")
    func purchase() async throws {
        struct Coins: PurchaseFulfilling {
            func fulfil(_ order: FulfilmentOrder) async throws {}
        }
        let plain = service()
        _ = try await plain.evidence()
        var before = try commits()
        #expect(PurchaseResultMapping.outcome(of: await plain.purchase(productID: "pro.lifetime")) == .success)
        #expect(try commits() - before <= 3)
        let fulfilled = service(Coins())
        _ = try await fulfilled.evidence()
        before = try commits()
        #expect(PurchaseResultMapping.outcome(of: await fulfilled.purchase(productID: "coins")) == .success)
        #expect(try commits() - before <= 4)
    }

    @Test("A refresh in which nothing has changed commits nothing")
    func refresh() async throws {
        let service = service()
        for product in ["pro.lifetime", "pro.yearly", "coins"] { _ = await service.purchase(productID: product) }
        _ = try await service.evidence()
        let before = try commits()
        for _ in 0..<3 {
            try simulator.perform { engine in try engine.advance(byMilliseconds: 60_000) }
            _ = try await service.evidence()
            _ = await service.currentEntitlements()
            await service.resumeUnfinishedPurchases()
        }
        #expect(try commits() == before)
    }

    @Test("A launch with many purchases verifies each text at most once, and commits nothing if nothing has changed")
    func launch() async throws {
        let simulator = try Self.largeSimulator()
        try simulator.perform { engine in
            for number in 0..<Self.purchaseCount { _ = try engine.buy("template.\(number)", for: "customer") }
        }
        let restored = try await service(in: simulator).requestAllPurchaseHistory()
        #expect(restored.restored.count == Self.purchaseCount)
        _ = try await service(in: simulator).evidence()
        let before = try commits()
        let verifications = Locked<[String: Int]>([:])
        let launched = service(in: simulator, verifications: verifications)
        #expect(try await launched.evidence().transactions.count == Self.purchaseCount)
        _ = await launched.currentEntitlements()
        #expect(try await launched.requestAllPurchaseHistory().known.count == Self.purchaseCount)
        #expect(try commits() == before)
        let counts = verifications.withLock { $0 }
        #expect(counts.count == Self.purchaseCount)
        #expect(counts.values.allSatisfy { $0 == 1 })
    }

    private static let purchaseCount = 1_000
}

/// A verifier that counts how often it verifies each transaction.
private struct CountingVerifier: TransactionVerifying {
    let base: ReceiptVerifier
    let counts: Locked<[String: Int]>

    var hasLastingVerdicts: Bool { base.hasLastingVerdicts }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        counts.withLock { $0[jws, default: 0] += 1 }
        return base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        base.verifyRenewalInfo(jws, at: now)
    }
}
