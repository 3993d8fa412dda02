import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// A service with scripted answers.
actor ScriptedService: PurchaseServicing {
    private let result: PurchaseResult
    private(set) var purchases: [String] = []
    private(set) var requests: [[String]] = []
    private var failures: [StoreError] = []
    private var gate: Gate?
    private(set) var evidenceRequests = 0
    private var evidenceResult: Result<PurchaseEvidence, LedgerError> = .success(.init(transactions: []))
    private nonisolated let broadcaster = UpdateBroadcaster()
    private nonisolated let listenerCount = Locked(0)
    nonisolated var listeners: Int { listenerCount.withLock { $0 } }

    init(_ result: PurchaseResult = .success(verified: true)) {
        self.result = result
    }

    func failNext(_ error: StoreError) { failures.append(error) }
    func hold(_ gate: Gate?) { self.gate = gate }
    func setEvidence(_ result: Result<PurchaseEvidence, LedgerError>) { evidenceResult = result }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        requests.append(ids)
        await gate?.pass()
        if !failures.isEmpty { throw failures.removeFirst() }
        return ids.filter { !$0.hasPrefix("unknown") }.map { Sample.product($0) }.reversed()
    }

    func purchase(productID: String) -> PurchaseResult {
        purchases.append(productID)
        return result
    }

    nonisolated func update(_ transaction: SignedTransaction) { broadcaster.send(.transaction(transaction)) }
    nonisolated func end() { broadcaster.end() }

    nonisolated func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        let updates = broadcaster.stream()
        listenerCount.withLock { $0 += 1 }
        return Task {
            await withTaskGroup(of: Void.self) { group in
                for await _ in updates {
                    group.addTask { await handler(.unverified(.init(code: .signatureInvalid))) }
                }
            }
        }
    }

    func currentEntitlements() -> [VerificationResult<Transaction>] { [] }

    func evidence() async throws(LedgerError) -> PurchaseEvidence {
        evidenceRequests += 1
        await gate?.pass()
        return try evidenceResult.get()
    }
}
