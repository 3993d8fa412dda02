/// The pauses between the attempts of a call: each twice as long as the one before, shortened at random.
///
/// The random part keeps many devices from trying again at the same instant after a failure of the store.
public struct BackoffSchedule: Sendable, Hashable {
    /// The milliseconds of the first pause before the random part is taken off.
    public let firstMilliseconds: Int64
    /// The milliseconds that no pause exceeds.
    public let longestMilliseconds: Int64
    /// The largest part of a pause, in percent, that is taken off at random.
    public let jitterPercent: Int64
    /// The number of attempts, the first one included.
    public let attempts: Int
    /// The milliseconds from the start of the first attempt to the end of the last one.
    public let totalMilliseconds: Int64

    /// A day, the limit of every length of time of a schedule.
    private static let limit: Int64 = 86_400_000

    /// Creates a schedule. A value outside of its range becomes the nearest one of it: at least 1 ms and 1 attempt, at
    /// most a day, 0 to 100 percent.
    public init(
        firstMilliseconds: Int64 = 1_000, longestMilliseconds: Int64 = 30_000, jitterPercent: Int64 = 50,
        attempts: Int = 5, totalMilliseconds: Int64 = 120_000
    ) {
        self.firstMilliseconds = min(max(1, firstMilliseconds), Self.limit)
        self.longestMilliseconds = min(max(self.firstMilliseconds, longestMilliseconds), Self.limit)
        self.jitterPercent = min(max(0, jitterPercent), 100)
        self.attempts = max(1, attempts)
        self.totalMilliseconds = min(max(1, totalMilliseconds), Self.limit)
    }

    /// Returns the milliseconds to wait after a number of failures in a row.
    ///
    /// - Parameters:
    ///   - failures: The number of failures; a number below 1 counts as 1.
    ///   - random: Any number; the same number gives the same pause.
    public func pauseMilliseconds(afterFailures failures: Int, random: UInt64) -> Int64 {
        // A day is less than 2³⁰ times a millisecond, and 2³⁰ times a day is far below the limit of 64 bits.
        let longest = min(firstMilliseconds << Int64(min(max(failures, 1) - 1, 30)), longestMilliseconds)
        let span = UInt64(longest * jitterPercent / 100)
        return longest - Int64(random % (span + 1))
    }
}
