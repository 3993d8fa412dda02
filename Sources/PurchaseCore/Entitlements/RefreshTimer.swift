internal import ReceiptTypes

/// Calls a refresh when the clock has passed an instant.
///
/// The timer sleeps for an hour at most and then reads the clock again, because a clock can be set and a device can be
/// suspended. The timer stops when it is released.
final class RefreshTimer: Sendable {
    /// The longest sleep in milliseconds: one hour.
    static let longestSleep: Int64 = 3_600_000

    private let task: Task<Void, Never>

    init(
        after due: Timestamp,
        clock: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void,
        refresh: @escaping @Sendable () async -> Void
    ) {
        task = Task {
            while !Task.isCancelled {
                let now = clock()
                if now > due { return await refresh() }
                // The instant itself is still included. Both are within ten thousand years, so nothing overflows.
                let remaining = due.millisecondsSince1970 - now.millisecondsSince1970 + 1
                do {
                    try await sleep(min(remaining, Self.longestSleep))
                } catch {
                    return
                }
            }
        }
    }

    deinit { task.cancel() }
}
