import JournalConformance
import PurchaseCore
import ReceiptTypes
import Testing

/// A journal that breaks a rule of the port on purpose.
struct Defect: Sendable, CustomTestStringConvertible {
    /// What the journal does wrong.
    let name: String
    /// The name of the rule that it breaks.
    let rule: String
    let checker: JournalChecker

    var testDescription: String { "\(rule): \(name)" }

    private init(_ rule: String, _ name: String, _ patch: @escaping @Sendable (inout PatchedJournal) -> Void) {
        self.init(
            rule, name,
            JournalChecker(
                reopen: { $0 }, share: { $0 }, make: { PatchedJournal(InMemoryJournal(), patch) }))
    }

    private init(_ rule: String, _ name: String, _ checker: JournalChecker) {
        self.rule = rule
        self.name = name
        self.checker = checker
    }

    static let all = deliveries + versions + recording + claims + content + parallel + shared + durability

    /// A defect that shows only after two calls which no other rule makes in this order.
    static let hidden = Defect("random-histories", "quarantines nothing once a renewal info is stored") {
        $0.quarantining = { base, jws, code throws(JournalError) in
            if try await base.renewalInfos().isEmpty { try await base.quarantine(signedText: jws, because: code) }
        }
    }

    // MARK: Deliveries

    private static let deliveries = [
        Defect("observe-new", "stores every delivery as an update") {
            $0.observing = { base, signed, _, now throws(JournalError) in
                try await base.observe(signed, from: .update, at: now)
            }
        },
        Defect("observe-again", "returns the source of the last delivery") {
            $0.observing = { base, signed, source, now throws(JournalError) in
                let entry = try await base.observe(signed, from: source, at: now)
                return JournalEntry(
                    transaction: entry.transaction, source: source, observedAt: entry.observedAt, stage: entry.stage,
                    quarantineReason: entry.quarantineReason, account: entry.account)
            }
        },
        Defect("texts-exact", "compares texts after Unicode normalization") { journal in
            let first = Shared<[String: SignedTransaction]>([:])
            journal.observing = { base, signed, source, now throws(JournalError) in
                let known = first.change { texts in
                    let known = texts[signed.signedText] ?? signed
                    texts[signed.signedText] = known
                    return known
                }
                return try await base.observe(known, from: source, at: now)
            }
        },
        Defect("texts-exact", "cuts a text at its first NUL") {
            $0.observing = { base, signed, source, now throws(JournalError) in
                let text = String(signed.signedText.prefix { $0 != "\0" })
                let cut = SignedTransaction(
                    jws: text, transactionID: signed.transactionID, productID: signed.productID,
                    objection: signed.objection)
                return try await base.observe(cut, from: source, at: now)
            }
        },
        Defect("content-exact", "cuts an objection at its first NUL") {
            $0.reading = { base throws(JournalError) in
                try await base.entries().map { entry in
                    guard case .jws(let jws) = entry.transaction.content else { return entry }
                    var cut = entry
                    cut.transaction = SignedTransaction(
                        jws: jws, transactionID: entry.transaction.transactionID,
                        productID: entry.transaction.productID,
                        objection: entry.transaction.objection.map { String($0.prefix { $0 != "\0" }) })
                    return cut
                }
            }
        },
        Defect("entries-in-order", "sorts entries by the time of the delivery") {
            $0.reading = { base throws(JournalError) in
                try await base.entries().sorted { $0.observedAt < $1.observedAt }
            }
        },
        Defect("quarantine", "keeps the first reason") {
            $0.quarantining = { base, jws, code throws(JournalError) in
                let known = try await base.entries().first { $0.transaction.signedText == jws }
                try await base.quarantine(signedText: jws, because: known?.quarantineReason ?? code)
            }
        },
        Defect("out-of-order", "ignores the quarantine of a recorded entry") {
            $0.quarantining = { base, jws, code throws(JournalError) in
                do { try await base.quarantine(signedText: jws, because: code) } catch {}
            }
        },
        Defect("out-of-order", "reports a missing step as a failed write") {
            $0.finishing = { base, jws throws(JournalError) in
                do { try await base.markFinished(signedText: jws) } catch { throw JournalError(.notWritten, "") }
            }
        },
        Defect("out-of-order", "stores the fulfilment of an entry that is not recorded") { journal in
            let fulfilments = Shared<[PurchaseKey: FulfilledAmount]>([:])
            journal.granting = { base, jws, fulfilment, claim throws(JournalError) in
                fulfilments.change { $0[claim.key] = fulfilment }
                try await base.markGranted(signedText: jws, fulfilment, under: claim)
            }
            journal.readingFulfilment = { _, key in fulfilments.value[key] }
        },
    ]

