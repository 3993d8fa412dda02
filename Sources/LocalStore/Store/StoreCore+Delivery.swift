internal import PurchaseCore
internal import ReceiptTypes

// How updates go to the customers that listen.
extension StoreCore {
    /// An update on its way to a customer's devices.
    struct OutgoingUpdate {
        enum Until {
            case now
            case updates(Int)
            case instant(Timestamp)
        }

        let account: String
        let update: StoreUpdate
        /// The version of a transaction that comes to be seen with it.
        let seen: StoredTransaction?
        /// The customer who has the transaction as the answer to a purchase.
        let excluded: Int?
        var until = Until.now
    }

    /// The most that a plan can multiply an update.
    private static let maximumCopies = 100

    /// Delivers what a step has changed: the last version of each transaction, then of each subscription.
    mutating func deliver(_ events: [StoreEvent], by customer: Int?) throws(LocalStoreError) {
        guard !streams.isEmpty else { return }
        var lastVersions: [Int64: Int] = [:]
        var lastStates: [Int64: Int] = [:]
        for (offset, event) in events.enumerated() {
            switch event {
            case .transaction(let transaction): lastVersions[transaction.number] = offset
            case .subscription(let subscription): lastStates[subscription.originalNumber] = offset
            default: continue
            }
        }
        for (offset, event) in events.enumerated() {
            guard case .transaction(let transaction) = event, lastVersions[transaction.number] == offset else {
                continue
            }
            let isAnswer =
                transaction.reason == .purchase && !transaction.isFamilyShared
                && transaction.revocation == nil && !transaction.isUpgraded
            let excluded = isAnswer ? customer : nil
            guard hasListener(transaction.account, excluding: excluded) else { continue }
            let (signed, seen) = try handOut(transaction)
            try deliver(
                OutgoingUpdate(
                    account: transaction.account, update: .transaction(signed), seen: seen, excluded: excluded))
        }
        for (offset, event) in events.enumerated() {
            guard case .subscription(let subscription) = event, lastStates[subscription.originalNumber] == offset,
                engine.state.subscriptionIndex(original: subscription.originalNumber) != nil
            else { continue }
            guard hasListener(subscription.account, excluding: nil), let status = try handOut(subscription) else {
                continue
            }
            try deliver(
                OutgoingUpdate(
                    account: subscription.account, update: .subscriptionStatus(status), seen: nil, excluded: nil))
        }
    }

    private mutating func deliver(_ outgoing: OutgoingUpdate) throws(LocalStoreError) {
        var outgoing = outgoing
        switch faults.pass(.delivery) {
        case .crash: throw die(at: .delivery)
        case .drop: return
        case .duplicate(let times):
            for _ in 0...min(max(0, times), Self.maximumCopies) { send(outgoing) }
        case .holdBack(let updates):
            outgoing.until = .updates(max(1, updates))
            held.append(outgoing)
            return
        case .delay(let milliseconds):
            outgoing.until = .instant(engine.state.now.adding(milliseconds: max(0, milliseconds)))
            held.append(outgoing)
            return
        case nil, .fail, .signUnderUnknownRoot, .flipBit: send(outgoing)
        }
        releaseHeldBack(outgoing.account)
    }

    private func hasListener(_ account: String, excluding customer: Int?) -> Bool {
        streams.values.contains { $0.account.isIdentical(to: account) && $0.customer != customer }
    }

    private mutating func send(_ outgoing: OutgoingUpdate) {
        var isSent = false
        for (_, stream) in streams.sorted(by: { $0.key < $1.key })
        where stream.account.isIdentical(to: outgoing.account) && stream.customer != outgoing.excluded {
            stream.continuation.yield(outgoing.update)
            isSent = true
        }
        if isSent, let seen = outgoing.seen { noteSeen(seen) }
    }

    /// One more update has gone to an account: what waited for it comes now.
    private mutating func releaseHeldBack(_ account: String) {
        var kept: [OutgoingUpdate] = []
        var released: [OutgoingUpdate] = []
        for var update in held {
            if case .updates(let count) = update.until, update.account.isIdentical(to: account) {
                guard count > 1 else {
                    released.append(update)
                    continue
                }
                update.until = .updates(count - 1)
            }
            kept.append(update)
        }
        held = kept
        for update in released { send(update) }
    }

    /// Sends what was to wait until now.
    mutating func releaseDelayed() throws(LocalStoreError) {
        let now = engine.state.now
        let isDue: (OutgoingUpdate) -> Bool = { update in
            if case .instant(let instant) = update.until { instant <= now } else { false }
        }
        let due = held.filter(isDue)
        held.removeAll(where: isDue)
        for update in due { send(update) }
    }

    // MARK: Listening

    /// Opens a stream; at launch the transactions that are not finished come first.
    mutating func listen(
        _ account: String, customer: Int, isLaunch: Bool, _ continuation: AsyncStream<StoreUpdate>.Continuation
    ) -> Int? {
        guard !isDead else {
            continuation.finish()
            return nil
        }
        lastStreamNumber += 1
        streams[lastStreamNumber] = CustomerStream(account: account, customer: customer, continuation: continuation)
        guard isLaunch else { return lastStreamNumber }
        for transaction in engine.unfinishedTransactions(of: account) {
            // What cannot be signed now is still there at the next launch; after a crash nobody listens.
            guard !isDead, let (signed, seen) = try? handOut(transaction) else { continue }
            continuation.yield(.transaction(signed))
            if let seen { noteSeen(seen) }
        }
        return lastStreamNumber
    }
}
