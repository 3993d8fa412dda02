internal import ReceiptTypes

/// Whether a customer may use a feature.
public enum FeatureAccess: String, Sendable, Hashable, CaseIterable {
    /// The feature is free, or a purchase that is in force unlocks it.
    case granted
    /// The feature is not unlocked, or the catalog does not have it.
    case denied
    /// The answer is not known yet: nothing is loaded, the purchase has just ended and may have been renewed, or it is
    /// ``DenialReason/unconfirmed``.
    ///
    /// Show neither the feature nor a paywall. ``FeatureGatingService/canAccess(_:)`` refreshes and then answers. The
    /// access stays unknown while the ledger cannot be read, and while a new device has no connection to the store
    /// (``EntitlementFreshness/unanswered``): if it is unknown after that call, show an error and no price, and offer
    /// a restore.
    case unknown
}

/// The access to each feature until the entitlements change: an answer is one lookup, and one comparison where a time
/// decides.
struct AccessTable: Sendable {
    enum Entry {
        /// No time decides.
        case decided(FeatureAccess)
        /// The last instant of the access.
        case unlocked(until: Timestamp)
    }

    private(set) var entries: [FeatureID: Entry] = [:]
    private var freshness = EntitlementFreshness.notLoaded
    private var asOf: Timestamp?
    /// The latest times that the device's clock has shown, or its uptime has proved, while the store did not answer.
    private var marks = ClockMarks()
    /// The instant of the store's answer and the uptime at the first look after it; nil before that.
    private var answer: ClockMarks.Anchor?

    /// Returns what entitlements of a freshness say about each feature.
    static func entries(
        of features: FeatureCatalog, _ entitlements: Entitlements, _ freshness: EntitlementFreshness
    ) -> [FeatureID: Entry] {
        let everything = entitlements.grounds[.pro] ?? []
        let unconfirmed = entitlements.unconfirmedDenials
        let notUnlocked: FeatureAccess = freshness.isUndecided ? .unknown : .denied
        return Dictionary(
            features.definitions.map { feature in
                guard feature.level == .premium else { return (feature.id, .decided(.granted)) }
                let ends = (everything + (entitlements.grounds[.feature(feature.id)] ?? [])).map(\.end)
                guard !ends.isEmpty else {
                    // Only an answer of the store decides about what is unconfirmed.
                    let isUnconfirmed = unconfirmed.contains(.pro) || unconfirmed.contains(.feature(feature.id))
                    return (feature.id, .decided(isUnconfirmed ? .unknown : notUnlocked))
                }
                guard !ends.contains(nil), let end = ends.compactMap(\.self).max() else {
                    return (feature.id, .decided(.granted))
                }
                return (feature.id, .unlocked(until: end))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Replaces the entries by those of newer entitlements.
    mutating func update(_ entries: [FeatureID: Entry], asOf: Timestamp?, _ freshness: EntitlementFreshness) {
        self.entries = entries
        self.asOf = asOf
        self.freshness = freshness
        // A store that answers vouches for the clock; see ``ClockMarks``.
        if freshness == .current { (marks, answer) = (ClockMarks(), nil) }
    }

    /// Returns whether an access has ended.
    mutating func hasEnded(_ end: Timestamp, clock now: Timestamp, uptime: DeviceUptime) -> Bool {
        time(byClock: now, uptime) > end
    }

    /// Returns the time that decides: never before the instant that the entitlements were computed for, and not before
    /// what the uptime has proved since then, with the tolerance of ``ClockMarks``. While the store does not answer,
    /// the latest time that the clock has shown counts too; after an answer, a clock that once ran ahead denies
    /// nothing.
    private mutating func time(byClock now: Timestamp, _ uptime: DeviceUptime) -> Timestamp {
        let time: Timestamp
        if freshness == .current {
            if answer == nil { answer = asOf.map { ClockMarks.Anchor(time: $0, uptime: uptime) } }
            time = ClockMarks(device: answer?.time(at: uptime)).time(byClock: now)
        } else {
            marks.recordClock(now, uptime: uptime)
            time = marks.time(byClock: now)
        }
        return asOf.map { max($0, time) } ?? time
    }

    /// Returns the earliest end of an access that has not ended by the clock.
    mutating func nextEnd(clock now: Timestamp, uptime: DeviceUptime) -> Timestamp? {
        let time = time(byClock: now, uptime)
        return entries.values.compactMap { entry in
            if case .unlocked(until: let end) = entry, time <= end { end } else { nil }
        }.min()
    }
}

extension Entitlements {
    /// The entitlements of the purchases that are denied as unconfirmed.
    fileprivate var unconfirmedDenials: Set<Entitlement> {
        Set(
            purchases.lazy.filter { !$0.isGranted && denials[$0.productID] == .unconfirmed }.flatMap(\.entitlements))
    }
}
