internal import ReceiptTypes

/// Calls a refresh when an instant has passed, or when a pause is over, whichever is first.
///
/// The instant has passed by the clock, or by the uptime if the clock is behind it by more than the tolerance of
/// ``ClockMarks``. The timer waits for an hour at most and then reads both again, because a clock can be set and a
/// device can be suspended. The pause does not depend on the clock. The timer stops when it is released.
final class RefreshTimer: Sendable {
    /// The longest wait in milliseconds: one hour.
    static let longestWait: Int64 = 3_600_000

    private let task: Task<Void, Never>

    /// Starts the timer.
    ///
    /// - Parameters:
    ///   - due: The instant; nil if there is only the pause.
    ///   - pause: The pause in milliseconds; nil if there is only the instant.
    init(
        after due: Timestamp?,
        orIn pause: Int64?,
        clock: @escaping @Sendable () -> Timestamp,
        timer: any PurchaseTimer,
        refresh: @escaping @Sendable () async -> Void
    ) {
        // Detached, because the refresh is not part of the fulfilment that may have set the timer.
        task = Task.detached {
            // A process does not outlive the device's start, so no id is needed.
            func uptime() -> DeviceUptime {
                DeviceUptime(startID: UUIDText(""), milliseconds: timer.uptimeMilliseconds())
            }
            let start = ClockMarks.Anchor(time: clock(), uptime: uptime())
            while !Task.isCancelled {
                let shown = clock()
                let now = ClockMarks(device: start.time(at: uptime())).time(byClock: shown)
                if let due, now > due { return await refresh() }
                // The instant itself is still included. Both are within ten thousand years, so nothing overflows.
                let remaining = due.map { $0.millisecondsSince1970 - now.millisecondsSince1970 + 1 }
                let step = min(remaining ?? Self.longestWait, Self.longestWait)
                let isPause = pause.map { $0 <= step } ?? false
                let wait = timer.start(milliseconds: min(pause ?? step, step))
                await withTaskCancellationHandler {
                    await wait.value
                } onCancel: {
                    wait.cancel()
                }
                if isPause, !Task.isCancelled { return await refresh() }
            }
        }
    }

    deinit { task.cancel() }
}
