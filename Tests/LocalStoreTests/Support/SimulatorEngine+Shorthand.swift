import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

// Short forms for tests.
extension SimulatorEngine {
    /// Buys a product and returns the transaction.
    mutating func purchase(
        _ productID: String, for account: String = "anna", _ offer: RequestedOffer? = nil
    ) throws -> StoredTransaction {
        try #require(try buy(productID, for: account, PurchaseOrder(offer: offer)).transaction)
    }

    mutating func advance(days: Int) throws { try advance(byMilliseconds: Int64(days) * SampleStore.day) }

    /// The notifications so far, as type and subtype.
    var notificationNames: [String] {
        state.notifications.map { $0.type.rawValue + ($0.subtype.map { "/\($0.rawValue)" } ?? "") }
    }

    /// The notifications after the first `count`.
    func notificationNames(after count: Int) -> [String] { Array(notificationNames.dropFirst(count)) }

    func subscription(of account: String = "anna") throws -> StoredSubscription {
        try #require(subscriptions(of: account).last)
    }

    func entitledProductIDs(_ account: String = "anna") -> [String] {
        currentEntitlements(of: account).map(\.productID)
    }

    func latestTransaction(of account: String = "anna") throws -> StoredTransaction {
        try #require(state.transaction(try subscription(of: account).latestTransactionID))
    }
}

/// Returns the code of the error that `body` throws, or nil.
func errorCode(of body: () throws -> Void) -> StoreSimulatorError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreSimulatorError)?.code
    }
}
