public import ReceiptTypes

/// Locks purchases while recorded purchases are being recovered, for example after the ledger was found damaged.
///
/// A purchase that is asked for meanwhile is refused and not delayed: the store's sheet must not appear when the
/// customer no longer expects it. A service with this lock in its ``PurchasePacing`` refuses it. A purchase that has
/// begun before the recovery goes on.
///
/// ```swift
/// let report = try await recoveryLock.run { try await rebuiltLedger() }
/// ```
public final class RecoveryLock: Sendable {
    private struct State {
        /// The recoveries that run.
        var running = 0
        /// The number of the last hold, and of the last one that has ended.
        var lastHold = 0
        var lastEndedHold = 0
    }

    private let state = Locked(State())
    private let environment: PurchaseEnvironment
    private let deadlineMilliseconds: Int64

    /// Creates an open lock.
    ///
    /// - Parameters:
    ///   - deadlineMilliseconds: The longest time that one recovery locks purchases; ten minutes by default.
    ///   - environment: The timer of the deadline.
    public init(deadlineMilliseconds: Int64 = 600_000, environment: PurchaseEnvironment = .system) {
        self.deadlineMilliseconds = deadlineMilliseconds
        self.environment = environment
    }

    /// Whether a recovery is in progress, or was not completed with the store's history.
    public var isLocked: Bool { state.withLock { $0.running > 0 || $0.lastHold > $0.lastEndedHold } }

    /// Locks purchases after a recovery, until the hold is ended.
    package func hold() { state.withLock { $0.lastHold += 1 } }

    /// The number of the last hold.
    package var lastHold: Int { state.withLock { $0.lastHold } }

    /// Ends a hold and all earlier ones; a hold that began since goes on.
    package func endHolds(through number: Int) {
        state.withLock { $0.lastEndedHold = max($0.lastEndedHold, number) }
    }

    /// Runs a recovery, and locks purchases until it ends.
    ///
    /// The lock also ends if the recovery throws, is cancelled, or does not end within the deadline. After the deadline
    /// the recovery is cancelled, and one that ignores that goes on without the lock. Several recoveries can run at
    /// once; the lock ends with the last one.
    ///
    /// - Throws: The error of the recovery, or ``RecoveryLockError`` after the deadline.
    public func run<Value: Sendable>(_ recovery: @escaping @Sendable () async throws -> Value) async throws -> Value {
        state.withLock { $0.running += 1 }
        defer { state.withLock { $0.running -= 1 } }
        let result = await environment.timer.answer(within: deadlineMilliseconds) {
            () async -> Result<Value, any Error> in
            do {
                return .success(try await recovery())
            } catch {
                return .failure(error)
            }
        }
        guard let result else {
            throw RecoveryLockError(.timedOut, "the recovery did not end within \(deadlineMilliseconds) ms")
        }
        return try result.get()
    }
}

/// A recovery that has lost its lock.
public typealias RecoveryLockError = PartError<RecoveryLockErrorCode>

/// The stable reason of the error.
public struct RecoveryLockErrorCode: ErrorCode {
    /// The stable name in kebab case.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The recovery has not ended within the deadline; it was cancelled, and can still be running.
    public static let timedOut = Self(rawValue: "timed-out")
}