    // MARK: Versions

    private static let versions = [
        Defect("verify", "moves a later entry back to verified") {
            $0.verifying = { base, transaction, jws throws(JournalError) in
                var entry = try await base.markVerified(transaction, signedText: jws)
                entry.stage = .verified
                return entry
            }
        },
        Defect("facts-merge", "leaves a second signature of the same facts beside the first") { journal in
            let texts = Shared<[String: String]>([:])
            journal.verifying = { base, transaction, jws throws(JournalError) in
                let first = texts.change { texts in
                    let first = texts[transaction.facts] ?? jws
                    texts[transaction.facts] = first
                    return first
                }
                guard first == jws, try await base.entries().contains(where: { $0.transaction.signedText == jws })
                else {
                    return JournalEntry(
                        transaction: SignedTransaction(jws: jws, transactionID: "1", productID: "coins"),
                        source: .update, observedAt: .minimum, stage: .verified)
                }
                return try await base.markVerified(transaction, signedText: jws)
            }
        },
        Defect("facts-apart", "merges all versions of a transaction") { journal in
            let first = Shared<[String: Transaction]>([:])
            journal.verifying = { base, transaction, jws throws(JournalError) in
                let known = first.change { transactions in
                    let known = transactions[transaction.id] ?? transaction
                    transactions[transaction.id] = known
                    return known
                }
                return try await base.markVerified(known, signedText: jws)
            }
        },
        Defect("return-reopens", "keeps the stage of a purchase that returns to an earlier state") {
            $0.verifying = { base, transaction, jws throws(JournalError) in
                let before = try await base.entries()
                var entry = try await base.markVerified(transaction, signedText: jws)
                let after = Set(try await base.entries().map(\.transaction.signedText))
                if let known = before.first(where: {
                    !after.contains($0.transaction.signedText) && $0.stage >= .recorded
                }) {
                    entry.stage = known.stage
                }
                return entry
            }
        },
        Defect("return-only", "opens an entry again for every later signature") {
            $0.verifying = { base, transaction, jws throws(JournalError) in
                var entry = try await base.markVerified(transaction, signedText: jws)
                if entry.transaction.signedText == jws { entry.stage = .verified }
                return entry
            }
        },
    ]

    // MARK: Recording

