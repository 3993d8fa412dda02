internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// Selects the purchase that an operand names by its id or its product.
///
/// Without an operand the only candidate is selected. `--account` limits the candidates to one customer.
struct PurchaseSelector {
    private let state: SimulatorState
    private let customer: String?

    init(_ opened: OpenedStore) throws(UsageError) {
        state = opened.state
        customer = try opened.namedCustomer()
    }

    /// Returns a transaction; for a product, the latest one.
    func transaction(_ operand: String?) throws(UsageError) -> StoredTransaction {
        let candidates = state.transactions.filter { isSelected($0.account) }
        guard let operand else {
            guard let last = candidates.last, candidates.allSatisfy({ $0.originalID == last.originalID }) else {
                throw Self.ambiguous(candidates.count, "purchases", list: "local-store list")
            }
            return last
        }
        if let transaction = state.transaction(operand) { return transaction }
        let matches = candidates.filter { $0.productID.isIdentical(to: operand) }
        guard let last = matches.last else {
            throw Self.unknown(
                operand, noun: "purchase", products: candidates.map(\.productID), list: "local-store list")
        }
        try checkOneCustomer(matches.map(\.account), operand)
        return last
    }

    /// Returns a subscription; for a product, the one that is running, else the latest one.
    func subscription(_ operand: String?) throws(UsageError) -> StoredSubscription {
        let candidates = state.subscriptions.filter { isSelected($0.account) }
        guard let operand else {
            guard let only = candidates.first, candidates.count == 1 else {
                throw Self.ambiguous(candidates.count, "subscriptions", list: "local-store list subscriptions")
            }
            return only
        }
        if let subscription = state.subscription(operand) { return subscription }
        let matches = candidates.filter { $0.productID.isIdentical(to: operand) }
        guard let best = matches.last(where: \.isRunning) ?? matches.last else {
            throw Self.unknown(
                operand, noun: "subscription", products: candidates.map(\.productID),
                list: "local-store list subscriptions"
            )
        }
        try checkOneCustomer(matches.map(\.account), operand)
        return best
    }

    /// Returns a purchase that waits for approval or is interrupted; for a product, the first one.
    func pendingPurchase(_ operand: String?) throws(UsageError) -> PendingOrder {
        let candidates = state.pending.filter { isSelected($0.account) }
        guard let operand else {
            guard let only = candidates.first, candidates.count == 1 else {
                throw Self.ambiguous(candidates.count, "pending purchases", list: "local-store list pending")
            }
            return only
        }
        if let purchase = candidates.first(where: { $0.id.isIdentical(to: operand) }) { return purchase }
        let matches = candidates.filter { $0.productID.isIdentical(to: operand) }
        guard let first = matches.first else {
            throw Self.unknown(
                operand, noun: "pending purchase", products: candidates.map(\.productID),
                list: "local-store list pending"
            )
        }
        try checkOneCustomer(matches.map(\.account), operand)
        return first
    }

    private func isSelected(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }

    /// Throws if the matches of a product belong to several customers.
    private func checkOneCustomer(_ accounts: [String], _ product: String) throws(UsageError) {
        guard let first = accounts.first, !accounts.allSatisfy({ $0.isIdentical(to: first) }) else { return }
        throw UsageError(
            "several customers have \(Escaped(product))",
            hint: "choose one with --account, such as --account \(Escaped(first))"
        )
    }

    private static func ambiguous(_ count: Int, _ nouns: String, list: String) -> UsageError {
        count == 0
            ? UsageError("the store has no \(nouns)", hint: "see \(list)")
            : UsageError("the store has \(count) \(nouns)", hint: "name one by its id or its product; see \(list)")
    }

    private static func unknown(_ operand: String, noun: String, products: [String], list: String) -> UsageError {
        let nearest = WordSearch.nearest(to: operand, in: Array(Set(products)).sorted())
        return UsageError(
            "unknown \(noun) \(Escaped(operand).quoted)",
            hint: nearest.map { "did you mean \(Escaped($0))" } ?? "see \(list)"
        )
    }
}
