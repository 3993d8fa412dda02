public import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system's real-time clock.
public enum SystemClock {
    /// Returns the current time; 1970-01-01 if the system cannot read the clock.
    @Sendable
    public static func now() -> Timestamp {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return Timestamp(clampingSeconds: 0) }
        return Timestamp(clampingSeconds: Int64(time.tv_sec)).adding(milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }
}
