internal import PurchaseCore
internal import ReceiptTypes

// The rules of Google Play, for the purchases that were ordered there.

/// A purchase as Google Play counts it: a subscription is one purchase with all its renewals.
struct PlaySale {
    /// The transaction that the customer ordered.
    let first: StoredTransaction
    /// The latest renewal, or the ordered transaction itself.
    var last: StoredTransaction
    /// The number of renewals.
    var renewalCount = 0

    /// The number in the purchase token.
    var tokenNumber: Int64 { first.play?.tokenNumber ?? first.number }

    /// Whether the app has acknowledged or consumed the purchase.
    ///
    /// A transaction that was not ordered in Google Play counts as acknowledged when it is finished.
    var isAcknowledged: Bool { first.play?.isAcknowledged ?? first.isFinished }
}

extension SimulatorEngine {
    // MARK: Lists

    /// Returns a customer's own purchases in the order of their first transactions; there is no family sharing.
    func playSales(of account: String) -> [PlaySale] {
        var sales: [PlaySale] = []
        var current: [Int64: Int] = [:]
        for transaction in state.transactions
        where transaction.sharedFrom == nil && transaction.account.isIdentical(to: account) {
            if transaction.reason != .purchase, let index = current[transaction.originalNumber] {
                sales[index].last = transaction
                sales[index].renewalCount += 1
            } else {
                current[transaction.originalNumber] = sales.endIndex
                sales.append(PlaySale(first: transaction, last: transaction))
            }
        }
        return sales
    }

    /// Returns the purchases that Google Play lists: what the customer owns, and the consumables that are not consumed.
    func listedPlaySales(of account: String) -> [PlaySale] {
        let entitled = Set(currentEntitlements(of: account).map(\.number))
        return playSales(of: account).filter { sale in
            entitled.contains(sale.last.number)
                || (sale.last.type == .consumable && !sale.isAcknowledged && !sale.last.isRevoked)
        }
    }

    /// Returns the purchase that a transaction belongs to.
    func playSale(of transaction: StoredTransaction) -> PlaySale {
        var sale = PlaySale(first: transaction, last: transaction)
        guard transaction.reason != .purchase, let index = state.index(of: transaction.number) else { return sale }
        for earlier in state.transactions[..<index].reversed()
        where earlier.originalNumber == transaction.originalNumber {
            sale = PlaySale(first: earlier, last: transaction, renewalCount: sale.renewalCount + 1)
            if earlier.reason == .purchase { break }
        }
        return sale
    }

    /// Returns the pending orders of a customer in Google Play.
    func pendingPlayOrders(of account: String) -> [PendingOrder] {
        state.pending.filter { $0.order.play != nil && $0.account.isIdentical(to: account) }
    }

    /// Returns a purchase token, which is unique among all stores with different seeds.
    func playToken(_ number: Int64) -> String { "local-\(state.seed)-\(number)" }

    // MARK: Orders

    /// Stores the Play part of a completed order in its transaction; a renewal that an order has caused keeps its purchase.
    mutating func recordPlayOrder(_ order: PlayOrder?, of answer: PurchaseAnswer) -> PurchaseAnswer {
        guard let order, case .bought(let transaction) = answer, transaction.reason == .purchase,
            let index = state.index(of: transaction.number)
        else { return answer }
        state.transactions[index].play = order
        return .bought(state.transactions[index])
    }

    /// Returns the listed purchase with a token if it is not acknowledged.
    func unacknowledgedPlaySale(_ token: String, of account: String) -> PlaySale? {
        listedPlaySales(of: account).first {
            !$0.isAcknowledged && playToken($0.tokenNumber).isIdentical(to: token)
        }
    }

    /// Acknowledges a purchase, and consumes it if it is a consumable.
    mutating func acknowledge(_ sale: PlaySale) {
        guard let index = state.index(of: sale.first.number) else { return }
        state.transactions[index].play?.isAcknowledged = true
        state.transactions[index].isFinished = true
    }

    // MARK: Refunds of unacknowledged purchases

    /// Refunds the purchases whose time for an acknowledgement ends until an instant, each at its end.
    mutating func refundUnacknowledgedPlayPurchases(until instant: Timestamp) throws(StoreSimulatorError) {
        while let (id, deadline) = nextPlayRefund(until: instant) {
            try processDueEvents(until: deadline)
            state.now = max(state.now, deadline)
            try refund(id)
        }
    }

    /// Returns the purchase whose time for an acknowledgement ends first, until an instant.
    func nextPlayRefund(until instant: Timestamp) -> (id: String, deadline: Timestamp)? {
        var next: (id: String, deadline: Timestamp)?
        for transaction in state.transactions {
            guard let play = transaction.play, !play.isAcknowledged, !transaction.isRevoked, !transaction.isUpgraded
            else { continue }
            let deadline = transaction.purchaseDate.adding(milliseconds: PlayFacts.acknowledgementTimeMilliseconds)
            guard deadline <= instant, next.map({ deadline < $0.deadline }) ?? true else { continue }
            next = (transaction.id, deadline)
        }
        return next
    }
}
