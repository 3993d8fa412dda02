internal import PurchaseCore
internal import ReceiptTypes

/// The rules of calls that run at the same time, over one journal or over two with the same storage.
enum ParallelRules {
    static let all =
        [
            Check(
                "parallel-deliveries", "calls in parallel lose no delivery and make no second entry of a text"
            ) { try await deliveries([$0]) },
            Check(
                "parallel-record", "of many calls that record a transaction, one inserts it, for one account"
            ) { try await record([$0]) },
            Check(
                "parallel-facts", "signatures of the same facts that are verified in parallel leave one entry"
            ) { try await facts([$0]) },
            Check(
                "parallel-claims", "of many services that claim a purchase at once, one gets the claim",
            ) { try await claims([$0]) },
            Check(
                "parallel-memory", "changes of the memory in parallel are all kept"
            ) { try await memory([$0]) },
            Check(
                "cancelled-task", "a call in a cancelled task either makes its change or throws and changes nothing",
                cancelledTask),
        ]
        + [
            Check(
                "shared-content", "a change through one journal is seen through another one with the same storage",
                requires: .sharing, sharedContent),
            Check(
                "shared-deliveries", "deliveries through two journals are all kept, each once", requires: .sharing
            ) { try await deliveries([$0, try await $0.shared()]) },
            Check(
                "shared-record", "a transaction that two journals record at once is inserted once, for one account",
                requires: .sharing
            ) { try await record([$0, try await $0.shared()]) },
            Check(
                "shared-facts", "signatures of the same facts that two journals verify at once leave one entry",
                requires: .sharing
            ) { try await facts([$0, try await $0.shared()]) },
            Check(
                "shared-claims", "a claim through one journal excludes claims through another one", requires: .sharing,
                sharedClaims),
            Check(
                "shared-memory", "changes of the memory through two journals are all kept", requires: .sharing
            ) { try await memory([$0, try await $0.shared()]) },
        ]

    private static let taskCount = 40

    /// Runs a function in many tasks at once, with the trials in turn, and returns the results in the order of the
    /// tasks.
    private static func parallel<Value: Sendable>(
        _ trials: [Trial], _ body: @escaping @Sendable (Trial, Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for number in 0..<taskCount {
                let trial = trials[number % trials.count]
                group.addTask { (number, try await body(trial, number)) }
            }
            var values: [Int: Value] = [:]
            for try await (number, value) in group { values[number] = value }
            return values.keys.sorted().compactMap { values[$0] }
        }
    }

    private static func deliveries(_ trials: [Trial]) async throws {
        _ = try await parallel(trials) { trial, number in
            // Of two journals, both get some of the purchases, and only one gets each of the others.
            let id = number < taskCount / 2 ? number % (taskCount / 4) : number % 5
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(id)"))
            try await trial.observe(delivery)
            try await trial.verify(delivery)
            try await trial.record(delivery, for: Account.anna)
            // If another task has the claim, that task carries on.
            if let claim = try await trial.claim(delivery.key, from: at(0), until: at(0)) {
                try await trial.grant(delivery, under: claim)
                try await trial.finish(delivery)
            }
            try await trial.record(RenewalSample(originalID: "\(id)"))
        }
        for trial in trials {
            let expected = try (0..<taskCount / 4).map {
                try trial.store.delivery(PurchaseSample(id: "\($0)")).entry(.finished, account: Account.anna)
            }
            let found = try await trial.entries()
            try trial.expect(
                found.map(\.rendering).sorted(), expected.map(\.rendering).sorted(),
                "the entries, in any order, after \(taskCount) tasks")
            try trial.expect(
                try await trial.renewalInfos(),
                (0..<taskCount / 4).map { RenewalSample(originalID: "\($0)").text }.sorted(),
                "the renewal infos after \(taskCount) tasks")
        }
    }

