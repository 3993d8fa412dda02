internal import PurchaseCore
internal import ReceiptTypes

/// A history of operations that runs over a journal and over the model at the same time.
struct RandomHistory {
    private static let length = 80

    /// The operations in words, and the first difference from the model.
    struct Failure {
        let operations: [Operation]
        let mismatch: Mismatch
    }

    /// Runs the histories of all seeds; a failure is reported with the shortest history that was found to show it.
    static func check(_ trial: Trial) async throws {
        for seed in trial.source.seeds {
            var source = try OperationSource(
                seed: seed, canReopen: trial.opened.reopen != nil, includesOptional: trial.source.includesOptional)
            let operations = source.operations(length)
            guard var failure = try await failure(of: operations, source.allKeys, trial) else { continue }
            // Without the operations that the failure does not need; from the last to the first, because fewer of the
            // early ones are needed then.
            for index in failure.operations.indices.dropLast().reversed() {
                var shorter = failure.operations
                guard index < shorter.count - 1 else { continue }
                shorter.remove(at: index)
                if let other = try await Self.failure(of: shorter, source.allKeys, trial) { failure = other }
            }
            let steps = failure.operations.enumerated().map { "\n    \($0 + 1). \($1.description)" }.joined()
            throw Mismatch(
                "\(failure.mismatch.situation), with the seed \(seed), after these calls on a new journal:\(steps)\n ",
                expected: failure.mismatch.expected, found: failure.mismatch.found)
        }
    }

    /// Runs operations over a new journal, and returns those up to the first difference from the model.
    private static func failure(
        of operations: [Operation], _ keys: [PurchaseKey], _ trial: Trial
    ) async throws -> Failure? {
        var run = RandomHistory(trial: try await trial.fresh(), keys: keys)
        for (index, operation) in operations.enumerated() {
            do {
                try await run.apply(operation)
            } catch let mismatch as Mismatch {
                return Failure(operations: Array(operations.prefix(index + 1)), mismatch: mismatch)
            }
        }
        return nil
    }

    private var trial: Trial
    private let keys: [PurchaseKey]
    private var model = JournalModel()
    private var claims: [FulfilmentClaim] = []

    private init(trial: Trial, keys: [PurchaseKey]) {
        self.trial = trial
        self.keys = keys
    }

    private mutating func apply(_ operation: Operation) async throws {
        let journal = trial.journal
        switch operation {
        case .observe(let delivery, let source, let minute):
            let expected = model.observe(delivery.signed, source, at(minute))
            try trial.expect(
                try await trial.observe(delivery.signed, from: source, at: at(minute)), expected, "the observed entry")
        case .verify(let delivery):
            let expected = Self.result { () throws(JournalError) in
                try model.verify(delivery.transaction, delivery.text)
            }
            let found = await Self.answer { () throws(JournalError) in
                try await journal.markVerified(delivery.transaction, signedText: delivery.text)
            }
            try Trial.compare(found, expected, "the result of markVerified")
        case .quarantine(let delivery, let code):
            let expected = Self.result { () throws(JournalError) in try model.quarantine(delivery.text, code) }
            let found = await Self.answer { () throws(JournalError) in
                try await journal.quarantine(signedText: delivery.text, because: code)
            }
            try Trial.compare(found, expected, "the result of quarantine")
        case .record(let delivery, let account):
            let expected = Self.result { () throws(JournalError) in
                try model.record(delivery.transaction, delivery.text, account)
            }
            let found = await Self.answer { () throws(JournalError) in
                try await journal.record(delivery.transaction, signedText: delivery.text, for: account)
            }
            try Trial.compare(found, expected, "the result of record")
        case .grant(let delivery, let fulfilment, let number): try await grant(delivery, fulfilment, number)
        case .finish(let delivery):
            let expected = Self.result { () throws(JournalError) in try model.finish(delivery.text) }
            let found = await Self.answer { () throws(JournalError) in
                try await journal.markFinished(signedText: delivery.text)
            }
            try Trial.compare(found, expected, "the result of markFinished")
        case .claim(let key, let minute): try await claim(key, from: at(minute), until: at(minute + 2))
        case .renew(let number, let minute):
            guard claims.indices.contains(number) else { return }
            let (claim, start, end) = (claims[number], at(minute), at(minute + 2))
            try trial.expect(
                try await trial.renew(claim, from: start, until: end), model.renew(claim, from: start, until: end),
                "the result of renew")
        case .release(let number):
            guard claims.indices.contains(number) else { return }
            model.release(claims[number])
            try await trial.release(claims[number])
        case .compact:
            model.compact()
            try await trial.compact()
        case .renewal(let sample):
            model.record(sample)
            try await trial.record(sample)
        case .memory(let productID, let account):
            let pending = PendingPurchase(productID: productID, since: at(0), account: account)
            try await update { $0.pending.append(pending) }
        case .forgetMemory: try await update { if !$0.pending.isEmpty { $0.pending.removeFirst() } }
        case .reopen: trial = try await trial.reopened()
        }
        try await compareContent()
    }

