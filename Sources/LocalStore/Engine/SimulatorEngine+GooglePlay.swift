internal import PurchaseCore
internal import ReceiptTypes

// The rules of Google Play, for the purchases that were ordered there.

/// A purchase as Google Play counts it: a subscription is one purchase with all its renewals.
struct PlaySale {
    /// The transaction that the customer ordered, or the period in which the purchase has replaced another one.
    let first: StoredTransaction
    /// The latest renewal, or the first transaction itself.
    var last: StoredTransaction
    /// The number of renewals.
    var renewalCount = 0
    /// The replacement that the purchase is; nil for one that the customer ordered without a planned change.
    let replacement: PlayReplacement?
    /// Whether another purchase replaces this one.
    var isReplaced = false

    /// Creates the purchase of an ordered transaction.
    init(order transaction: StoredTransaction) {
        (first, last, replacement) = (transaction, transaction, nil)
    }

    /// Creates the purchase that replaces another one in the period of a transaction; nil if none does.
    init?(replacementIn transaction: StoredTransaction) {
        guard let replacement = transaction.playReplacement else { return nil }
        (first, last, self.replacement) = (transaction, transaction, replacement)
    }

    /// The number in the purchase token.
    var tokenNumber: Int64 { replacement?.tokenNumber ?? first.play?.tokenNumber ?? first.number }

    /// The time of the purchase.
    var date: Timestamp { replacement?.date ?? first.purchaseDate }

    /// The obfuscated id of the profile within the app's account.
    var obfuscatedProfileID: String? {
        replacement == nil ? first.play?.obfuscatedProfileID : replacement?.obfuscatedProfileID
    }

    /// Whether the app has acknowledged or consumed the purchase.
    ///
    /// A transaction that was not ordered in Google Play counts as acknowledged when it is finished.
    var isAcknowledged: Bool { replacement?.isAcknowledged ?? first.play?.isAcknowledged ?? first.isFinished }
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
                sales.append(PlaySale(order: transaction))
            }
            if let replacement = PlaySale(replacementIn: transaction) {
                if let index = current[transaction.originalNumber] { sales[index].isReplaced = true }
                current[transaction.originalNumber] = sales.endIndex
                sales.append(replacement)
            }
        }
        return sales
    }

    /// Returns the purchases that Google Play lists: what the customer owns, and the consumables that are not consumed.
    func listedPlaySales(of account: String) -> [PlaySale] {
        let entitled = Set(currentEntitlements(of: account).map(\.number))
        return playSales(of: account).filter { sale in
            guard !sale.isReplaced else { return false }
            return entitled.contains(sale.last.number)
                || (sale.last.type == .consumable && !sale.isAcknowledged && !sale.last.isRevoked)
        }
    }

    /// Returns the purchase that a transaction belongs to.
    func playSale(of transaction: StoredTransaction) -> PlaySale {
        if let replacement = PlaySale(replacementIn: transaction) { return replacement }
        var sale = PlaySale(order: transaction)
        guard transaction.reason != .purchase, let index = state.index(of: transaction.number) else { return sale }
        var renewalCount = 0
        for earlier in state.transactions[..<index].reversed()
        where earlier.originalNumber == transaction.originalNumber {
            renewalCount += 1
            let replacement = PlaySale(replacementIn: earlier)
            sale = replacement ?? PlaySale(order: earlier)
            if replacement != nil || earlier.reason == .purchase { break }
        }
        sale.last = transaction
        sale.renewalCount = renewalCount
        return sale
    }

    /// Returns the pending orders of a customer in Google Play.
    func pendingPlayOrders(of account: String) -> [PendingOrder] {
        state.pending.filter { $0.order.play != nil && $0.account.isIdentical(to: account) }
    }

    /// Returns a purchase token, which is unique among all stores with different seeds.
    func playToken(_ number: Int64) -> String { "local-\(state.seed)-\(number)" }

    // MARK: Orders

    /// Stores the Play part of a completed order in its transaction; a renewal that an order has caused keeps its
    /// purchase.
    ///
    /// A change with the next renewal is a purchase with a token of its own, which replaces the present one.
    mutating func recordPlayOrder(
        _ order: PlayOrder?, of answer: PurchaseAnswer
    ) throws(StoreSimulatorError) -> PurchaseAnswer {
        guard let order else { return answer }
        switch answer {
        case .bought(let transaction) where transaction.reason == .purchase:
            guard let index = state.index(of: transaction.number) else { return answer }
            state.transactions[index].play = order
            return .bought(state.transactions[index])
        case .planChanged(let transaction):
            let token = if let number = order.tokenNumber { number } else { try nextNumber() }
            guard let index = state.index(of: transaction.number) else { return answer }
            state.transactions[index].playReplacement = PlayReplacement(
                tokenNumber: token, date: state.now, obfuscatedProfileID: order.obfuscatedProfileID)
            return .planChanged(state.transactions[index])
        case .bought, .owned, .awaitingApproval, .interrupted: return answer
        }
    }

    /// Returns the Play part of an order that changes the plan of a subscription; nil if it was not ordered in Google
    /// Play.
    func playOrder(changing transaction: StoredTransaction) -> PlayOrder? {
        let sale = playSale(of: transaction)
        guard sale.first.play != nil || sale.replacement != nil else { return nil }
        return PlayOrder(obfuscatedProfileID: sale.obfuscatedProfileID)
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
        guard sale.replacement == nil else {
            state.transactions[index].playReplacement?.isAcknowledged = true
            return
        }
        state.transactions[index].play?.isAcknowledged = true
        state.transactions[index].isFinished = true
    }

    // MARK: Refunds of unacknowledged purchases

    /// Refunds the purchases whose time for an acknowledgement ends until an instant, each at its end.
    ///
    /// A subscription is one purchase with all its periods, and ends with the refund.
    mutating func refundUnacknowledgedPlayPurchases(until instant: Timestamp) throws(StoreSimulatorError) {
        while let deadline = nextPlayRefund?.deadline, deadline <= instant {
            try processDueEvents(until: deadline)
            state.now = max(state.now, deadline)
            // Asked again, because renewals that were due have added periods.
            for period in nextPlayRefund?.periods ?? [] { try refund(period.id) }
        }
    }

    /// The purchase whose time for an acknowledgement ends first; nil if there is none.
    var nextPlayRefund: UnacknowledgedPlaySale? {
        state.transactions.unacknowledgedPlaySales.min { $0.deadline < $1.deadline }
    }
}
