internal import ReceiptTypes

/// The purchase whose hand-over the current task is part of, for example because the fulfiller has called the service.
enum HandOverScope {
    @TaskLocal static var key: PurchaseKey?
}

/// A purchase that was reported as not handed over.
struct ReportedPurchase: Sendable {
    let productID: String
    let transactionID: String
    let key: PurchaseKey
    /// The user for whom it is recorded.
    let user: AppUser
}

extension PurchaseService {
    /// Waits for the running attempts to hand a purchase over, and returns whether nothing is left to do.
    ///
    /// A caller that is part of the purchase's own fulfilment does not wait for itself.
    @discardableResult
    func isHandedOver(_ key: PurchaseKey) async -> Bool {
        while let handOver = handOvers[key] {
            guard beginWait(for: [key]) else { return false }
            await handOver.task.value
            endWait(for: [key])
        }
        return !retries.values.contains { $0.transaction?.purchaseKey == key }
    }

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// It waits for the last purchase of the product that was ``PendingReason/notHandedOver`` in this run, or else for
    /// all purchases of the product. It returns at once if the calling task is cancelled, and in a fulfiller for whose
    /// own order the purchase waits; the service keeps trying.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, if the ledger fails, or
    ///   if it has returned before the end.
    public func waitUntilHandedOver(productID: String) async -> Bool {
        let reported = notHandedOver.last { $0.productID.isIdentical(to: productID) && $0.user == user }
        return await waitUntilHandedOver(productID, reported?.key)
    }

    /// Waits until a purchase is handed over, as ``waitUntilHandedOver(productID:)`` does; another purchase of the
    /// product that is reported meanwhile changes nothing.
    public func waitUntilHandedOver(productID: String, transactionID: String) async -> Bool {
        guard let reported = notHandedOver.last(where: { $0.transactionID.isIdentical(to: transactionID) }) else {
            return false
        }
        return await waitUntilHandedOver(productID, reported.key)
    }

    func noteNotHandedOver(_ transaction: Transaction) {
        notHandedOver.removeAll { $0.transactionID.isIdentical(to: transaction.id) }
        notHandedOver.append(
            ReportedPurchase(
                productID: transaction.productID, transactionID: transaction.id, key: transaction.purchaseKey,
                user: user))
    }

    private func waitUntilHandedOver(_ productID: String, _ awaited: PurchaseKey?) async -> Bool {
        let product = ExactString(productID)
        while true {
            let open = openHandOvers(of: productID, awaited)
            if open.isEmpty { break }
            let keys = open.compactMap(\.self)
            guard beginWait(for: keys) else { return false }
            let observer = handOverObservers[product] ?? FirstAnswer()
            handOverObservers[product] = observer
            let ended: Void? = await observer.valueUnlessCancelled()
            endWait(for: keys)
            if ended == nil { return false }
        }
        let transactions =
            await logFailure(productID) { () throws(LedgerError) in try await recordedTransactions() } ?? []
        let purchases = transactions.latestVersions().filter { !$0.isRevoked }
        if let awaited { return purchases.contains { $0.purchaseKey == awaited } }
        return purchases.contains { $0.productID.isIdentical(to: productID) }
    }

    func tellObservers(of productID: String) async {
        await handOverObservers.removeValue(forKey: ExactString(productID))?.give(())
    }

    /// Returns the purchases of a product that are not handed over, or the awaited one if it is not; nil for each
    /// delivery that is not recorded.
    private func openHandOvers(of productID: String, _ awaited: PurchaseKey?) -> [PurchaseKey?] {
        let running = handOvers.filter { $0.value.productID.isIdentical(to: productID) }.map(\.key)
        let waiting = retries.values.filter { $0.delivery.productID.isIdentical(to: productID) && $0.isOf(user) }
            .map { $0.transaction?.purchaseKey }
        return (running + waiting).filter { awaited == nil || $0 == awaited }
    }

    // Two fulfillers can wait for the purchases of each other. The second wait would never end, so it does not begin.

    /// Notes that the hand-over that the caller is part of waits for others; returns false if one of them waits for it.
    private func beginWait(for keys: [PurchaseKey]) -> Bool {
        guard let own = HandOverScope.key else { return true }
        var reached = keys
        var seen: Set<PurchaseKey> = []
        while let key = reached.popLast() {
            if key == own { return false }
            if seen.insert(key).inserted { reached += handOverWaits[key] ?? [] }
        }
        handOverWaits[own, default: []] += keys
        return true
    }

    private func endWait(for keys: [PurchaseKey]) {
        guard let own = HandOverScope.key, var waits = handOverWaits[own] else { return }
        for key in keys {
            if let index = waits.firstIndex(of: key) { waits.remove(at: index) }
        }
        handOverWaits[own] = waits.isEmpty ? nil : waits
    }
}
