public import ReceiptTypes

/// The latest times seen so far; a clock set back cannot extend access.
public struct ClockMarks: Sendable, Hashable {
    /// The latest time that the device's clock has shown.
    public var device: Timestamp?
    /// The latest signing date of a verified signature of the store.
    public var signed: Timestamp?

    /// Creates marks; without arguments, no time has been seen yet.
    public init(device: Timestamp? = nil, signed: Timestamp? = nil) {
        self.device = device
        self.signed = signed
    }

    /// The clock difference, in milliseconds, that is taken for an error rather than a manipulation: one day.
    public static let tolerance: Int64 = 86_400_000

    /// Returns the time to use for every decision: the clock's time, but never earlier than a mark.
    ///
    /// While a clock that was set back is behind the mark, time stands still at the mark.
    public func time(byClock now: Timestamp) -> Timestamp {
        max(now, device ?? now, signed ?? now)
    }

    /// Returns whether the clock is behind the marks by more than ``tolerance``.
    public func isSuspect(_ now: Timestamp) -> Bool {
        now.adding(milliseconds: Self.tolerance) < time(byClock: now)
    }

    /// Records the time that the device's clock shows.
    public mutating func recordClock(_ now: Timestamp) {
        device = max(now, device ?? now)
    }

    /// Records the date of a verified signature and the time that the device's clock shows.
    ///
    /// A signature that is newer than all earlier ones and agrees with the clock confirms the clock. The device mark then
    /// moves back to the clock's time, so that a clock that once ran ahead does not keep the customer in the future. A
    /// replayed old signature is not newer and changes nothing.
    public mutating func recordSignature(_ date: Timestamp, clock now: Timestamp) {
        guard signed.map({ date > $0 }) ?? true else { return }
        signed = date
        let agrees =
            now.adding(milliseconds: -Self.tolerance) <= date && date <= now.adding(milliseconds: Self.tolerance)
        if agrees { device = now }
    }
}
