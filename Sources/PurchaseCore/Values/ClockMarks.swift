public import ReceiptTypes

/// The latest times seen so far, which bound how long a device's clock that is set back or stopped can extend access.
///
/// The signed mark always binds. The others bind only while the store cannot be reached: a store that answers vouches
/// for the clock, so a clock that once ran ahead does not lock the customer out. Without the store there are three
/// witnesses:
///
/// - The clock: the device mark is the latest time that it has shown.
/// - The uptime, which the customer cannot set: the device mark advances with it until the device is restarted.
/// - The restarts: only the clock says how long the device was off, so ``assumed`` counts a day for each restart.
///
/// What remains possible is in <doc:PurchaseLifecycle>.
public struct ClockMarks: Sendable, Hashable {
    /// The latest time that the clock has shown or the uptime has proved since the store has last answered, in steps of
    /// an hour.
    public var device: Timestamp?
    /// The latest signing date of a verified signature of the store.
    public var signed: Timestamp?
    /// The time if at least a day has passed with each restart of the device since the store has last answered; nil
    /// before the first one.
    ///
    /// It is ahead of ``device`` only if there were more restarts than days by the clock.
    public var assumed: Timestamp?
    /// The time from which ``device`` advances with the uptime; nil before the uptime was read.
    public var anchor: Anchor?

    /// A time, and the uptime at which it was the device mark.
    public struct Anchor: Sendable, Hashable {
        /// The time.
        public let time: Timestamp
        /// The uptime.
        public let uptime: DeviceUptime

        /// Creates an anchor.
        public init(time: Timestamp, uptime: DeviceUptime) {
            self.time = time
            self.uptime = uptime
        }

        /// Returns the earliest time that it can be at an uptime; nil if the device was restarted in between.
        func time(at uptime: DeviceUptime) -> Timestamp? {
            uptime.milliseconds(since: self.uptime).map { time.adding(milliseconds: $0) }
        }
    }

    /// Creates marks; without arguments, no time has been seen yet.
    public init(
        device: Timestamp? = nil, signed: Timestamp? = nil, assumed: Timestamp? = nil, anchor: Anchor? = nil
    ) {
        self.device = device
        self.signed = signed
        self.assumed = assumed
        self.anchor = anchor
    }

    /// The clock difference, in milliseconds, that is taken for an error rather than a manipulation: one day.
    public static let toleranceMilliseconds: Int64 = 86_400_000

    /// The milliseconds after its end for which restarts alone do not end a purchase: 30 days.
    ///
    /// So with a correct clock, the access is kept to its end as long as no span of days has over 30 restarts more than
    /// days.
    public static let restartAllowanceMilliseconds: Int64 = 30 * 86_400_000

    /// The difference, in milliseconds, between the uptime and the clock that is worth a change: one hour.
    static let stepMilliseconds: Int64 = 3_600_000

    // MARK: Decisions

    /// Returns the time to use for every decision: the clock's time, but never earlier than a mark that binds.
    ///
    /// While the store cannot be reached and the clock is behind the device mark by more than
    /// ``toleranceMilliseconds``, the time is the mark.
    public func time(byClock now: Timestamp, isStoreReachable: Bool = false) -> Timestamp {
        // What was signed arrives after its date, so at that date itself the mark would keep alive what ends there.
        let time = signed.flatMap { now < $0 ? $0.adding(milliseconds: 1) : nil } ?? now
        guard !isStoreReachable, let device, isBehind(device, now) else { return time }
        return max(time, device)
    }

    /// Returns the instant before which an end counts as passed at any time of the clock; nil if there is none.
    ///
    /// A purchase that ends before it is not in force until the store answers, see ``DenialReason/unconfirmed``.
    public func earliestConfirmedEnd(isStoreReachable: Bool) -> Timestamp? {
        isStoreReachable ? nil : assumed?.adding(milliseconds: -Self.restartAllowanceMilliseconds)
    }

    /// Returns whether the clock is behind the marks by more than ``toleranceMilliseconds``.
    public func isSuspect(_ now: Timestamp) -> Bool {
        [device, signed].contains { $0.map { isBehind($0, now) } ?? false }
    }

