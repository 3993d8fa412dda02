internal import ReceiptTypes

/// Calls a refresh when the clock has passed an instant, or when a pause is over, whichever is first.
///
/// It waits for an hour at most and then reads the clock again, because a clock can be set and a device can be
/// suspended. The pause does not depend on the clock. The timer stops when it is released.
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
        _ environment: PurchaseEnvironment,
        refresh: @escaping @Sendable () async -> Void
    ) {
        // Detached, because the refresh is not part of the fulfilment that may have set the timer.
        task = Task.detached {
            while !Task.isCancelled {
                let now = environment.clock()
                if let due, now > due { return await refresh() }
                // The instant itself is still included. Both are within ten thousand years, so nothing overflows.
                let remaining = due.map { $0.millisecondsSince1970 - now.millisecondsSince1970 + 1 }
                let step = min(remaining ?? Self.longestWait, Self.longestWait)
                let isPause = pause.map { $0 <= step } ?? false
                let wait = environment.timer.start(milliseconds: min(pause ?? step, step))
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
