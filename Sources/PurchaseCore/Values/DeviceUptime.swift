#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The time since the device was started, the default of every `uptime` parameter.
///
/// The customer cannot set it, so a change of the device's clock neither shortens nor lengthens a wait. It includes the
/// time during which the device was suspended.
public enum DeviceUptime {
    /// Returns the milliseconds since the device was started.
    @Sendable
    public static func milliseconds() -> Int64 {
        #if canImport(Darwin)
            milliseconds(of: CLOCK_MONOTONIC_RAW)
        #else
            milliseconds(of: CLOCK_BOOTTIME)
        #endif
    }

    /// Returns the milliseconds since the device was started, without the time during which it was suspended.
    @Sendable
    public static func activeMilliseconds() -> Int64 {
        #if canImport(Darwin)
            milliseconds(of: CLOCK_UPTIME_RAW)
        #else
            milliseconds(of: CLOCK_MONOTONIC)
        #endif
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // It fails only for a clock that the system does not have.
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        // Far from any overflow: a thousand years are 3·10¹³ milliseconds.
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
