import PurchaseCore
import ReceiptTypes

/// A service that has a fixed answer about what its verifier has not decided; each purchase succeeds.
struct RecordedService: PurchaseServicing {
    var undecided: [UnverifiedPurchase] = []

    func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]? { undecided }
    func products(for ids: [String]) async throws -> [Product] { ids.map { Sample.product($0) } }
    func purchase(productID: String) async -> PurchaseResult { .success(verified: true) }
    func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }

    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        Task {}
    }
}
