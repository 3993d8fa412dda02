internal import PurchaseCore
package import ReceiptTypes

/// Texts that a ledger must neither change nor confuse.
package enum UnusualText {
    /// Pairs of different texts that are the same after Unicode normalization, a change of case, or a cut.
    package static let pairs: [(String, String)] = [
        ("caf\u{e9}", "cafe\u{301}"), ("\u{212b}", "\u{c5}"), ("token", "TOKEN"), ("token", "token "),
        ("a\u{0}b", "a\u{0}c"), ("", "\u{0}"), ("1", "01"), ("1", "1.0"), ("a_c", "a%c"),
    ]
    /// The texts of the pairs and others, each once.
    package static let all: [String] = {
        let bytes = Set(pairs.flatMap { [[UInt8]($0.0.utf8), [UInt8]($0.1.utf8)] })
        let texts = bytes.map { String(decoding: $0, as: UTF8.self) }
        return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            + ["'; DROP TABLE entries; --", "line\r\nline\u{2028}", "\u{1f9fe}\u{202e}", "\"\\\t\u{1}\u{7f}"]
    }()
    /// A text longer than a page of a database.
    package static let long = String(repeating: "long \u{e9} ", count: 700)
}

/// Returns the instant some minutes after the start of all samples.
package func at(_ minutes: Int64) -> Timestamp {
    Timestamp(clamping: 1_760_000_000_000).adding(milliseconds: minutes * 60_000)
}

/// Memories that differ in every field.
enum SampleMemory {
    /// Memories with unusual content in every field, with few fields, and the initial one.
    static let all: [LedgerMemory] =
        [
            unusual, LedgerMemory(clock: ClockMarks(device: nil, signed: at(1))),
            LedgerMemory(pending: [PendingPurchase(productID: "coins", since: at(2), account: UUIDText("anna"))]),
        ] + clocks.map { LedgerMemory(clock: $0) } + [LedgerMemory()]

    /// Marks with unusual values in every field, and some with few.
    private static let clocks =
        [("start", Int64.max), ("", .min), ("\u{0}\u{e9}", -1)].map { start, uptime in
            ClockMarks(
                device: .maximum, signed: .minimum, assumed: at(uptime > 0 ? 7 : -7),
                anchor: .init(time: .maximum, uptime: DeviceUptime(startID: UUIDText(start), milliseconds: uptime)))
        } + [
            ClockMarks(assumed: .minimum),
            ClockMarks(
                anchor: .init(time: .minimum, uptime: DeviceUptime(startID: UUIDText("start"), milliseconds: 0))),
        ]

    /// A memory with unusual content in every field.
    static let unusual: LedgerMemory = {
        var memory = LedgerMemory(clock: clocks[0])
        for (number, text) in UnusualText.all.enumerated() {
            let count = Int64(number)
            memory.pending.append(
                PendingPurchase(
                    productID: text, since: at(-count), account: number.isMultiple(of: 3) ? nil : UUIDText(text),
                    purchaseToken: number.isMultiple(of: 2) ? nil : text))
            memory.absences.append(
                AbsentPurchase(
                    transactionID: text, since: at(count), isConfirmed: number.isMultiple(of: 2),
                    uptime: number.isMultiple(of: 3)
                        ? nil : DeviceUptime(startID: UUIDText(text), milliseconds: -count),
                    provedMilliseconds: .max - count))
            memory.playListings.append(
                PlayListing(
                    transactionID: text, date: at(count), willAutoRenew: number.isMultiple(of: 2),
                    productID: number.isMultiple(of: 3) ? nil : text,
                    plannedChange: number.isMultiple(of: 4) ? nil : .init(productID: text, latestDate: at(count)),
                    isReplaced: number.isMultiple(of: 5)))
        }
        return memory
    }()
}