    private func isBehind(_ mark: Timestamp, _ now: Timestamp) -> Bool {
        now.adding(milliseconds: Self.toleranceMilliseconds) < mark
    }

    // MARK: Observations

    /// Records the time that the device's clock shows while the store cannot be reached.
    ///
    /// - Parameters:
    ///   - now: The time of the clock.
    ///   - uptime: The device's uptime; nil if only the clock is to count.
    public mutating func recordClock(_ now: Timestamp, uptime: DeviceUptime? = nil) {
        let before = device
        device = max(now, before ?? now)
        guard let uptime else { return }
        if let anchor, anchor.time(at: uptime) == nil {
            // The uptime proves nothing here: the ledger may come from another machine.
            let latest = [before, signed, assumed].compactMap(\.self).max() ?? anchor.time
            assumed = max(device ?? now, latest.adding(milliseconds: Timestamp.millisecondsPerDay))
        }
        guard isAnchorDue(at: uptime) else { return }
        if let earliest = anchor?.time(at: uptime) { device = max(earliest, device ?? earliest) }
        setAnchor(uptime)
    }

    /// Records that the store has answered while the device's clock shows a time: the device mark moves to that time,
    /// even backwards, and restarts are counted anew.
    public mutating func recordStoreAnswer(clock now: Timestamp, uptime: DeviceUptime? = nil) {
        confirm(max(now, signed ?? now), uptime)
    }

    /// Records that the store contradicts the device's clock, which is ahead: only what is signed binds.
    mutating func recordContradiction() { confirm(signed, nil) }

    /// Records the date of a verified signature and the time that the device's clock shows.
    ///
    /// A signature that is newer than all earlier ones and agrees with the clock confirms the clock, as an answer of
    /// the store does. A replayed old signature is not newer and changes nothing.
    public mutating func recordSignature(_ date: Timestamp, clock now: Timestamp, uptime: DeviceUptime? = nil) {
        guard signed.map({ date > $0 }) ?? true else { return }
        signed = date
        let agrees =
            now.adding(milliseconds: -Self.toleranceMilliseconds) <= date
            && date <= now.adding(milliseconds: Self.toleranceMilliseconds)
        if agrees { confirm(now, uptime) }
    }

    /// Returns marks that bind as long as these or others, which another ledger has kept.
    public func merged(with other: ClockMarks) -> ClockMarks {
        func later(_ mark: KeyPath<Self, Timestamp?>) -> Timestamp? {
            [self[keyPath: mark], other[keyPath: mark]].compactMap(\.self).max()
        }
        return ClockMarks(
            device: later(\.device), signed: later(\.signed), assumed: later(\.assumed), anchor: anchor ?? other.anchor)
    }

    /// Returns whether the marks differ from earlier ones in nothing but a device mark that is less than an hour later.
    ///
    /// So a refresh in which nothing has changed writes nothing.
    func saysNothingNew(after earlier: ClockMarks) -> Bool {
        guard signed == earlier.signed, assumed == earlier.assumed, anchor == earlier.anchor, let device,
            let before = earlier.device
        else { return self == earlier }
        return before <= device && device < before.adding(milliseconds: Self.stepMilliseconds)
    }

    private mutating func confirm(_ time: Timestamp?, _ uptime: DeviceUptime?) {
        device = time
        assumed = nil
        guard let uptime else { return anchor = nil }
        if isAnchorDue(at: uptime) { setAnchor(uptime) }
    }

    private mutating func setAnchor(_ uptime: DeviceUptime) {
        anchor = device.map { Anchor(time: $0, uptime: uptime) }
    }

    /// Returns whether the anchor has no time at an uptime, is an hour old, or differs from the device mark by an hour.
    ///
    /// So two clocks that differ by milliseconds change nothing, and the uptime that the next one is compared with is
    /// never much older than the last observation.
    private func isAnchorDue(at uptime: DeviceUptime) -> Bool {
        guard let anchor, let device, let earliest = anchor.time(at: uptime) else { return true }
        // All of them are within ten thousand years, so no difference can overflow.
        let passed = earliest.millisecondsSince1970 - anchor.time.millisecondsSince1970
        let difference = device.millisecondsSince1970 - earliest.millisecondsSince1970
        return max(passed, abs(difference)) >= Self.stepMilliseconds
    }
}
