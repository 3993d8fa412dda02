public import ReceiptTypes

extension ClockMarks {
    /// How far a clock may be wrong without anybody having set it, in milliseconds: a day, for zones and corrections.
    public static let tolerance: Int64 = 86_400_000

    /// The time to judge by: the clock's, but never earlier than it has been.
    ///
    /// A clock that was set back stands still at the mark instead of lengthening anything.
    public func time(byClock now: Timestamp) -> Timestamp {
        max(now, device ?? now, signed ?? now)
    }

    /// Whether the clock has been set back by more than chance explains.
    public func isSuspect(_ now: Timestamp) -> Bool {
        now.adding(milliseconds: Self.tolerance) < time(byClock: now)
    }

    /// Notes what the device's clock shows.
    public mutating func noteClock(_ now: Timestamp) {
        device = max(now, device ?? now)
    }

    /// Notes when the store has signed something, and what the device's clock shows.
    ///
    /// A signature that is newer than all before and agrees with the clock vouches for the clock. Then the mark comes back
    /// to it, so that a clock that once ran ahead does not hold a customer in the future for ever. An old signature that
    /// is played again is not newer, and moves nothing.
    public mutating func noteSignature(_ date: Timestamp, clock now: Timestamp) {
        guard signed.map({ date > $0 }) ?? true else { return }
        signed = date
        let agrees =
            now.adding(milliseconds: -Self.tolerance) <= date && date <= now.adding(milliseconds: Self.tolerance)
        if agrees { device = now }
    }
}
