internal import ReceiptTypes

/// The purchases in a list or a history of the store.
struct ListedPurchases: Sendable {
    private(set) var transactionIDs: [String] = []
    private var keys: Set<PurchaseKey> = []
    private var products: Set<ExactString> = []
    private var ids: Set<ExactString> = []
    private var originalIDs: Set<ExactString> = []
    /// The unsigned ids of transactions that are listed and not recorded, so nothing follows from their absence.
    private var undecided: Set<ExactString> = []
    /// Whether the verifier has not answered.
    private(set) var hasTimedOut = false

    mutating func add(_ delivery: SignedTransaction, _ outcome: Intake.Outcome) {
        switch outcome {
        case .recorded(let transaction, _):
            transactionIDs.append(transaction.id)
            keys.insert(transaction.purchaseKey)
            products.insert(ExactString(transaction.productID))
            ids.insert(ExactString(transaction.id))
            originalIDs.insert(ExactString(transaction.originalID))
        // The store has the purchase, although this signature of it is rejected: a recorded version stays in force.
        case .notRecorded: undecided.insert(ExactString(delivery.transactionID))
        case .unverified(let failure):
            undecided.insert(ExactString(delivery.transactionID))
            if failure.isTimeout { hasTimedOut = true }
        // Listed, but not recorded for this user. A purchase without an account stays visible while none is signed
        // in.
        case .conflict(let transaction, _): undecided.insert(ExactString(transaction.id))
        }
    }

    /// Returns whether the purchase itself is among the listed ones, decided or not.
    func mentions(_ transaction: Transaction) -> Bool {
        ids.contains(ExactString(transaction.id)) || undecided.contains(ExactString(transaction.id))
    }

    /// Returns whether a history has a purchase, so that the purchase is in force until its end.
    ///
    /// The history also has subscriptions that are over. If only their listing says until when they are paid, their
    /// absence from the list counts.
    func proves(_ transaction: Transaction) -> Bool {
        if transaction.hasEstimatedEnd { return false }
        return keys.contains(transaction.purchaseKey) || undecided.contains(ExactString(transaction.id))
    }

    /// Returns whether a list of current entitlements has a purchase, or a later one of the same product.
    ///
    /// A list has only the latest transaction of each product: not an earlier purchase of a non-renewing
    /// subscription, and not always both an own and a family-shared purchase.
    func includes(_ transaction: Transaction) -> Bool {
        products.contains(ExactString(transaction.productID)) || undecided.contains(ExactString(transaction.id))
    }

    /// Returns whether a list has another purchase of the same product, and not every store would list both.
    ///
    /// Of an own and a family-shared purchase, some versions of a store list only one. The other one may have been
    /// revoked, so the history is read once for it. Every store lists only the last purchase of a non-renewing
    /// subscription and the last period of a subscription.
    func mayOmit(_ transaction: Transaction) -> Bool {
        includes(transaction) && transaction.kind != .nonRenewing && !ids.contains(ExactString(transaction.id))
            && !originalIDs.contains(ExactString(transaction.originalID))
    }
}

/// What is recorded beside an answer of the store.
struct AnswerComparison: Sendable {
    /// The latest version of each recorded purchase that the answer may contain.
    let compared: [Transaction]
    let list: ListedPurchases
    /// The store's history, if it was read for the answer.
    let history: ListedPurchases
    let now: Timestamp

    /// The purchases in force that the answer lacks.
    ///
    /// The list is not signed and does not say why a purchase is missing; the history is signed.
    var missing: [Transaction] { compared.filter { $0.isCurrentEntitlement(at: now) && !isListed($0) } }

    /// The purchases in force that another one of the same product may hide in the list.
    var hidden: [Transaction] { compared.filter { $0.isCurrentEntitlement(at: now) && list.mayOmit($0) } }

    /// Returns whether the answer has a purchase.
    func isListed(_ transaction: Transaction) -> Bool { list.includes(transaction) || history.proves(transaction) }
}
