internal import ReceiptTypes

/// Calls a refresh when the clock has passed an instant.
///
/// It waits for an hour at most and then reads the clock again, because a clock can be set and a device can be suspended. It
/// stops when it is released.
final class RefreshTimer: Sendable {
    /// The longest wait in milliseconds: one hour.
    static let longestWait: Int64 = 3_600_000

    private let task: Task<Void, Never>

    init(
        after due: Timestamp,
        clock: @escaping @Sendable () -> Timestamp,
        timer: any PurchaseTimer,
        refresh: @escaping @Sendable () async -> Void
    ) {
        task = Task {
            while !Task.isCancelled {
                let now = clock()
                if now > due { return await refresh() }
                // The instant itself is still included. Both are within ten thousand years, so nothing overflows.
                let remaining = due.millisecondsSince1970 - now.millisecondsSince1970 + 1
                let wait = timer.start(milliseconds: min(remaining, Self.longestWait))
                await withTaskCancellationHandler {
                    await wait.value
                } onCancel: {
                    wait.cancel()
                }
            }
        }
    }

    deinit { task.cancel() }
}
