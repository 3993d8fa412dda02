internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// Finds the purchase that an operand means: by an id, by a product, or because there is no other.
struct Choice {
    private let state: LocalStoreState
    private let customer: String?

    init(_ opened: OpenStore) throws(UsageError) {
        state = opened.state
        customer = try opened.namedCustomer()
    }

    /// A transaction; of a product the latest one.
    func transaction(_ operand: String?) throws(UsageError) -> StoredTransaction {
        let own = state.transactions.filter { isMeant($0.account) }
        guard let operand else {
            guard let last = own.last, own.allSatisfy({ $0.originalID == last.originalID }) else {
                throw Self.unclear(own.count, of: "purchases", list: "local-store list")
            }
            return last
        }
        if let transaction = state.transaction(operand) { return transaction }
        let found = own.filter { $0.productID.isIdentical(to: operand) }
        guard let last = found.last else {
            throw Self.unknown(operand, among: own.map(\.productID), noun: "purchase", list: "local-store list")
        }
        try check(found.map(\.account), operand)
        return last
    }

    /// A subscription; by a product the one that is at it, or else was last.
    func subscription(_ operand: String?) throws(UsageError) -> StoredSubscription {
        let own = state.subscriptions.filter { isMeant($0.account) }
        guard let operand else {
            guard let only = own.first, own.count == 1 else {
                throw Self.unclear(own.count, of: "subscriptions", list: "local-store list subscriptions")
            }
            return only
        }
        if let subscription = state.subscription(operand) { return subscription }
        let found = own.filter { $0.productID.isIdentical(to: operand) }
        guard let best = found.last(where: \.isRunning) ?? found.last else {
            throw Self.unknown(
                operand, among: own.map(\.productID), noun: "subscription", list: "local-store list subscriptions"
            )
        }
        try check(found.map(\.account), operand)
        return best
    }

    /// A purchase that waits.
    func pending(_ operand: String?) throws(UsageError) -> PendingPurchase {
        let own = state.pending.filter { isMeant($0.account) }
        guard let operand else {
            guard let only = own.first, own.count == 1 else {
                throw Self.unclear(own.count, of: "waiting purchases", list: "local-store list pending")
            }
            return only
        }
        if let purchase = own.first(where: { $0.id.isIdentical(to: operand) }) { return purchase }
        let found = own.filter { $0.productID.isIdentical(to: operand) }
        guard let first = found.first else {
            throw Self.unknown(
                operand, among: own.map(\.productID), noun: "waiting purchase", list: "local-store list pending"
            )
        }
        try check(found.map(\.account), operand)
        return first
    }

    private func isMeant(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }

    /// A product alone names nothing where several customers have it.
    private func check(_ accounts: [String], _ operand: String) throws(UsageError) {
        guard let first = accounts.first, !accounts.allSatisfy({ $0.isIdentical(to: first) }) else { return }
        throw UsageError(
            "several customers have \(Escaped(operand))", hint: "name one with --account, such as \(Escaped(first))"
        )
    }

    private static func unclear(_ count: Int, of noun: String, list: String) -> UsageError {
        count == 0
            ? UsageError("there are no \(noun)", hint: "see \(list)")
            : UsageError("there are \(count) \(noun)", hint: "name one by its id or its product, see \(list)")
    }

    private static func unknown(
        _ operand: String,
        among products: [String],
        noun: String,
        list: String
    ) -> UsageError {
        let near = WordSearch.nearest(to: operand, in: Array(Set(products)).sorted())
        return UsageError(
            "there is no \(noun) \(Escaped(operand).quoted)",
            hint: near.map { "did you mean \(Escaped($0))" } ?? "see \(list)"
        )
    }
}
