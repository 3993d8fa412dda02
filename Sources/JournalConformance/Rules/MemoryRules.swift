internal import PurchaseCore
internal import ReceiptTypes

/// The rules of what a journal stores besides its entries: renewal infos and the memory.
enum MemoryRules {
    static let all = [
        Check(
            "renewals-latest", "of the renewal infos of a subscription, the one with the latest signing date is kept",
            in: [.appStore], renewalsLatest),
        Check(
            "renewals-apart", "subscriptions with ids that differ in one byte have renewal infos of their own",
            in: [.appStore], renewalsApart),
        Check(
            "memory-whole", "the memory is returned as it was stored, with every field and in the same order",
            memoryWhole),
        Check(
            "memory-update", "a change starts from the stored memory, and returns the memory with the change",
            memoryUpdate),
    ]

    private static func renewalsLatest(_ trial: Trial) async throws {
        try trial.expect(try await trial.renewalInfos(), [], "the renewal infos of a new journal")
        let first = RenewalSample(signed: 5)
        let later = RenewalSample(signed: 7)
        for (sample, kept, situation) in [
            (first, first, "the first was stored"), (first, first, "it was stored again"),
            (RenewalSample(signed: 5, copy: 1), first, "another of the same date was stored"),
            (RenewalSample(signed: 3), first, "an earlier one was stored"), (later, later, "a later one was stored"),
            (first, later, "the earlier one was stored again"),
        ] {
            try await trial.record(sample)
            try trial.expect(try await trial.renewalInfos(), [kept.text], "the renewal infos after \(situation)")
        }
    }

    private static func renewalsApart(_ trial: Trial) async throws {
        let samples = UnusualText.all.map { RenewalSample(originalID: "id \($0)", signed: 1) }
        for sample in samples { try await trial.record(sample) }
        let texts = samples.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try trial.expect(try await trial.renewalInfos(), texts, "the renewal infos of similar subscriptions")
    }

    /// Marks with unusual values in every field, and some with few.
    private static let clocks =
        [("start", Int64.max), ("", .min), ("\u{0}é", -1)].map { start, uptime in
            ClockMarks(
                device: .maximum, signed: .minimum, assumed: at(uptime > 0 ? 7 : -7),
                anchor: .init(
                    time: .maximum, uptime: DeviceUptime(startID: UUIDText(start), milliseconds: uptime)))
        } + [
            ClockMarks(assumed: .minimum),
            ClockMarks(
                anchor: .init(time: .minimum, uptime: DeviceUptime(startID: UUIDText("start"), milliseconds: 0))),
        ]

    /// A memory with unusual content in every field.
    static let unusual: JournalMemory = {
        var memory = JournalMemory(clock: clocks[0])
        for (number, text) in UnusualText.all.enumerated() {
            memory.pending.append(
                PendingPurchase(
                    productID: text, since: at(Int64(-number)),
                    account: number.isMultiple(of: 3) ? nil : UUIDText(text),
                    purchaseToken: number.isMultiple(of: 2) ? nil : text))
            memory.absences.append(
                AbsentPurchase(
                    transactionID: text, since: at(Int64(number)), isConfirmed: number.isMultiple(of: 2),
                    uptime: number.isMultiple(of: 3)
                        ? nil : DeviceUptime(startID: UUIDText(text), milliseconds: Int64(-number)),
                    provedMilliseconds: .max - Int64(number)))
            memory.playListings.append(
                PlayListing(
                    transactionID: text, date: at(Int64(number)), willAutoRenew: number.isMultiple(of: 2),
                    productID: number.isMultiple(of: 3) ? nil : text,
                    plannedChange: number.isMultiple(of: 4)
                        ? nil : PlayListing.PlannedChange(productID: text, latestDate: at(Int64(number))),
                    isReplaced: number.isMultiple(of: 5)))
        }
        return memory
    }()

    private static func memoryWhole(_ trial: Trial) async throws {
        try trial.expect(try await trial.memory(), JournalMemory(), "the memory of a new journal")
        let partial = JournalMemory(
            clock: ClockMarks(device: nil, signed: at(1)),
            pending: [PendingPurchase(productID: "coins", since: at(2), account: Account.anna)])
        let clocks = Self.clocks.map { JournalMemory(clock: $0) }
        for memory in [Self.unusual, partial] + clocks + [
            JournalMemory(clock: ClockMarks(device: at(1))), JournalMemory(),
        ] {
            let found = try await trial.updateMemory { $0 = memory }
            try trial.expect(found, memory, "the memory that a change returns")
            try trial.expect(try await trial.memory(), memory, "the stored memory")
        }
    }

    private static func memoryUpdate(_ trial: Trial) async throws {
        let absence = AbsentPurchase(transactionID: "1", since: at(1))
        var expected = JournalMemory()
        let changes: [@Sendable (inout JournalMemory) -> Void] = [
            { $0.clock.signed = at(1) }, { $0.absences.append(absence) }, { _ in }, { $0.clock.signed = nil },
            { $0.absences.append(absence) }, { $0.absences.removeLast() },
        ]
        for (number, change) in changes.enumerated() {
            change(&expected)
            try trial.expect(
                try await trial.updateMemory(change), expected, "the memory that change \(number + 1) returns")
            try trial.expect(try await trial.memory(), expected, "the memory after change \(number + 1)")
        }
    }
}
