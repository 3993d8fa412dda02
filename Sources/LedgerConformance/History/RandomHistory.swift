internal import PurchaseCore
internal import ReceiptTypes

/// Random transactions over a ledger and over `InMemoryLedger`.
enum RandomHistory {
    private static let length = 30

    /// Runs the histories of all seeds; a failure is reported with the shortest history that was found to show it.
    static func check(_ trial: Trial) async throws {
        for seed in trial.source.seeds {
            var source = StepSource(seed: seed, canReopen: trial.canReopen)
            let history = History(steps: (0..<length).map { _ in source.next() }, names: StepSource.names)
            guard let failure = try await history.failure(trial) else { continue }
            let (shortest, mismatch) = try await shortest(history, failure, trial)
            let lines = shortest.steps.enumerated().map { "\n    \($0 + 1). \($1.description)" }.joined()
            throw Mismatch(
                "\(mismatch.situation), with the seed \(seed), after these transactions of a new ledger:\(lines)\n ",
                expected: mismatch.expected, found: mismatch.found)
        }
    }

    /// Leaves out steps and operations that a failure does not need; from the last to the first, because fewer of the
    /// early ones are needed then.
    private static func shortest(
        _ history: History, _ failure: History.Failure, _ trial: Trial
    ) async throws -> (History, Mismatch) {
        var history = history
        var mismatch = failure.mismatch
        history.steps.removeLast(history.steps.count - failure.index - 1)
        func tryWithout(_ remove: (inout [History.Step]) -> Void) async throws {
            var shorter = history
            remove(&shorter.steps)
            guard let failure = try await shorter.failure(trial) else { return }
            shorter.steps.removeLast(shorter.steps.count - failure.index - 1)
            history = shorter
            mismatch = failure.mismatch
        }
        for index in history.steps.indices.reversed() where history.steps.indices.contains(index) {
            try await tryWithout { steps in steps.remove(at: index) }
        }
        for index in history.steps.indices.reversed() where history.steps.indices.contains(index) {
            var operation = history.steps[index].operations.count
            while operation > 0 {
                operation -= 1
                try await tryWithout { steps in
                    guard steps.indices.contains(index), steps[index].operations.indices.contains(operation)
                    else { return }
                    steps[index].operations.remove(at: operation)
                }
            }
        }
        return (history, mismatch)
    }
}

/// Makes random steps of few texts and keys, so that they meet.
private struct StepSource {
    private static let ids = ["1", "caf\u{e9}", "cafe\u{301}"]
    private static let keys: [PurchaseKey] = [
        .transaction(id: "1"), .playPurchase(token: "1"), .billingEvent(originalID: "1", webOrderLineItemID: "1"),
    ]
    private static let contents: [SignedContent] = [
        .jws("b"), .jws("c"), .play(SignedPlayPurchase(data: "d", signature: "d")),
        .appReceipt(SignedAppReceipt(base64: "e")), .jws("caf\u{e9}"), .jws("cafe\u{301}"),
    ]
    private static let purchaseIDs = ids.flatMap { [SamplePurchase.id($0), SamplePurchase.id($0, 3)] }
    /// Two of them are texts of deliveries too.
    private static let renewals = ["caf\u{e9}", "cafe\u{301}", "renewal"]
    private static let texts = contents.map { SampleDelivery($0).text }

    static let names = Snapshot.Names(
        texts: texts + ["renewal"], facts: ["x", "y"], versions: ids, purchases: keys, purchaseIDs: purchaseIDs,
        subscriptions: ids)

    private let canReopen: Bool
    private var generator: SplitMix64

    init(seed: UInt64, canReopen: Bool) {
        generator = SplitMix64(seed: seed)
        self.canReopen = canReopen
    }

    mutating func next() -> History.Step {
        let operations = (0...generator.below(4)).compactMap { _ in operation() }
        switch generator.below(8) {
        case 0 where canReopen: return History.Step(isReopening: true)
        case 1, 2: return History.Step(operations: operations, isUndone: true)
        default: return History.Step(operations: operations)
        }
    }

    private mutating func operation() -> Operation? {
        let minute = Int64(clamping: generator.below(4))
        guard let text = Self.texts.randomElement(using: &generator),
            let other = Self.texts.randomElement(using: &generator),
            let id = Self.ids.randomElement(using: &generator), let key = Self.keys.randomElement(using: &generator),
            let renewal = Self.renewals.randomElement(using: &generator)
        else { return nil }
        switch generator.below(20) {
        case 16...:
            guard let purchase = Self.purchaseIDs.randomElement(using: &generator) else { return nil }
            return .purchase(.unusual(Int(clamping: generator.below(12)), purchase, text))
        case 0..<7: return delivery(id, key, minute).map { .put($0) }
        case 7, 8: return .merge(text, into: other)
        case 9: return .delete(text)
        case 10: return .handOver(minute == 0 ? .revoked : .granted(productID: id, quantity: Int(minute)), of: key)
        case 11, 12: return .claim(key, at(minute), at(minute + 1), follows: minute > 1)
        case 13: return .deleteClaim(key)
        case 14: return .renewal(id, at(minute), renewal)
        default: return .memory(LedgerMemory(pending: [PendingPurchase(productID: id, since: at(minute))]))
        }
    }

    private mutating func delivery(_ id: String, _ key: PurchaseKey, _ minute: Int64) -> SampleDelivery? {
        guard let content = Self.contents.randomElement(using: &generator),
            let stage = DeliveryStage.allCases.randomElement(using: &generator)
        else { return nil }
        var delivery = SampleDelivery(content, stage)
        delivery.transactionID = id
        delivery.objection = minute == 0 ? "objection" : nil
        delivery.account = minute == 1 ? UUIDText(id) : nil
        if stage == .observed, minute > 1 { delivery.quarantineReason = .signatureInvalid }
        if stage >= .verified { delivery.verified = .init(versionID: id, purchase: key, facts: minute > 1 ? "x" : "y") }
        return delivery
    }
}
