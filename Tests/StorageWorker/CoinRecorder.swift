import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Records purchases of coins in the ledger, and counts those that are handed over in a sealed store, as an app does
/// that keeps a balance there.
struct CoinRecorder {
    let ledger: DatabaseLedger
    private let secrets: SealedStore

    /// - Parameter folder: The folder of the database.
    init(_ database: PurchaseDatabase, in folder: String) throws {
        ledger = DatabaseLedger(database)
        secrets = try SealedStore(folder: "\(folder)/secrets", keys: SealingKeyFile("\(folder)/keys/sealing.key"))
    }

    /// Takes a purchase through every stage, or through those that a killed process has left.
    func record(_ transaction: Transaction, _ jws: String) async throws {
        try await ledger.takeThrough(transaction, jws) { try await count(transaction) }
    }

    /// Counts a purchase, unless it was counted last: an order that is repeated after a kill is carried out once.
    private func count(_ transaction: Transaction) async throws {
        let words = String(decoding: try await secrets.value(of: "coins") ?? [], as: UTF8.self).split(separator: " ")
        guard words.last.map(String.init) != transaction.id else { return }
        let count = words.first.flatMap { Int($0) } ?? 0
        try await secrets.set([UInt8]("\(count + 1) \(transaction.id)".utf8), for: "coins")
    }
}
