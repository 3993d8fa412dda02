internal import ReceiptTypes

/// The sales that a running service has asked the store for.
///
/// A sale is awaited until the store answers, a delivery answers it, or its deadline passes; each user awaits at most
/// one. It is open until the store itself has answered, however late, because a delivery until then can be what was
/// sold. Then its answer is processed, and nothing but the answered sale knows the buyer until the ledger does.
struct Sales: Sendable {
    /// What ends the wait for a sale.
    enum Answer: Sendable {
        /// The store has answered.
        case store(Result<StorePurchase, StoreError>)
        /// The transaction has arrived another way, such as an update, before the answer.
        case delivered(Transaction)
        /// The deadline has passed.
        case nothing
    }

    /// The number of sales that the store was asked for.
    private(set) var count = 0
    private var awaited: [AppUser: SaleRequest] = [:]
    /// The sales that the store has not answered, by number.
    private var open: [Int: SaleRequest] = [:]
    /// The sales whose answers are processed, by the id of the transaction.
    private var answered: [ExactString: SaleRequest] = [:]
    /// The ids of the transactions with which the store has answered the purchases that have not returned.
    private var unreturnedIDs: Set<ExactString> = []

    // MARK: Waiting

    /// Returns the sale that a user has begun and awaits.
    func awaited(by user: AppUser) -> SaleRequest? { awaited[user] }

    /// Begins a sale, and returns it with its number.
    mutating func begin(_ request: SaleRequest) -> SaleRequest {
        count += 1
        var request = request
        request.number = count
        awaited[request.user] = request
        open[request.number] = request
        return request
    }

    /// Ends the wait for a sale, so that its user can buy again.
    mutating func endWait(for request: SaleRequest) { awaited[request.user] = nil }

    /// Returns the numbers of the awaited sales that a recorded transaction of an owner answers.
    func sales(answeredBy transaction: Transaction, from source: DeliverySource, of owner: UUIDText?) -> [Int] {
        guard source != .purchase else { return [] }
        return awaited.values.filter { $0.user.mayOwn(owner) && $0.isAnswered(by: transaction, from: source) }
            .map(\.number)
    }

    // MARK: Answers

    /// Notes the store's answer to a sale.
    ///
    /// A store also answers the purchase of one user with what another one has just bought; the first answer counts.
    mutating func noteAnswer(_ answer: Result<StorePurchase, StoreError>, to request: SaleRequest) {
        open[request.number] = nil
        guard case .success(.success(let delivery)) = answer else { return }
        let id = ExactString(delivery.transactionID)
        if answered[id] == nil { answered[id] = request }
    }

    /// Forgets the answer to a sale, which is processed.
    mutating func forgetAnswer(to request: SaleRequest) {
        answered = answered.filter { $0.value.number != request.number }
    }

    /// Notes that a purchase with this transaction has not returned to its caller, until ``noteReturn(of:)``.
    mutating func notePurchase(of delivery: SignedTransaction) {
        unreturnedIDs.insert(ExactString(delivery.transactionID))
    }

    /// Notes that the purchase with this transaction returns.
    mutating func noteReturn(of delivery: SignedTransaction) {
        unreturnedIDs.remove(ExactString(delivery.transactionID))
    }

    /// Returns whether the purchase with a transaction has not returned, so that its caller counts the sale.
    func isShared(_ transaction: Transaction) -> Bool { unreturnedIDs.contains(ExactString(transaction.id)) }

    // MARK: Buyers

    /// Returns the user to whom the store has answered with a transaction; nil if there is none.
    func buyer(ofTransaction id: String) -> AppUser? { answered[ExactString(id)]?.user }

    /// Returns the awaited sale that a transaction may answer; the present user's if there are two.
    func awaitedSale(of transaction: Transaction, from source: DeliverySource, for user: AppUser) -> SaleRequest? {
        awaited.values.filter { $0.canHaveSold(transaction, from: source) }.first(preferring: user)
    }

    /// Returns the sale that the store has not answered within the deadline and that a transaction may answer; the
    /// present user's if there are two.
    func lateSale(of transaction: Transaction, from source: DeliverySource, for user: AppUser) -> SaleRequest? {
        guard source != .purchase else { return nil }
        let numbers = Set(awaited.values.map(\.number))
        return open.values.filter {
            !numbers.contains($0.number) && $0.canHaveSoldLate(transaction, from: source)
        }.first(preferring: user)
    }

    /// Takes a transaction that has arrived another way for a sale: no other delivery is this sale too, neither at the
    /// same time nor after the deadline.
    mutating func take(_ transaction: Transaction, for sale: SaleRequest) {
        open[sale.number]?.lateID = ExactString(transaction.id)
    }
}

extension [SaleRequest] {
    /// Returns the earliest sale of a user, or else of any user.
    fileprivate func first(preferring user: AppUser) -> SaleRequest? {
        let sales = sorted { $0.number < $1.number }
        return sales.first { $0.user == user } ?? sales.first
    }
}