    private static func record(_ trials: [Trial]) async throws {
        guard let trial = trials.first else { return }
        for round in 0..<5 {
            let versions = try [false, true].map {
                try trial.store.delivery(PurchaseSample(id: "\(round)", isRefunded: $0, signed: $0 ? 1 : 0))
            }
            for version in versions { try await trial.advance(version, to: .verified) }
            let outcomes = try await parallel(trials) { trial, number in
                let account = number % 4 < 2 ? Account.anna : Account.bert
                return try await trial.record(versions[number % 2], for: account).rendering
            }
            let counts = Dictionary(outcomes.map { ($0, 1) }, uniquingKeysWith: +)
            let expected = [
                "inserted": 1, "merged": 1, "unchanged": taskCount / 2 - 2,
                RecordOutcome.conflict(.belongsToAnotherAccount).rendering: taskCount / 2,
            ]
            try Trial.compare(
                counts.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", "),
                expected.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", "),
                "the outcomes of \(taskCount) tasks that record two versions for two accounts")
            let owners = Set(try await trial.recordedEntries(versions[0].key).map { $0.account.rendering })
            try Trial.compare("\(owners.count)", "1", "the number of owners of a purchase recorded for two accounts")
        }
    }

    private static func facts(_ trials: [Trial]) async throws {
        guard let trial = trials.first else { return }
        let latest = Int64(taskCount - 1)
        _ = try await parallel(trials) { trial, number in
            let delivery = try trial.store.delivery(PurchaseSample(signed: Int64(number)))
            try await trial.observe(delivery)
            try await trial.verify(delivery)
        }
        let entries = try await trial.entries()
        try trial.expect(entries.count, 1, "the number of entries after signatures of the same facts")
        guard trial.store != .googlePlay else { return }
        let text = try trial.store.delivery(PurchaseSample(signed: latest)).text
        try trial.expect(entries.map(\.transaction.signedText), [text], "the kept signature of the same facts")
    }

    private static func claims(_ trials: [Trial]) async throws {
        for round in 0..<5 {
            let key = PurchaseKey.transaction(id: "\(round)")
            let claims = try await parallel(trials) { trial, _ in
                try await trial.claim(key, from: at(0), until: at(1))
            }
            let count = claims.count { $0 != nil }
            guard let trial = trials.first else { return }
            try trial.expect(count, 1, "the number of claims after \(taskCount) tasks claimed a purchase")
        }
    }

    private static func memory(_ trials: [Trial]) async throws {
        _ = try await parallel(trials) { trial, number in
            try await trial.updateMemory {
                $0.pending.append(PendingPurchase(productID: "\(number + 100)", since: at(0)))
                $0.clock.recordClock(at(Int64(number)))
            }
        }
        for trial in trials {
            let memory = try await trial.memory()
            try trial.expect(
                memory.pending.map(\.productID).sorted(), (0..<taskCount).map { "\($0 + 100)" },
                "the pending purchases after \(taskCount) tasks added one each")
            try trial.expect(memory.clock.device, at(Int64(taskCount - 1)), "the clock mark after \(taskCount) tasks")
        }
    }

    private static func cancelledTask(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let journal = trial.journal
        /// Makes a call in a cancelled task, and returns whether the call returned.
        func isDone(_ body: @escaping @Sendable () async throws -> Void) async -> Bool {
            await withTaskGroup(of: Bool.self) { group in
                group.cancelAll()
                group.addTask { (try? await body()) != nil }
                return await group.next() ?? false
            }
        }
        let isObserved = await isDone { _ = try await journal.observe(delivery.signed, from: .update, at: at(0)) }
        try await trial.expectEntries(
            isObserved ? [delivery.entry(.observed)] : [],
            "after observing in a cancelled task \(isObserved ? "returned" : "threw")")
        try await trial.observe(delivery)
        let isVerified = await isDone {
            _ = try await journal.markVerified(delivery.transaction, signedText: delivery.text)
        }
        try await trial.expectEntries(
            [delivery.entry(isVerified ? .verified : .observed)],
            "after verifying in a cancelled task \(isVerified ? "returned" : "threw")")
        try await trial.verify(delivery)
        let isRecorded = await isDone {
            _ = try await journal.record(delivery.transaction, signedText: delivery.text, for: Account.anna)
        }
        try await trial.expectEntries(
            [delivery.entry(isRecorded ? .recorded : .verified, account: isRecorded ? Account.anna : nil)],
            "after recording in a cancelled task \(isRecorded ? "returned" : "threw")")
        let isUpdated = await isDone { _ = try await journal.updateMemory { $0.clock.device = at(1) } }
        try trial.expect(
            try await trial.memory(), JournalMemory(clock: ClockMarks(device: isUpdated ? at(1) : nil)),
            "the memory after a change in a cancelled task \(isUpdated ? "returned" : "threw")")
    }

    private static func sharedContent(_ first: Trial) async throws {
        let second = try await first.shared()
        let delivery = try first.store.delivery()
        let keys = [delivery.key]
        var turn = (first, second)
        /// Makes a change through one journal, and checks that the other one sees it; the next change is made there.
        func change(_ situation: String, _ entry: JournalEntry, _ body: (Trial) async throws -> Void) async throws {
            try await body(turn.0)
            let content = try await turn.0.content(keys)
            try Trial.compare(
                try await turn.1.content(keys), content, "the content through another journal after \(situation)")
            try await turn.1.expectEntries([entry], "through another journal after \(situation)")
            turn = (turn.1, turn.0)
        }
        try await change("a delivery", delivery.entry(.observed)) { try await $0.observe(delivery) }
        try await change("a redelivery", delivery.entry(.observed)) { trial in
            try await trial.observe(delivery.redelivered, from: .history, at: at(9))
        }
        try await change("quarantine", delivery.entry(.observed, quarantine: .signatureInvalid)) { trial in
            try await trial.quarantine(delivery.text)
        }
        try await change("verification", delivery.entry(.verified)) { try await $0.verify(delivery) }
        let account = Account.anna
        try await change("recording", delivery.entry(.recorded, account: account)) { trial in
            try await trial.record(delivery, for: account)
        }
        try await change("granting", delivery.entry(.granted, account: account)) { try await $0.grant(delivery) }
        try await change("finishing", delivery.entry(.finished, account: account)) { try await $0.finish(delivery) }
        try await change("a renewal info", delivery.entry(.finished, account: account)) { trial in
            try await trial.record(RenewalSample())
        }
        try await change("a change of the memory", delivery.entry(.finished, account: account)) { trial in
            try await trial.updateMemory { $0 = MemoryRules.unusual }
        }
    }

    private static func sharedClaims(_ first: Trial) async throws {
        let second = try await first.shared()
        let delivery = try first.store.delivery()
        let key = delivery.key
        try await first.advance(delivery, to: .recorded)
        let claim = try first.expectClaim(try await first.claim(key, from: at(0), until: at(1)), "the first claim")
        try first.expectNoClaim(
            try await second.claim(key, from: at(1), until: at(2)), "a claim through another journal")
        let next = try first.expectClaim(
            try await second.claim(key, from: at(2), until: at(3)), "a claim through another journal after the first")
        if next.number == claim.number {
            throw Mismatch(
                "the number of a claim through another journal", expected: "a number that no other claim has",
                found: "\(next.number)")
        }
        try await first.release(claim)
        try first.expectNoClaim(
            try await first.claim(key, from: at(3), until: at(4)), "a claim during one through another journal")
        try await first.grant(delivery, under: next)
        try first.expectClaim(
            try await second.claim(key, from: at(3), until: at(4)), "a claim after another journal granted the purchase"
        )
        let other = try await first.fresh()
        try await claims([other, try await other.shared()])
    }
}
