internal import PurchaseCore
internal import ReceiptTypes

// How updates go to the customers that listen.
extension StoreCore {
    /// An update that comes later than it should.
    struct HeldUpdate {
        enum Until {
            case updates(Int)
            case instant(Timestamp)
        }

        let account: String
        let update: StoreUpdate
        /// The customer who has the transaction as the answer to a purchase.
        let excluded: Int?
        var until: Until
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
            try deliver(to: transaction.account, excluding: isAnswer ? customer : nil) { core throws(LocalStoreError) in
                .transaction(try core.handOut(transaction))
            }
        }
        for (offset, event) in events.enumerated() {
            guard case .subscription(let subscription) = event, lastStates[subscription.originalNumber] == offset,
                engine.state.subscriptionIndex(original: subscription.originalNumber) != nil
            else { continue }
            try deliver(to: subscription.account, excluding: nil) { core throws(LocalStoreError) in
                try core.handOut(subscription).map { .subscriptionStatus($0) }
            }
        }
    }

    private mutating func deliver(
        to account: String,
        excluding customer: Int?,
        _ make: (inout StoreCore) throws(LocalStoreError) -> StoreUpdate?
    ) throws(LocalStoreError) {
        guard hasListener(account, excluding: customer), let update = try make(&self) else { return }
        switch faults.pass(.delivery) {
        case .crash: throw die(at: .delivery)
        case .drop: return
        case .duplicate(let times):
            for _ in 0...min(max(0, times), Self.maximumCopies) { send(update, to: account, excluding: customer) }
        case .holdBack(let updates):
            held.append(
                HeldUpdate(account: account, update: update, excluded: customer, until: .updates(max(1, updates))))
            return
        case .delay(let milliseconds):
            let until = engine.state.now.adding(milliseconds: max(0, milliseconds))
            held.append(HeldUpdate(account: account, update: update, excluded: customer, until: .instant(until)))
            return
        case nil, .fail, .signUnderUnknownRoot, .flipBit: send(update, to: account, excluding: customer)
        }
        releaseHeldBack(account)
    }

    private func hasListener(_ account: String, excluding customer: Int?) -> Bool {
        streams.values.contains { $0.account.isIdentical(to: account) && $0.customer != customer }
    }

    private func send(_ update: StoreUpdate, to account: String, excluding customer: Int?) {
        for (_, stream) in streams.sorted(by: { $0.key < $1.key })
        where stream.account.isIdentical(to: account) && stream.customer != customer {
            stream.continuation.yield(update)
        }
    }

    /// One more update has gone to an account: what waited for it comes now.
    private mutating func releaseHeldBack(_ account: String) {
        var kept: [HeldUpdate] = []
        var released: [HeldUpdate] = []
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
        for update in released { send(update.update, to: update.account, excluding: update.excluded) }
    }

    /// Sends what was to wait until now.
    mutating func releaseDelayed() throws(LocalStoreError) {
        let now = engine.state.now
        let isDue: (HeldUpdate) -> Bool = { update in
            if case .instant(let instant) = update.until { instant <= now } else { false }
        }
        let due = held.filter(isDue)
        held.removeAll(where: isDue)
        for update in due { send(update.update, to: update.account, excluding: update.excluded) }
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
            guard !isDead, let update = try? handOut(transaction) else { continue }
            continuation.yield(.transaction(update))
        }
        return lastStreamNumber
    }
}
