internal import ReceiptTypes

/// A caller that waits.
struct Wait: Sendable, Hashable {
    let target: HandOvers.Target
    /// The purchase whose hand-over the caller is part of, because its fulfiller has called the service.
    let scope: PurchaseKey?
}

extension HandOvers {
    /// Whether the attempts to hand a purchase over have not ended.
    func isRunning(_ key: PurchaseKey) -> Bool { purchases[key]?.isRunning ?? false }

    /// The purchases with an attempt that has not ended.
    var runningPurchases: [PurchaseKey] { purchases.filter(\.value.isRunning).map(\.key) }

    mutating func begin(_ wait: Wait, _ waiter: Int, at now: Timestamp) {
        if case .attempts(let key, isBuyer: true) = wait.target { resumeForBuyer(key, at: now) }
        waits[waiter] = wait
        answer([waiter])
    }

    /// Hands a purchase over again at once that another service had claimed, because its buyer waits now.
    private mutating func resumeForBuyer(_ key: PurchaseKey, at now: Timestamp) {
        guard !isRunning(key),
            let (retryKey, retry) = retries.first(where: {
                $0.value.followsOtherService && $0.value.subject.version?.key == key
            }), case .waiting(let timer) = retry.turn, let version = retry.subject.version
        else { return }
        emit(.cancelTimer(timer))
        retries[retryKey]?.turn = .stopped
        enqueue(HandOverRequest(version: version, source: retry.source, isListedAgain: false), at: now)
    }

    /// Answers the callers that wait for the attempts of a purchase, and for its product.
    mutating func answerWaits(for key: PurchaseKey, _ productID: String) {
        answer(waits.keys.filter { waits[$0]?.concerns(key, productID) ?? false })
    }

    /// Answers the callers that wait for the purchases of a product, or of any product.
    mutating func answerWaits(forProduct productID: String?) {
        answer(waits.keys.filter { waits[$0]?.concerns(nil, productID) ?? false })
    }

    /// Answers those of some callers for which nothing is left to wait for, or that would wait for themselves.
    private mutating func answer(_ waiters: [Int]) {
        for waiter in waiters.sorted() {
            guard let wait = waits[waiter] else { continue }
            let open = openPurchases(of: wait.target)
            let answer: Bool
            if open.isEmpty {
                answer = isHandedOver(wait.target)
            } else if wait.scope.map({ isReached($0, from: open.compactMap(\.self)) }) ?? false {
                // Two fulfillers can wait for the purchases of each other, and neither wait would end.
                answer = false
            } else {
                continue
            }
            waits[waiter] = nil
            emit(.answer(waiter: waiter, answer))
        }
    }

    private func isHandedOver(_ target: Target) -> Bool {
        guard case .attempts(let key, isBuyer: _) = target else { return true }
        return !retries.values.contains { $0.subject.version?.key == key }
    }

    /// Returns the purchases that a caller waits for; nil for each delivery that is not recorded.
    private func openPurchases(of target: Target) -> [PurchaseKey?] {
        switch target {
        case .attempts(let key, isBuyer: _): return isRunning(key) ? [key] : []
        case .purchases(let product, let awaited):
            let running: [PurchaseKey?] = purchases.filter {
                $0.value.isRunning && $0.value.productID.map { ExactString($0) } == product
            }.map(\.key)
            let waiting = retries.values.filter {
                ExactString($0.subject.delivery.productID) == product && $0.isOf(user)
            }.map { $0.subject.version?.key }
            return (running + waiting).filter { awaited == nil || $0 == awaited }
        }
    }

    /// Returns whether a hand-over is one of these purchases, or is waited for by the fulfiller of one of them.
    private func isReached(_ scope: PurchaseKey, from keys: [PurchaseKey]) -> Bool {
        var reached = keys
        var seen: Set<PurchaseKey> = []
        while let key = reached.popLast() {
            if key == scope { return true }
            guard seen.insert(key).inserted else { continue }
            for wait in waits.values where wait.scope == key {
                reached += openPurchases(of: wait.target).compactMap(\.self)
            }
        }
        return false
    }
}

extension Wait {
    /// Returns whether the end of the attempts of a purchase, or a change of a product's retries, can end the wait.
    fileprivate func concerns(_ key: PurchaseKey?, _ productID: String?) -> Bool {
        switch target {
        case .attempts(let awaited, isBuyer: _): awaited == key
        case .purchases(let product, _): productID.map { ExactString($0) == product } ?? true
        }
    }
}

extension HandOver {
    /// The id of the product, by the delivery that is handed over or waits first.
    fileprivate var productID: String? {
        (attempt?.request ?? requests.first)?.version.transaction.productID
    }
}
