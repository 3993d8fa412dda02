import LocalStore
import ReceiptTypes
import Testing

// Short words for what tests say often.
extension LocalStoreEngine {
    /// Buys and returns the transaction.
    mutating func bought(
        _ productID: String, for account: String = "anna", _ offer: RequestedOffer? = nil
    ) throws -> StoredTransaction {
        try #require(try buy(productID, for: account, PurchaseOrder(offer: offer)).transaction)
    }

    mutating func pass(days: Int) throws { try advance(by: Int64(days) * Shop.day) }

    /// The notifications so far, as type and subtype.
    var told: [String] {
        state.notifications.map { $0.type.rawValue + ($0.subtype.map { "/\($0.rawValue)" } ?? "") }
    }

    /// The notifications since a number of them.
    func told(after count: Int) -> [String] { Array(told.dropFirst(count)) }

    func subscription(of account: String = "anna") throws -> StoredSubscription {
        try #require(subscriptions(of: account).last)
    }

    func entitled(_ account: String = "anna") -> [String] { currentEntitlements(of: account).map(\.productID) }

    func latest(of account: String = "anna") throws -> StoredTransaction {
        try #require(state.transaction(try subscription(of: account).latestTransactionID))
    }
}

/// The code of the error that something throws; nil where it throws nothing.
func code(of body: () throws -> Void) -> LocalStoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? LocalStoreError)?.code
    }
}
