internal import ReceiptTypes

/// Repeats a call that fails because the store cannot be reached, after growing pauses.
///
/// Only a ``PurchaseError/Code/networkError`` is repeated. A problem of the store waits for the customer's next
/// attempt, and everything else would fail again. Use it for calls that buy nothing: loading products, restoring,
/// synchronizing. A purchase is never repeated, because a store that took the order before the connection broke would
/// sell it twice; a service returns its failure as a result, which ends the run.
///
/// ```swift
/// let products = try await NetworkRetry().run { try await service.products(for: ids) }
/// ```
public struct NetworkRetry: Sendable {
    private let schedule: BackoffSchedule
    private let environment: PurchaseEnvironment

    /// Creates a retry.
    ///
    /// - Parameters:
    ///   - schedule: The pauses, the number of attempts and the total time.
    ///   - environment: The timer of the pauses, the uptime for the total time, and randomness for the length of a
    ///     pause.
    public init(
        schedule: BackoffSchedule = BackoffSchedule(),
        environment: PurchaseEnvironment = .system
    ) {
        self.schedule = schedule
        self.environment = environment
    }

    /// Returns the value of a call, repeated as often as the schedule allows.
    ///
    /// An attempt that is under way when the total time ends is cancelled, and its value ignored.
    ///
    /// - Throws: The error of the last attempt; ``StoreErrorCode/timedOut`` if the first attempt has not ended within
    ///   the total time; `CancellationError` if the calling task is cancelled during a pause.
    public func run<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let start = environment.uptime().milliseconds
        var failures = 0
        var lastError: any Error = StoreError(
            .timedOut, "the call did not end within \(schedule.totalMilliseconds) ms")
        while true {
            let answer = await environment.timer.answer(within: remaining(since: start)) {
                () async -> Result<Value, any Error> in
                do {
                    return .success(try await call())
                } catch {
                    return .failure(error)
                }
            }
            switch answer {
            case nil: throw lastError
            case .success(let value): return value
            case .failure(let error): lastError = error
            }
            failures += 1
            let pause = schedule.pauseMilliseconds(afterFailures: failures, random: environment.random())
            // A pause up to the end of the total time would leave no time for the attempt after it.
            guard PurchaseError(lastError).code == .networkError, failures < schedule.attempts,
                pause < remaining(since: start)
            else { throw lastError }
            try await wait(pause)
            guard remaining(since: start) > 0 else { throw lastError }
        }
    }

    /// Returns the milliseconds of the total time that are left.
    private func remaining(since start: Int64) -> Int64 {
        let (elapsed, overflow) = environment.uptime().milliseconds.subtractingReportingOverflow(start)
        return overflow ? 0 : max(0, schedule.totalMilliseconds - max(0, elapsed))
    }

    private func wait(_ milliseconds: Int64) async throws {
        let pause = environment.timer.start(milliseconds: milliseconds)
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        try Task.checkCancellation()
    }
}
