public import ReceiptTypes

/// The latest times seen so far; a clock set back cannot extend access.
///
/// The signed mark always binds. The device mark binds only while the store cannot be reached: a store that answers
/// vouches for the clock, so a clock that once ran ahead does not lock the customer out.
public struct ClockMarks: Sendable, Hashable {
    /// The latest time that the device's clock has shown since the store has last answered.
    public var device: Timestamp?
    /// The latest signing date of a verified signature of the store.
    public var signed: Timestamp?

    /// Creates marks; without arguments, no time has been seen yet.
    public init(device: Timestamp? = nil, signed: Timestamp? = nil) {
        self.device = device
        self.signed = signed
    }

    /// The clock difference, in milliseconds, that is taken for an error rather than a manipulation: one day.
    public static let toleranceMilliseconds: Int64 = 86_400_000

    /// Returns the time to use for every decision: the clock's time, but never earlier than a mark that binds.
    ///
    /// While the store cannot be reached and the clock is behind the device mark by more than ``tolerance``, time
    /// stands still at the mark.
    public func time(byClock now: Timestamp, isStoreReachable: Bool = false) -> Timestamp {
        // What was signed arrives after its date, so at that date itself the mark would keep alive what ends there.
        let time = signed.flatMap { now < $0 ? $0.adding(milliseconds: 1) : nil } ?? now
        guard !isStoreReachable, let device, isBehind(device, now) else { return time }
        return max(time, device)
    }

    /// Returns whether the clock is behind the marks by more than ``tolerance``.
    public func isSuspect(_ now: Timestamp) -> Bool {
        [device, signed].contains { $0.map { isBehind($0, now) } ?? false }
    }

    private func isBehind(_ mark: Timestamp, _ now: Timestamp) -> Bool {
        now.adding(milliseconds: Self.toleranceMilliseconds) < mark
    }

    /// Records the time that the device's clock shows while the store cannot be reached.
    public mutating func recordClock(_ now: Timestamp) {
        device = max(now, device ?? now)
    }

    /// Records that the store has answered while the device's clock shows a time: the device mark moves there, also
    /// back.
    public mutating func recordStoreAnswer(clock now: Timestamp) {
        device = max(now, signed ?? now)
    }

    /// Records that the store contradicts the device's clock, which is ahead: only what is signed binds.
    mutating func recordContradiction() { device = signed }

    /// Records the date of a verified signature and the time that the device's clock shows.
    ///
    /// A signature that is newer than all earlier ones and agrees with the clock confirms the clock, as an answer of
    /// the store does. A replayed old signature is not newer and changes nothing.
    public mutating func recordSignature(_ date: Timestamp, clock now: Timestamp) {
        guard signed.map({ date > $0 }) ?? true else { return }
        signed = date
        let agrees =
            now.adding(milliseconds: -Self.toleranceMilliseconds) <= date
            && date <= now.adding(milliseconds: Self.toleranceMilliseconds)
        if agrees { device = now }
    }
}
