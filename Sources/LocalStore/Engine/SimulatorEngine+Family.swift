public import PurchaseCore
internal import ReceiptTypes

// Family Sharing: each member has transactions and subscriptions of its own, which follow those of the paying member.
extension SimulatorEngine {
    /// Adds an account, and lets it join a family.
    public mutating func addAccount(_ name: String, family: String? = nil) throws(StoreSimulatorError) {
        guard !name.isEmpty, state.account(name) == nil else {
            throw StoreSimulatorError(.invalidAction, "the account name \(name) is empty or already in use")
        }
        state.accounts.append(state.makeAccount(name))
        try setFamily(family, of: name)
    }

    /// Lets a customer join a family or leave it.
    ///
    /// A customer that joins shares the purchases of the other members. A customer that leaves loses these purchases,
    /// and the other members lose the customer's.
    public mutating func setFamily(_ family: String?, of name: String) throws(StoreSimulatorError) {
        _ = try account(name)
        guard let index = state.accounts.firstIndex(where: { $0.name.isIdentical(to: name) }) else { return }
        guard !Self.isSame(state.accounts[index].family, family) else { return }
        for share in state.transactions where share.sharedFrom != nil && isLatest(share) {
            let owner = share.sharedFrom.flatMap { state.index(of: $0) }.map { state.transactions[$0].account }
            if share.account.isIdentical(to: name) || owner?.isIdentical(to: name) ?? false {
                revokeShare(share.number)
            }
        }
        state.accounts[index].family = family
        guard family != nil else { return }
        for transaction in shareable(in: index) {
            guard let product = configuration.product(transaction.productID) else { continue }
            try share(transaction, of: product)
        }
    }

    /// Stops sharing a purchase, or the subscription of a transaction, with the family.
    public mutating func stopSharing(_ transactionID: String) throws(StoreSimulatorError) {
        let index = try transactionIndex(transactionID)
        let transaction = state.transactions[index]
        guard transaction.sharedFrom == nil else {
            throw StoreSimulatorError(
                .invalidAction,
                "transaction \(transactionID) is family-shared; only the paying member can stop sharing it")
        }
        var numbers = [transaction.number]
        if let place = state.subscriptionIndex(original: transaction.originalNumber) {
            state.subscriptions[place].isSharingStopped = true
            numbers = [state.subscriptions[place].latestNumber]
        } else {
            state.transactions[index].isSharingStopped = true
        }
        for share in numbers.flatMap(shares) { revokeShare(share) }
    }

    // MARK: Sharing

    /// Adds a family-shared copy of a transaction for each other member, where the product can be shared.
    mutating func share(_ transaction: StoredTransaction, of product: ConfiguredProduct) throws(StoreSimulatorError) {
        let owner = try account(transaction.account)
        let place = state.subscriptionIndex(original: transaction.originalNumber)
        guard product.isFamilyShareable, !isSharingStopped(transaction), let family = owner.family,
            product.type == .nonConsumable || product.type == .autoRenewableSubscription
        else {
            // A plan change to a product without Family Sharing ends the sharing of the old plan.
            if let place { revokeShares(ofSubscription: state.subscriptions[place].originalNumber) }
            return
        }
        for member in state.accounts where !member.name.isIdentical(to: owner.name) {
            guard Self.isSame(member.family, family) else { continue }
            try share(transaction, of: product, with: member.name, place)
        }
    }

    private mutating func share(
        _ transaction: StoredTransaction, of product: ConfiguredProduct, with member: String, _ place: Int?
    ) throws(StoreSimulatorError) {
        if let index = state.transactions.firstIndex(where: {
            $0.sharedFrom == transaction.number && $0.account.isIdentical(to: member)
        }) {
            // The member has shared the purchase before and joins again.
            restoreShare(index)
            return
        }
        let owner = place.map { state.subscriptions[$0] }
        let known = owner.flatMap { owner in
            state.subscriptions.firstIndex {
                $0.sharedFrom == owner.originalNumber && $0.account.isIdentical(to: member)
            }
        }
        let shared = try record(
            Draft(
                account: member, product: product, originalNumber: known.map { state.subscriptions[$0].originalNumber },
                originalPurchaseDate: known.map { state.subscriptions[$0].originalPurchaseDate },
                purchaseDate: transaction.purchaseDate, expiresDate: transaction.expiresDate,
                reason: transaction.reason, sharedFrom: transaction.number
            ))
        guard let owner else {
            notify(.oneTimeCharge, about: shared)
            return
        }
        if let known {
            changeSubscription(known) { subscription in
                subscription.latestNumber = shared.number
                subscription.copyStatus(from: owner)
            }
        } else {
            var subscription = StoredSubscription(
                originalNumber: shared.number, sharedFrom: owner.originalNumber, latestNumber: shared.number,
                anchor: owner.anchor, anchoredPeriods: 0, account: member, groupID: owner.groupID,
                originalPurchaseDate: shared.purchaseDate, productID: owner.productID,
                startDate: shared.purchaseDate, expiresDate: owner.expiresDate,
                renewalProductID: owner.renewalProductID, signedDate: state.now
            )
            subscription.copyStatus(from: owner)
            state.subscriptions.append(subscription)
            emit(.subscription(subscription))
            notify(.subscribed, .initialBuy, about: shared)
        }
    }

