import PurchaseCore
import ReceiptTypes

/// A mock with exactly the signatures of the source documents: untyped `throws`, and a handler that need not be
/// `@Sendable`.
struct DocumentedService: PurchaseServicing {
    struct Offline: Error {}

    var result = PurchaseResult.success(verified: true)
    var isOffline = false

    func products(for ids: [String]) async throws -> [Product] {
        if isOffline { throw Offline() }
        return ids.map { Sample.product($0) }
    }

    func purchase(productID: String) async -> PurchaseResult { result }

    func listenForTransactions(
        handler: @escaping (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> {
        Task {}
    }

    func currentEntitlements() async -> [VerificationResult<Transaction>] {
        [(try? Sample.transaction("1", "template.a")).map { .verified($0) } ?? .unverified(.init(code: .claimType))]
    }
}
