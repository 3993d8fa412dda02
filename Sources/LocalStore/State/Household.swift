internal import PurchaseCore
internal import ReceiptTypes

/// Accounts that share purchases or have shared one, with their part of a state: everything that a command for one of
/// them can look at or change.
struct Household {
    private(set) var transactions: [StoredTransaction] = []
    private(set) var subscriptions: [StoredSubscription] = []
    private(set) var pending: [PendingOrder] = []

    /// Returns the households with certain numbers.
    ///
    /// - Parameter households: The number of each account's household.
    static func all(
        in state: SimulatorState, _ households: [ExactString: Int64], _ numbers: Set<Int64>
    ) -> [Int64: Household] {
        var all: [Int64: Household] = [:]
        if numbers.isEmpty { return all }
        func number(_ account: String) -> Int64? {
            households[ExactString(account)].flatMap { numbers.contains($0) ? $0 : nil }
        }
        for transaction in state.transactions {
            if let number = number(transaction.account) {
                all[number, default: Self()].transactions.append(transaction)
            }
        }
        for subscription in state.subscriptions {
            if let number = number(subscription.account) {
                all[number, default: Self()].subscriptions.append(subscription)
            }
        }
        for purchase in state.pending {
            if let number = number(purchase.account) { all[number, default: Self()].pending.append(purchase) }
        }
        return all
    }

    /// The time of the next renewal, expiration, failed payment, refund or end of the time for an approval.
    var due: Timestamp? {
        let deadlines = transactions.unacknowledgedPlaySales.map(\.deadline) + pending.compactMap(\.approvalDeadline)
        return (subscriptions.compactMap(\.due) + deadlines).min()
    }

    // MARK: Needed transactions

    /// The numbers of the transactions that the store's rules look at without being asked for their identifiers.
    ///
    /// They look at what is owned for good, at the latest transaction of each product and of each subscription and at
    /// their family-shared copies, at all of a purchase that is not acknowledged, and at offers that a customer can use
    /// only once.
    var needed: Set<Int64> {
        var needed = latestOfProducts.union(subscriptions.map(\.latestNumber))
        // All purchases of a subscription say which of its periods belong to one that is not acknowledged.
        let ordered = Set(transactions.lazy.filter { $0.play?.isAcknowledged == false }.map(\.originalNumber))
        for transaction in transactions where ordered.contains(transaction.originalNumber) {
            needed.insert(transaction.number)
        }
        return Set(transactions.lazy.filter { Self.isNeeded($0, needed) }.map(\.number))
    }

    /// The latest transaction of each product and account, which the product can name.
    private var latestOfProducts: Set<Int64> {
        struct Sale: Hashable {
            let account, product: ExactString
        }
        var latest: [Sale: Int64] = [:]
        for transaction in transactions {
            let (account, product) = (ExactString(transaction.account), ExactString(transaction.productID))
            latest[Sale(account: account, product: product)] = transaction.number
        }
        return Set(latest.values)
    }

    private static func isNeeded(_ transaction: StoredTransaction, _ needed: Set<Int64>) -> Bool {
        if needed.contains(transaction.number) { return true }
        if let source = transaction.sharedFrom, needed.contains(source) { return true }
        if transaction.type == .nonConsumable { return !transaction.isRevoked }
        guard let offer = transaction.offer else { return false }
        return offer.type == .introductory || offer.type == .code || offer.replacesIntroductoryOffer
    }

    // MARK: Numbers

    /// Returns the number of each account's household: the place of its first account.
    static func numbers(in state: SimulatorState) -> [ExactString: Int64] {
        let places = Dictionary(
            state.accounts.enumerated().map { (ExactString($1.name), $0) }, uniquingKeysWith: { first, _ in first })
        var parents = Array(state.accounts.indices)
        func root(_ place: Int) -> Int {
            var place = place
            while parents[place] != place { place = parents[place] }
            return place
        }
        func join(_ left: Int, _ right: Int) {
            let (left, right) = (root(left), root(right))
            parents[max(left, right)] = min(left, right)
        }
        func join(_ left: String, _ right: String) {
            if let left = places[ExactString(left)], let right = places[ExactString(right)] { join(left, right) }
        }
        var families: [ExactString: Int] = [:]
        for (place, account) in state.accounts.enumerated() {
            guard let family = account.family.map(ExactString.init) else { continue }
            join(place, families[family, default: place])
            families[family] = root(place)
        }
        for share in state.transactions {
            guard let source = share.sharedFrom, let owner = state.index(of: source) else { continue }
            join(share.account, state.transactions[owner].account)
        }
        for share in state.subscriptions {
            guard let source = share.sharedFrom, let owner = state.subscriptionIndex(original: source) else { continue }
            join(share.account, state.subscriptions[owner].account)
        }
        return places.mapValues { Int64(root($0)) }
    }
}
