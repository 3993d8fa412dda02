internal import PurchaseCore
internal import ReceiptTypes

/// What the core has done, step by step: the latest entries for the console, and an event for each.
final class CoreLog: PurchaseLog {
    /// The part that an entry is about.
    enum Source: String, Sendable, CaseIterable {
        /// The person at the console.
        case console
        /// The stages of a delivery.
        case ledger
        /// The verifier's answer.
        case verdict
        /// What unlocks the features.
        case entitlements
        /// Everything else in the core.
        case core
        /// The events of the paywall.
        case analytics
    }

    struct Entry: Sendable {
        let number: Int
        /// The time on the store's clock.
        let date: Timestamp
        let source: Source
        let text: String
        let isFailure: Bool
    }

    /// The number of entries that are kept.
    static let limit = 300

    private struct State {
        var entries: [Entry] = []
        var count = 0
        var rejectionCount = 0
    }

    private let state = Locked(State())
    private let feed: EventFeed
    private let clock: @Sendable () -> Timestamp

    init(feed: EventFeed, clock: @escaping @Sendable () -> Timestamp) {
        self.feed = feed
        self.clock = clock
    }

    /// The kept entries, the oldest first.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// The number of answers of the store whose signature the core has rejected.
    var rejectionCount: Int { state.withLock { $0.rejectionCount } }

    func add(_ source: Source, _ text: String, isFailure: Bool = false) {
        let date = clock()
        let entry = state.withLock { state in
            state.count += 1
            let entry = Entry(number: state.count, date: date, source: source, text: text, isFailure: isFailure)
            state.entries.append(entry)
            if state.entries.count > Self.limit { state.entries.removeFirst() }
            return entry
        }
        feed.send(
            .log,
            [
                "number": .integer(Int64(entry.number)), "source": .string(source.rawValue), "text": .string(text),
            ])
    }

    // MARK: The core's own log

    func log(_ event: PurchaseLogEvent) {
        if event.kind == .unverified { state.withLock { $0.rejectionCount += 1 } }
        let subject = [event.productID, event.transactionID.map { "transaction \($0)" }].compactMap { $0 }
        let text = "\(event.kind): \((subject + [event.detail]).joined(separator: ", "))"
        add(.core, text, isFailure: event.kind.severity != .notice)
    }
}

// MARK: - Entitlements

extension CoreLog {
    /// Adds what unlocks each entitlement, and why a purchase unlocks nothing.
    func add(_ entitlements: Entitlements) {
        let granted = entitlements.grounds.map { entitlement, grounds in
            "\(entitlement) by \(grounds.map(Self.text).joined(separator: " and "))"
        }
        let denied = entitlements.denials.map { "\($0.key) unlocks nothing: \($0.value.rawValue)" }
        let lines = granted.sorted() + denied.sorted()
        add(.entitlements, lines.isEmpty ? "nothing is unlocked" : lines.joined(separator: "; "))
    }

    private static func text(_ ground: Ground) -> String {
        let end = ground.end.map { " until \($0)" } ?? ""
        return "\(ground.kind) of \(ground.productID)\(end)\(ground.isConfirmed ? "" : ", not confirmed by the store")"
    }
}
