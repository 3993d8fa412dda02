/// The port to a timer, which measures deadlines and pauses.
///
/// It is separate from the device's clock, because the customer can set that clock.
public protocol PurchaseTimer: Sendable {
    /// Starts to wait; the returned task ends after this many milliseconds, or as soon as it is cancelled.
    ///
    /// The time counts from the call, not from the moment at which the task first runs.
    func start(milliseconds: Int64) -> Task<Void, Never>

    /// Returns the milliseconds since some instant, by a clock that is never set and stands still while the device is
    /// suspended.
    func uptimeMilliseconds() -> Int64
}

extension PurchaseTimer {
    /// Returns the milliseconds of ``DeviceUptime/activeMilliseconds()``.
    public func uptimeMilliseconds() -> Int64 { DeviceUptime.activeMilliseconds() }
}

/// The system's timer.
public struct SystemTimer: PurchaseTimer {
    /// Creates the timer.
    public init() {}

    /// Starts to wait by the system's own clock, which does not stop or jump when the device's time is set.
    public func start(milliseconds: Int64) -> Task<Void, Never> {
        // A century is more than any deadline, and its nanoseconds do not overflow.
        let nanoseconds = UInt64(min(max(0, milliseconds), 100 * 365 * 86_400_000)) * 1_000_000
        return Task {
            // It throws only if the task is cancelled, which ends the wait too.
            try? await Task.sleep(nanoseconds: nanoseconds)
        }
    }
}