    /// Restores the family-shared copies of a transaction whose refund was reversed.
    mutating func restoreShares(of number: Int64) {
        guard let paid = state.index(of: number).map({ state.transactions[$0] }), !isSharingStopped(paid),
            let family = state.account(paid.account)?.family
        else { return }
        for share in shares(of: number) {
            guard let index = state.index(of: share), state.transactions[index].revocation?.isByRefund == true,
                Self.isSame(state.account(state.transactions[index].account)?.family, family)
            else { continue }
            restoreShare(index)
        }
    }

    private func isSharingStopped(_ transaction: StoredTransaction) -> Bool {
        guard let place = state.subscriptionIndex(original: transaction.originalNumber) else {
            return transaction.isSharingStopped
        }
        return state.subscriptions[place].isSharingStopped
    }

    private mutating func restoreShare(_ index: Int) {
        guard state.transactions[index].isRevoked else { return }
        change(index) { $0.revocation = nil }
        let share = state.transactions[index]
        guard let place = state.subscriptionIndex(original: share.originalNumber),
            state.subscriptions[place].latestNumber == share.number,
            let owner = state.subscriptions[place].sharedFrom.flatMap({ state.subscriptionIndex(original: $0) })
        else { return }
        let paid = state.subscriptions[owner]
        changeSubscription(place) { subscription in
            if paid.latestNumber == share.sharedFrom {
                subscription.copyStatus(from: paid)
            } else {
                // The paying member has changed to a plan that is not shared.
                subscription.end(.expired, because: .customerCancelled)
            }
        }
    }

    /// Copies the state of the paying member's subscription to the family-shared ones.
    mutating func updateFamilySubscriptions(following owner: StoredSubscription) {
        guard owner.sharedFrom == nil else { return }
        for index in state.subscriptions.indices {
            let subscription = state.subscriptions[index]
            // Skips copies without a transaction for the current period: sharing a new period adds one, and a member
            // that does not share the period stays unchanged.
            guard subscription.sharedFrom == owner.originalNumber, subscription.standing != .revoked,
                let latest = state.index(of: subscription.latestNumber),
                state.transactions[latest].sharedFrom == owner.latestNumber
            else { continue }
            state.subscriptions[index].copyStatus(from: owner)
            state.subscriptions[index].change(at: state.now)
            emit(.subscription(state.subscriptions[index]))
        }
    }

    // MARK: Revocation

    /// Returns the numbers of the family-shared copies of a transaction.
    func shares(of number: Int64) -> [Int64] {
        state.transactions.filter { $0.sharedFrom == number }.map(\.number)
    }

    private mutating func revokeShares(ofSubscription original: Int64) {
        for subscription in state.subscriptions where subscription.sharedFrom == original {
            revokeShare(subscription.latestNumber)
        }
    }

    mutating func revokeShare(_ number: Int64, isByRefund: Bool = false) {
        guard let index = state.index(of: number), !state.transactions[index].isRevoked else { return }
        revoke(number, because: nil, isByRefund: isByRefund)
        if let place = state.subscriptionIndex(original: state.transactions[index].originalNumber),
            state.subscriptions[place].latestNumber == number, state.subscriptions[place].standing != .revoked
        {
            changeSubscription(place) { $0.end(.revoked, because: nil) }
        }
        notify(.revoke, about: state.transactions[index])
    }

    /// Returns the transactions that a customer's family can share, the customer's own ones included.
    private func shareable(in index: Int) -> [StoredTransaction] {
        let joined = state.accounts[index]
        return state.transactions.filter { transaction in
            guard transaction.sharedFrom == nil, !transaction.isRevoked, !transaction.isUpgraded,
                let owner = state.account(transaction.account), Self.isSame(owner.family, joined.family)
            else { return false }
            guard let place = state.subscriptionIndex(original: transaction.originalNumber) else { return true }
            return isLatest(transaction) && state.subscriptions[place].isEntitled
        }
    }

    /// Returns whether no later period of the same subscription exists.
    private func isLatest(_ transaction: StoredTransaction) -> Bool {
        guard let place = state.subscriptionIndex(original: transaction.originalNumber) else { return true }
        return state.subscriptions[place].latestNumber == transaction.number
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isIdentical(to: right)
    }
}

extension StoredSubscription {
    /// Copies product, dates and renewal state from the paying member's subscription.
    fileprivate mutating func copyStatus(from owner: StoredSubscription) {
        productID = owner.productID
        renewalProductID = owner.renewalProductID
        expiresDate = owner.expiresDate
        standing = owner.standing
        willAutoRenew = owner.willAutoRenew
        gracePeriodEnd = owner.gracePeriodEnd
        billingRetryEnd = owner.billingRetryEnd
        expirationIntent = owner.expirationIntent
    }
}
