internal import ReceiptTypes

/// What the ledger has for the current user, verified again.
struct LedgerContent: Sendable {
    /// The user.
    let user: AppUser
    /// The recorded transactions of the user that are verified.
    var recorded: [Transaction] = []
    /// The deliveries of other users of the app, and those that were verified and could not be recorded.
    ///
    /// They say what is owned in the store's account, which several users of the app can share.
    var others: [SignedTransaction] = []
    /// The purchases of the app itself, from the user's app receipts.
    var appPurchases: [AppPurchase] = []
    /// The purchases in app receipts of other users.
    var otherReceiptPurchases: [Transaction] = []
    /// The purchases in the user's app receipts that the store has delivered for another user, by transaction id.
    var purchasesOfOthers: Set<ExactString> = []
    /// Whether each recorded transaction is verified or rejected. One that is neither may count later.
    var isDecided = true
    /// Whether the verifier has not answered in time.
    var hasTimedOut = false

    /// Adds an app receipt of an account, and returns the purchases in it that are the user's.
    ///
    /// - Parameter accounts: The account of each purchase that the store itself has delivered, by transaction id: it
    ///   says whose the purchase is.
    mutating func add(
        _ contents: AppReceiptContents, of account: UUIDText?, beside accounts: [ExactString: UUIDText]
    ) -> [Transaction] {
        let isVisible = user.maySee(account)
        if isVisible { appPurchases.append(contents.app) }
        var own: [Transaction] = []
        for purchase in contents.purchases {
            let id = ExactString(purchase.id)
            let owner = accounts[id] ?? account
            if isVisible, user.maySee(owner) {
                if user.maySee(purchase, of: owner) { own.append(purchase) }
            } else if isVisible {
                purchasesOfOthers.insert(id)
            } else if accounts[id] == nil {
                otherReceiptPurchases.append(purchase)
            }
        }
        return own
    }
}

extension [LedgerEntry] {
    /// The account of each purchase that the store itself has delivered and that belongs to one, by transaction id.
    var accountsOfTransactions: [ExactString: UUIDText] {
        var accounts: [ExactString: UUIDText] = [:]
        for entry in self where entry.stage >= .recorded && !entry.transaction.isAppReceipt {
            if let account = entry.account { accounts[ExactString(entry.transaction.transactionID)] = account }
        }
        return accounts
    }
}

/// What the store's subscription statuses say.
struct RenewalStates: Sendable {
    /// The verified renewal infos.
    var infos: [RenewalInfo] = []
    /// Whether each renewal info is verified or rejected. One that is neither may count later.
    var isDecided = true
    /// Whether the verifier or the ledger has not answered in time, so that the remaining statuses were left out.
    var hasTimedOut = false
}

/// What the store has answered, and what is recorded after it.
struct StoreAnswer: Sendable {
    /// What the ledger has for the user.
    var content: LedgerContent
    /// The ids of the recorded transactions that the store lists as current.
    var listedTransactionIDs: [String]
    /// Whether the store has answered every question.
    var hasAnswered: Bool
    /// The renewal infos that the store has, as far as it has answered.
    var renewals = RenewalStates()
    /// Whether nothing is missing that the store has, or that is recorded.
    var isComplete: Bool { hasAnswered && content.isDecided && renewals.isDecided }
    /// Whether the verifier has not answered in time.
    var hasTimedOut = false
    /// Whether a later question was answered before, so that nothing follows from what this answer lacks.
    var isOvertaken = false

    /// Returns whether the store lists a subscription as current that is over by a clock, which is then ahead.
    func contradicts(_ now: Timestamp, _ renewalInfos: [RenewalInfo]) -> Bool {
        let listed = Set(listedTransactionIDs.map(ExactString.init))
        return content.recorded.contains { transaction in
            guard transaction.kind == .autoRenewable, listed.contains(ExactString(transaction.id)),
                let end = transaction.expiresDate, end < now
            else { return false }
            return !renewalInfos.contains {
                $0.originalTransactionID.isIdentical(to: transaction.originalID) && $0.isInGracePeriod(at: now)
            }
        }
    }
}
