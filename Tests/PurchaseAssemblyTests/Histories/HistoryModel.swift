import PurchaseCore
import ReceiptTypes

/// The rules of the source document for one-time purchases, without an app and without files.
///
/// A sale belongs to the user that bought it. It is recorded, granted and sent for that user, and for no other one.
struct HistoryModel {
    /// What the device must have of a sale once its buyer is signed in and the store has answered.
    enum Record {
        /// It is recorded.
        case due
        /// It was lost with the database. It is due as long as the store has not finished it, and then delivers it
        /// again.
        case lost
        /// It was erased, and the store need not deliver it again: it can be recorded.
        case open
        /// It was granted to a user that was erased, and it is used up: it is neither recorded nor granted again.
        case erased
    }

    struct Sale {
        let id: String
        let productID: String
        let isConsumable: Bool
        let buyer: UUIDText
        var isRefunded = false
        var record = Record.due
        /// Whether the app had recorded it and handed it over.
        var isSettled = false
        /// Whether the ledger has always known what was granted for it.
        var isLedgerComplete = true
        /// Whether a database was lost that may have had it.
        var wasLost = false
    }

    private(set) var sales: [String: Sale] = [:]

    // MARK: Events

    mutating func sell(_ sale: Sale) { sales[sale.id] = sales[sale.id] ?? sale }

    mutating func refund(_ id: String) { sales[id]?.isRefunded = true }

    /// The app has everything that the store and the ledger have for a user.
    mutating func settle(_ user: UUIDText?, recorded: [Purchase]) {
        let ids = Set(recorded.map(\.id.transactionID))
        for id in sales.keys where sales[id]?.buyer == user && ids.contains(id) {
            sales[id]?.record = .due
            sales[id]?.isSettled = true
        }
    }

    /// Everything of a user is deleted. The store lists what is not used up when the user signs in again.
    mutating func erase(_ user: UUIDText) {
        for (id, sale) in sales where sale.buyer == user {
            if sale.isConsumable {
                // One that was not handed over is delivered again.
                if sale.record != .erased { sales[id]?.record = sale.isSettled ? .erased : .open }
            } else if sale.isRefunded {
                sales[id]?.record = .open
            }
            sales[id]?.isSettled = false
            sales[id]?.isLedgerComplete = false
        }
    }

    /// The database is lost. The store lists what is not used up, and delivers what is not finished.
    mutating func loseDatabase() {
        for (id, sale) in sales {
            if sale.record == .erased {
                sales[id]?.record = .open
            } else if sale.record == .due, sale.isConsumable || sale.isRefunded {
                sales[id]?.record = .lost
            }
            sales[id]?.isSettled = false
            sales[id]?.isLedgerComplete = false
            sales[id]?.wasLost = true
        }
    }

    // MARK: Rules

    /// The products that are granted to a user; nothing is granted while none is signed in.
    func granted(to user: UUIDText?) -> Set<String> {
        Set(sales.values.filter { $0.buyer == user && !$0.isConsumable && !$0.isRefunded }.map(\.productID))
    }

    /// Returns what is wrong at any time: something is recorded or granted for another user, or was erased.
    func violations(of user: UUIDText?, recorded: [Purchase], granted: Set<String>) -> [String] {
        let owned = sales.values.filter { $0.buyer == user }
        var found: [String] = []
        for purchase in recorded {
            let sale = sales[purchase.id.transactionID]
            if sale?.buyer != user || purchase.user != user || sale?.productID != purchase.productID {
                found.append("recorded for another user: \(purchase)")
            }
            if sale?.record == .erased { found.append("erased and recorded: \(purchase)") }
        }
        for product in granted where !owned.contains(where: { !$0.isConsumable && $0.productID == product }) {
            found.append("granted and not bought: \(product)")
        }
        return found
    }

    /// Returns what is missing or out of date once the store and the app's own server have answered.
    func differences(
        of user: UUIDText?, recorded: [Purchase], granted: Set<String>, coins: Int, finished: Set<String>,
        credited: [String: Int], received: [String: Purchase]
    ) -> [String] {
        var found: [String] = []
        let purchases = Dictionary(recorded.map { ($0.id.transactionID, $0) }, uniquingKeysWith: { first, _ in first })
        if purchases.count != recorded.count { found.append("recorded twice") }
        for sale in sales.values where sale.buyer == user {
            guard let purchase = purchases[sale.id] else {
                if sale.record == .due || sale.record == .lost && !finished.contains(sale.id) {
                    found.append("not recorded: \(sale)")
                }
                continue
            }
            if purchase.isRevoked != sale.isRefunded || !purchase.isVerified { found.append("outdated: \(purchase)") }
            if !purchase.isSynced || received[sale.id]?.isRevoked != sale.isRefunded {
                found.append("not sent: \(purchase)")
            }
            // A refund is taken back also if the ledger has lost the grant.
            let isCertain = sale.isLedgerComplete || sale.isRefunded
            if sale.isConsumable, isCertain, (credited[sale.id] ?? 0) != (sale.isRefunded ? 0 : 1) {
                found.append("credited \(credited[sale.id] ?? 0): \(sale)")
            }
        }
        if granted != self.granted(to: user) { found.append("granted \(granted), not \(self.granted(to: user))") }
        let paid = recorded.filter { $0.type == .consumable && !$0.isRevoked }
        // The recorder can write what it has read before the loss, and the ledger then has lost it.
        let certain = paid.count { sales[$0.id.transactionID]?.wasLost != true }
        if !(certain...paid.count).contains(coins) { found.append("coins \(coins), not \(paid.count)") }
        return found
    }
}
