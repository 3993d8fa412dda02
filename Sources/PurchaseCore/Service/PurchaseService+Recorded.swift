public import ReceiptTypes

extension PurchaseService {
    /// Returns the recorded transactions of an account that are verified, each with its signed content, in the order of
    /// their first delivery.
    ///
    /// The store is not asked. Several can be versions of one purchase, such as the purchase and its refund. A purchase that
    /// belongs to no account is not returned for one: it passes to an account when the store lists it for that account.
    ///
    /// - Parameter account: The account; nil for an app without accounts, or while none is signed in.
    /// - Returns: Nothing while another account is signed in.
    public func verifiedPurchases(of account: UUIDText?) async throws(JournalError) -> [VerifiedPurchase] {
        let user = user
        guard user == .noAccounts || user.account == account?.lowercased else { return [] }
        let deliveries = try await journal.entries().filter { entry in
            entry.stage >= .recorded && (user == .noAccounts || entry.account == user.account)
        }.map(\.transaction)
        return zip(deliveries, await verifyAll(deliveries)).compactMap { delivery, result in
            result.verifiedPayload.map { VerifiedPurchase($0, delivery.content) }
        }
    }
}
