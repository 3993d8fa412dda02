internal import PurchaseCore
internal import ReceiptTypes

// Delivery of updates to the customers' devices.
extension SimulatorCore {
    /// An update on its way to a customer's devices.
    struct OutgoingUpdate {
        /// The event that an update waits for.
        enum Release {
            case now
            case updates(Int)
            case instant(Timestamp)
            case connection
        }

        let account: String
        let update: StoreUpdate
        /// The version of the transaction in the update; nil where its signature is invalid.
        let version: StoredTransaction?
        /// The device that receives the transaction as the answer to its purchase instead.
        let excluded: Int?
        /// Whether the update is for devices that buy in Google Play.
        var isPlay = false
        var release = Release.now
    }

    /// The maximum number of copies of an update that a plan can cause.
    private static let maximumCopies = 100

    /// Delivers the changes of a step: the last version of each transaction, then of each subscription.
    mutating func deliver(_ events: [StoreEvent], by customer: Int?) throws(StoreSimulatorError) {
        removeEndedStreams()
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
            let (signed, version) = try signForDelivery(transaction)
            try deliver(
                OutgoingUpdate(
                    account: transaction.account, update: .transaction(signed), version: version, excluded: excluded))
        }
        for (offset, event) in events.enumerated() {
            guard case .subscription(let subscription) = event, lastStates[subscription.originalNumber] == offset,
                engine.state.subscriptionIndex(original: subscription.originalNumber) != nil
            else { continue }
            guard hasListener(subscription.account, excluding: nil), let status = try signForDelivery(subscription)
            else {
                continue
            }
            try deliver(
                OutgoingUpdate(
                    account: subscription.account, update: .subscriptionStatus(status), version: nil, excluded: nil))
        }
    }

    mutating func deliver(_ outgoing: OutgoingUpdate) throws(StoreSimulatorError) {
        var outgoing = outgoing
        switch faults.action(at: .delivery) {
        case .crash: throw crash(at: .delivery)
        case .drop: return
        case .duplicate(let times):
            for _ in 0...min(max(0, times), Self.maximumCopies) { send(outgoing) }
        case .holdBack(let updates):
            outgoing.release = .updates(max(1, updates))
            heldUpdates.append(outgoing)
            return
        case .delay(let milliseconds):
            outgoing.release = .instant(engine.state.now.adding(milliseconds: max(0, milliseconds)))
            heldUpdates.append(outgoing)
            return
        case nil, .fail, .signUnderUnknownRoot, .flipBit: send(outgoing)
        }
        releaseHeldBack(outgoing.account)
    }

    /// Sends the updates of the time without a connection, in their order.
    mutating func releaseOffline() {
        let isWaiting: (OutgoingUpdate) -> Bool = { if case .connection = $0.release { true } else { false } }
        let waiting = heldUpdates.filter(isWaiting)
        heldUpdates.removeAll(where: isWaiting)
        for update in waiting { send(update) }
    }

    func hasListener(_ account: String, excluding customer: Int?, isPlay: Bool = false) -> Bool {
        streams.values.contains {
            $0.account.isIdentical(to: account) && $0.customer != customer && $0.isPlay == isPlay
                && !$0.outlet.hasEnded
        }
    }

    private mutating func send(_ outgoing: OutgoingUpdate) {
        guard isOnline else {
            var outgoing = outgoing
            outgoing.release = .connection
            heldUpdates.append(outgoing)
            return
        }
        var isSent = false
        for (_, stream) in streams.sorted(by: { $0.key < $1.key })
        where stream.account.isIdentical(to: outgoing.account) && stream.customer != outgoing.excluded
            && stream.isPlay == outgoing.isPlay && !stream.outlet.hasEnded
        {
            stream.outlet.send(outgoing.update)
            isSent = true
        }
        if isSent, let version = outgoing.version { recordDelivery(of: version) }
    }

    /// Counts a delivered update to an account, and sends the updates that waited for it.
    private mutating func releaseHeldBack(_ account: String) {
        var kept: [OutgoingUpdate] = []
        var released: [OutgoingUpdate] = []
        for var update in heldUpdates {
            if case .updates(let count) = update.release, update.account.isIdentical(to: account) {
                guard count > 1 else {
                    released.append(update)
                    continue
                }
                update.release = .updates(count - 1)
            }
            kept.append(update)
        }
        heldUpdates = kept
        for update in released { send(update) }
    }

    /// Sends the delayed updates whose time has come on the simulated clock.
    mutating func releaseDelayed() throws(StoreSimulatorError) {
        let now = engine.state.now
        let isDue: (OutgoingUpdate) -> Bool = { update in
            if case .instant(let instant) = update.release { instant <= now } else { false }
        }
        let due = heldUpdates.filter(isDue)
        heldUpdates.removeAll(where: isDue)
        for update in due { send(update) }
    }

    // MARK: Listening

    /// Opens a stream of updates; at a launch it begins with the unfinished transactions.
    mutating func listen(
        _ account: String, customer: Int, isLaunch: Bool, _ outlet: UpdateOutlet
    ) {
        open(CustomerStream(account: account, customer: customer, awaitsLaunch: isLaunch, outlet: outlet))
    }

    /// Opens a stream, or ends it if the store has crashed.
    mutating func open(_ stream: CustomerStream) {
        guard !hasCrashed else { return stream.outlet.finish() }
        removeEndedStreams()
        lastStreamNumber += 1
        streams[lastStreamNumber] = stream
        if stream.awaitsLaunch { deliverUnfinished(to: lastStreamNumber) }
    }

    private mutating func removeEndedStreams() {
        streams = streams.filter { !$0.value.outlet.hasEnded }
    }

    /// Sends what is unfinished to a device that was launched; a device without a connection receives it later.
    mutating func deliverUnfinished(to number: Int) {
        guard isOnline, let stream = streams[number] else { return }
        streams[number]?.awaitsLaunch = false
        guard !stream.isPlay else {
            for purchase in unfinishedPlayPurchases(of: stream.account) {
                // A purchase that cannot be signed now is delivered at the next launch.
                guard !hasCrashed, let signed = try? signForDelivery(purchase) else { continue }
                stream.outlet.send(.transaction(signed))
            }
            return
        }
        for transaction in engine.unfinishedTransactions(of: stream.account) {
            guard !hasCrashed, let (signed, version) = try? signForDelivery(transaction) else { continue }
            stream.outlet.send(.transaction(signed))
            if let version { recordDelivery(of: version) }
        }
    }
}
