public import ReceiptTypes

/// The largest number of calls within a length of time.
public struct RateLimit: Sendable, Hashable {
    /// The number of calls, at most ``maximumCount``; with 0, no call is allowed.
    public let count: Int
    /// The length of time in milliseconds, at least 0.
    public let milliseconds: Int64

    /// The largest count. A limiter remembers this many calls, so its memory is bounded.
    public static let maximumCount = 10_000

    /// Creates a limit; a value outside of its range becomes the nearest one of it.
    public init(count: Int, perMilliseconds milliseconds: Int64) {
        self.count = min(max(0, count), Self.maximumCount)
        self.milliseconds = max(0, milliseconds)
    }
}

/// Counts calls, and refuses those that exceed a limit within any length of time of the limit.
///
/// Time is the device's uptime, so setting the clock neither allows a call earlier nor refuses it longer. Tasks and
/// threads can call it at once.
public final class RateLimiter: Sendable {
    /// The limit.
    public let limit: RateLimit

    private struct State {
        /// The times of the latest allowed calls, at most as many as the limit's count: a ring once it is full.
        var times: [Int64] = []
        /// The place of the earliest time of a full ring.
        var earliest = 0
        /// The latest uptime seen.
        var now: Int64 = 0
    }

    private let state = Locked(State())
    private let environment: PurchaseEnvironment

    /// Creates a limiter without any calls.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - environment: The uptime.
    public init(_ limit: RateLimit, environment: PurchaseEnvironment = .system) {
        self.limit = limit
        self.environment = environment
    }

    /// Counts a call if the limit allows it.
    ///
    /// - Throws: ``RateLimitError``, which says when to try again. A refused call does not count.
    public func countCall() throws(RateLimitError) { try check(counts: true) }

    /// Throws what ``countCall()`` would throw, and counts nothing.
    public func check() throws(RateLimitError) { try check(counts: false) }

    private func check(counts: Bool) throws(RateLimitError) {
        guard limit.count > 0 else { throw RateLimitError(.notAllowed, "the limit allows no call") }
        let uptime = environment.uptime().milliseconds
        let wait = state.withLock { state -> Int64 in
            state.now = max(state.now, uptime)
            guard state.times.count == limit.count else {
                if counts { state.times.append(state.now) }
                return 0
            }
            // Both are at least 0, so the difference cannot overflow.
            let wait = limit.milliseconds - (state.now - state.times[state.earliest])
            guard wait <= 0, counts else { return wait }
            state.times[state.earliest] = state.now
            state.earliest = (state.earliest + 1) % limit.count
            return 0
        }
        guard wait > 0 else { return }
        throw RateLimitError(
            .exceeded, "there were \(limit.count) calls within \(limit.milliseconds) ms; try again in \(wait) ms",
            retryAfterMilliseconds: wait)
    }
}

/// A call that a ``RateLimiter`` has refused.
public typealias RateLimitError = PartError<RateLimitErrorCode>

/// The stable reason of the error.
public struct RateLimitErrorCode: ErrorCode {
    /// The stable name in kebab case.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// There were too many calls; the call is allowed after ``PartError/retryAfterMilliseconds``.
    public static let exceeded = Self(rawValue: "exceeded")
    /// The limit allows no call at all.
    public static let notAllowed = Self(rawValue: "not-allowed")
}