    private mutating func claim(_ key: PurchaseKey, from start: Timestamp, until end: Timestamp) async throws {
        let found = try await trial.claim(key, from: start, until: end)
        let expected = model.claim(key, from: start, until: end, number: found?.number ?? 0)
        try trial.expect(found, expected, "the result of claimFulfilment")
        guard let found else { return }
        if claims.contains(where: { $0.number == found.number }) {
            throw Mismatch(
                "the number of a new claim", expected: "a number that no other claim has", found: "\(found.number)")
        }
        claims.append(found)
    }

    /// Grants a purchase under one of its claims, which can have ended, or under a new one.
    private mutating func grant(_ delivery: Delivery, _ fulfilment: FulfilledAmount, _ number: Int) async throws {
        let needsClaim = trial.source.includesOptional
        var claim = FulfilmentClaim(key: delivery.key, number: 0, start: at(0), end: at(0))
        if needsClaim {
            var own = claims.filter { $0.key == delivery.key }
            if !own.indices.contains(number) {
                try await self.claim(delivery.key, from: at(0), until: at(0))
                own = claims.filter { $0.key == delivery.key }
            }
            // If another claim is in force, no new one was made; the last of the purchase is in force.
            guard let chosen = own.indices.contains(number) ? own[number] : own.last else { return }
            claim = chosen
        }
        let expected = Self.result { () throws(JournalError) in
            try model.grant(delivery.text, fulfilment, under: claim, needsClaim: needsClaim)
        }
        let journal = trial.journal
        let found = await Self.answer { () throws(JournalError) in
            try await journal.markGranted(signedText: delivery.text, fulfilment, under: claim)
        }
        try Trial.compare(found, expected, "the result of markGranted")
    }

    private mutating func update(_ change: @escaping @Sendable (inout JournalMemory) -> Void) async throws {
        model.updateMemory(change)
        try trial.expect(try await trial.updateMemory(change), model.memory, "the memory that a change returns")
    }

    private func compareContent() async throws {
        try await trial.expectEntries(model.rows.map(\.entry), "after the last call")
        for key in keys {
            try await trial.expectRecorded(
                key, model.rows.filter { $0.isRecorded && $0.transaction?.purchaseKey == key }.map(\.entry),
                "the recorded entries of \(key.rendering)")
            try trial.expect(
                try await trial.fulfilment(key), model.fulfilments[key], "the fulfilment of \(key.rendering)")
        }
        try trial.expect(try await trial.renewalInfos(), model.renewals.map(\.text).sorted(), "the renewal infos")
        try trial.expect(try await trial.memory(), model.memory, "the memory")
    }

    // MARK: Results as texts

    private static func result<Value>(_ body: () throws(JournalError) -> Value) -> String {
        do throws(JournalError) {
            return text(try body())
        } catch {
            return "the error \(error.code.rawValue)"
        }
    }

    private static func answer<Value>(_ body: () async throws(JournalError) -> Value) async -> String {
        do throws(JournalError) {
            return text(try await body())
        } catch {
            return "the error \(error.code.rawValue)"
        }
    }

    private static func text<Value>(_ value: Value) -> String { (value as? any Rendered)?.rendering ?? "no error" }
}
