import PurchaseCore
import ReceiptTypes

/// A service with a fixed answer about what is recorded; each purchase succeeds.
struct RecordedService: PurchaseServicing {
    let found: VerifiedPurchases
    /// Each question for the recorded purchases waits at this gate.
    let gate = Gate()

    init(_ found: VerifiedPurchases) {
        self.found = found
    }

    func verifiedPurchases(of account: UUIDText?) async throws(LedgerError) -> VerifiedPurchases? {
        await gate.pass()
        return found
    }

    func products(for ids: [String]) async throws -> [Product] { ids.map { Sample.product($0) } }
    func purchase(productID: String) async -> PurchaseResult { .success(verified: true) }
    func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }

    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        Task {}
    }
}