    private static let recording = [
        Defect("record", "inserts every version") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let outcome = try await base.record(transaction, signedText: jws, for: account)
                return outcome == .merged ? .inserted : outcome
            }
        },
        Defect("record-other-purchase", "takes another product for another version") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let outcome = try await base.record(transaction, signedText: jws, for: account)
                return outcome == .conflict(.differentPurchase) ? .merged : outcome
            }
        },
        Defect("record-plan-change", "takes a changed plan for another purchase") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                for entry in try await base.entries() where entry.stage >= .recorded {
                    if entry.transaction.transactionID == transaction.id,
                        entry.transaction.productID != transaction.productID
                    {
                        return .conflict(.differentPurchase)
                    }
                }
                return try await base.record(transaction, signedText: jws, for: account)
            }
        },
        Defect("record-other-store", "takes a purchase of another store for a version") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let isKnown = try await base.entries().contains {
                    $0.stage >= .recorded && $0.transaction.transactionID == transaction.id
                }
                let outcome = try await base.record(transaction, signedText: jws, for: account)
                return isKnown && outcome == .inserted ? .merged : outcome
            }
        },
        Defect("record-other-account", "records a purchase for whichever account asks") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let outcome = try await base.record(transaction, signedText: jws, for: account)
                guard outcome == .conflict(.belongsToAnotherAccount) else { return outcome }
                return try await base.record(transaction, signedText: jws, for: nil)
            }
        },
        Defect("record-takes-over", "leaves a recorded entry without an account as it is") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let recorded = try await base.recordedEntries(of: transaction.purchaseKey)
                if let entry = recorded.first(where: { $0.transaction.signedText == jws }), entry.account == nil {
                    return .unchanged
                }
                return try await base.record(transaction, signedText: jws, for: account)
            }
        },
        Defect("record-billing-event", "does not check the account of a renewal") {
            $0.recording = { base, transaction, jws, account throws(JournalError) in
                let isRenewal = transaction.webOrderLineItemID != nil
                return try await base.record(transaction, signedText: jws, for: isRenewal ? nil : account)
            }
        },
        Defect("recorded-entries", "returns verified entries too") {
            $0.readingRecorded = { base, key throws(JournalError) in
                try await base.entries().filter {
                    $0.stage >= .verified && key == .transaction(id: $0.transaction.transactionID)
                }
            }
        },
        Defect("grant", "keeps the first fulfilment") {
            $0.granting = { base, jws, fulfilment, claim throws(JournalError) in
                let first = try await base.fulfilment(of: claim.key)
                try await base.markGranted(signedText: jws, first ?? fulfilment, under: claim)
            }
        },
        Defect("grant", "moves a finished entry back to granted") {
            $0.reading = { base throws(JournalError) in
                try await base.entries().map { entry in
                    var entry = entry
                    entry.stage = min(entry.stage, .granted)
                    return entry
                }
            }
        },
        Defect("finish", "throws when an entry is finished again") {
            $0.finishing = { base, jws throws(JournalError) in
                let known = try await base.entries().first { $0.transaction.signedText == jws }
                if known?.stage == .finished { throw JournalError(.outOfOrder, "") }
                try await base.markFinished(signedText: jws)
            }
        },
        Defect("fulfilment-apart", "compares keys after Unicode normalization") { journal in
            let fulfilments = Shared<[String: FulfilledAmount]>([:])
            journal.granting = { base, jws, fulfilment, claim throws(JournalError) in
                try await base.markGranted(signedText: jws, fulfilment, under: claim)
                fulfilments.change { $0[claim.key.description] = fulfilment }
            }
            journal.readingFulfilment = { _, key in fulfilments.value[key.description] }
        },
    ]

    // MARK: Claims

    private static let claims = [
        Defect("claims-exclude", "ends a claim just before its end") { ClaimTable(isEndExcluded: true).patch(&$0) },
        Defect("claims-exclude", "ends a claim before its start") { ClaimTable(isStartExact: true).patch(&$0) },
        Defect("claims-end", "keeps a claim in force after the clock was set back") {
            ClaimTable(ignoresStart: true).patch(&$0)
        },
        Defect("claims-limited", "keeps a claim in force until the end that was asked for") {
            ClaimTable(isUnlimited: true).patch(&$0)
        },
        Defect("claims-renew", "renews a claim that was released or replaced") {
            ClaimTable(renewsAny: true).patch(&$0)
        },
        Defect("claims-renew", "forgets at a renewal that an earlier claim is unanswered") {
            ClaimTable(forgetsAtRenewal: true).patch(&$0)
        },
        Defect("claims-follow", "forgets at a release that an earlier claim is unanswered") {
            ClaimTable(forgetsAtRelease: true).patch(&$0)
        },
        Defect("claims-release", "releases any claim of the purchase") { ClaimTable(releasesAny: true).patch(&$0) },
        Defect("claims-numbered", "numbers claims by the number of purchases") {
            ClaimTable(numbersByCount: true).patch(&$0)
        },
        Defect("claims-apart", "compares keys after Unicode normalization") { ClaimTable().patch(&$0) },
        Defect("grant-ends-claim", "leaves the claim of a granted purchase") {
            ClaimTable(survivesGrant: true).patch(&$0)
        },
        Defect("grant-ends-claim", "deletes every claim of a granted purchase") {
            ClaimTable(grantEndsAny: true).patch(&$0)
        },
        Defect("grant-needs-claim", "ignores the claim") { ClaimTable(grantsWithoutClaim: true).patch(&$0) },
        Defect("grant-needs-claim", "compares the times of claims too") {
            ClaimTable(comparesTimes: true).patch(&$0)
        },
        Defect("parallel-claims", "checks for a claim and stores the new one in two commits") {
            ClaimTable(isAtomic: false).patch(&$0)
        },
    ]

    // MARK: Renewal infos, memory and compaction

    /// Replaces the renewal infos of a journal with a table by subscription.
    private static func patchRenewals(
        _ journal: inout PatchedJournal, isAtomic: Bool = true, keepsLatest: Bool, isExact: Bool
    ) {
        let table = Shared<[String: (date: Timestamp, text: String)]>([:])
        journal.recordingRenewal = { _, info, text throws(JournalError) in
            let id = info.originalTransactionID
            let key = isExact ? "\(Array(id.utf8))" : id
            var changed = table.value
            if !isAtomic { for _ in 0..<10 { await Task.yield() } }
            if keepsLatest, let known = changed[key], known.date >= info.signedDate { return }
            changed[key] = (info.signedDate, text)
            table.value = changed
        }
        journal.readingRenewals = { _ in table.value.values.map(\.text) }
    }

    private static let content = [
        Defect("renewals-latest", "keeps the renewal info that was delivered last") {
            patchRenewals(&$0, keepsLatest: false, isExact: true)
        },
        Defect("renewals-apart", "compares subscriptions after Unicode normalization") {
            patchRenewals(&$0, keepsLatest: true, isExact: false)
        },
        Defect("memory-whole", "loses the account of a pending purchase") {
            $0.updating = { base, change throws(JournalError) in
                try await base.updateMemory { memory in
                    change(&memory)
                    memory.pending = memory.pending.map { PendingPurchase(productID: $0.productID, since: $0.since) }
                }
            }
        },
        Defect("memory-whole", "loses the restarts of the device") {
            $0.updating = { base, change throws(JournalError) in
                try await base.updateMemory { memory in
                    change(&memory)
                    memory.clock.assumed = nil
                }
            }
        },
        Defect("memory-whole", "loses the uptime of the device") {
            $0.updating = { base, change throws(JournalError) in
                try await base.updateMemory { memory in
                    change(&memory)
                    memory.clock.anchor = nil
                }
            }
        },
        Defect("memory-whole", "loses the planned change of a listing") {
            $0.updating = { base, change throws(JournalError) in
                try await base.updateMemory { memory in
                    change(&memory)
                    memory.playListings = memory.playListings.map {
                        PlayListing(
                            transactionID: $0.transactionID, date: $0.date, willAutoRenew: $0.willAutoRenew,
                            productID: $0.productID, isReplaced: $0.isReplaced)
                    }
                }
            }
        },
        Defect("memory-update", "returns the memory without the change") {
            $0.updating = { base, change throws(JournalError) in
                let before = try await base.memory()
                _ = try await base.updateMemory(change)
                return before
            }
        },
        Defect("compact-replaced", "deletes nothing") { $0.compacting = { _ in } },
        Defect("compact-needed", "deletes everything in quarantine") { journal in
            let isCompact = Shared(false)
            journal.compacting = { _ in isCompact.value = true }
            journal.reading = { base throws(JournalError) in
                let isCompact = isCompact.value
                return try await base.entries().filter { !isCompact || $0.quarantineReason == nil }
            }
        },
    ]

    // MARK: Calls at the same time

    @Sendable private static func patchRecording(_ journal: inout PatchedJournal) {
        journal.recording = { base, transaction, jws, account throws(JournalError) in
            let isFirst = try await base.recordedEntries(of: transaction.purchaseKey).isEmpty
            for _ in 0..<10 { await Task.yield() }
            let outcome = try await base.record(transaction, signedText: jws, for: account)
            return isFirst && outcome == .unchanged ? .inserted : outcome
        }
    }

    @Sendable private static func patchFacts(_ journal: inout PatchedJournal) {
        let (known, copies) = (Shared<Set<String>>([]), Shared(0))
        journal.verifying = { base, transaction, jws throws(JournalError) in
            let isNew = !known.value.contains(transaction.facts)
            for _ in 0..<10 { await Task.yield() }
            let isRace = known.change { !$0.insert(transaction.facts).inserted }
            if isNew, isRace { copies.change { $0 += 1 } }
            return try await base.markVerified(transaction, signedText: jws)
        }
        journal.reading = { base throws(JournalError) in
            let entries = try await base.entries()
            return entries + entries.prefix(copies.value)
        }
    }

    private static let parallel = [
        Defect("parallel-deliveries", "gives no claim") { $0.claiming = { _, _, _, _ in nil } },
        Defect("parallel-deliveries", "reads and writes the renewal infos in two commits") {
            patchRenewals(&$0, isAtomic: false, keepsLatest: true, isExact: true)
        },
        Defect("parallel-record", "checks and records in two commits", patchRecording),
        Defect("parallel-facts", "looks for the same facts before the commit", patchFacts),
        Defect("parallel-memory", "reads and writes the memory in two commits") {
            $0.updating = { base, change throws(JournalError) in
                var memory = try await base.memory()
                change(&memory)
                for _ in 0..<10 { await Task.yield() }
                return try await base.updateMemory { [memory] in $0 = memory }
            }
        },
        Defect("cancelled-task", "throws after the change if the task is cancelled") {
            $0.observing = { base, signed, source, now throws(JournalError) in
                let entry = try await base.observe(signed, from: source, at: now)
                if Task.isCancelled { throw JournalError(.notWritten, "") }
                return entry
            }
        },
    ]

    private static let shared = [
        Defect(
            "shared-content", "reads the entries once, when it is opened",
            JournalChecker(
                share: { journal in
                    let entries = try await journal.entries()
                    return PatchedJournal(journal) { $0.reading = { _ in entries } }
                }, make: { InMemoryJournal() })),
        Defect(
            "shared-deliveries", "opens a storage of its own",
            JournalChecker(share: { _ in InMemoryJournal() }, make: { InMemoryJournal() })),
        Defect("shared-record", "checks and records in two commits", patchRecording),
        Defect("shared-facts", "looks for the same facts before the commit", patchFacts),
        Defect(
            "shared-claims", "keeps the claims of each process apart",
            JournalChecker(
                share: { PatchedJournal($0) { ClaimTable().patch(&$0) } },
                make: { PatchedJournal(InMemoryJournal()) { ClaimTable().patch(&$0) } })),
        Defect(
            "shared-memory", "writes the memory that it has read when it was opened",
            JournalChecker(
                share: { journal in
                    let memory = Shared(try await journal.memory())
                    return PatchedJournal(journal) {
                        $0.updating = { base, change throws(JournalError) in
                            let changed = memory.change { memory in
                                change(&memory)
                                return memory
                            }
                            return try await base.updateMemory { $0 = changed }
                        }
                    }
                }, make: { InMemoryJournal() })),
    ]

    // MARK: Durability

    private static func reopening(
        _ patch: @escaping @Sendable (inout PatchedJournal) -> Void
    ) -> JournalChecker {
        JournalChecker(reopen: { PatchedJournal($0, patch) }, make: { InMemoryJournal() })
    }

    private static let durability = [
        Defect("reopen-content", "forgets the fulfilments", reopening { $0.readingFulfilment = { _, _ in nil } }),
        Defect(
            "reopen-each-change", "writes the memory at the next call",
            JournalChecker(
                reopen: { journal in
                    let saved = (journal as? PatchedJournal)?.base ?? journal
                    return lazy(saved)
                }, make: { lazy(InMemoryJournal()) })),
        Defect(
            "reopen-rules", "forgets the stages of entries that are merged",
            reopening {
                $0.verifying = { base, transaction, jws throws(JournalError) in
                    var entry = try await base.markVerified(transaction, signedText: jws)
                    if entry.stage > .verified { entry.stage = .observed }
                    return entry
                }
            }),
        Defect(
            "reopen-claims", "forgets the claims",
            JournalChecker(
                reopen: { PatchedJournal($0) { ClaimTable().patch(&$0) } },
                make: { PatchedJournal(InMemoryJournal()) { ClaimTable().patch(&$0) } })),
    ]

    /// Returns a journal that shows a renewal info at once, and stores it at the next one.
    @Sendable private static func lazy(_ base: any PurchaseJournal) -> PatchedJournal {
        let waiting = Shared<(info: RenewalInfo, text: String)?>(nil)
        return PatchedJournal(base) {
            $0.recordingRenewal = { base, info, text throws(JournalError) in
                if let earlier = waiting.value { try await base.record(earlier.info, jws: earlier.text) }
                waiting.value = (info, text)
            }
            $0.readingRenewals = { base throws(JournalError) in
                let stored = try await base.renewalInfos()
                return waiting.value.map { [$0.text] } ?? stored
            }
        }
    }
}
