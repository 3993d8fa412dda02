public import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The time since the device was started, and which start that was; ``now()`` is the default of `uptime` parameters.
///
/// The customer cannot set it, so a change of the device's clock neither shortens nor lengthens a wait. It includes the
/// time during which the device was suspended.
public struct DeviceUptime: Sendable, Hashable {
    /// The id of the start, which is another one after each restart; empty if the system does not tell it.
    public let startID: UUIDText
    /// The milliseconds since the start.
    public let milliseconds: Int64

    /// Creates an uptime.
    public init(startID: UUIDText, milliseconds: Int64) {
        self.startID = startID
        self.milliseconds = milliseconds
    }

    /// Returns the present uptime.
    @Sendable
    public static func now() -> DeviceUptime { DeviceUptime(startID: presentStart, milliseconds: milliseconds()) }

    /// Returns the milliseconds since an earlier uptime; nil if the device was restarted in between.
    ///
    /// Without both ids, only an uptime that goes back shows a restart: of two processes, one can be unable to read it.
    func milliseconds(since earlier: DeviceUptime) -> Int64? {
        let (elapsed, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return !isOtherStart(than: earlier) && !overflow && elapsed >= 0 ? elapsed : nil
    }

    /// Returns whether both have ids of different starts.
    private func isOtherStart(than other: DeviceUptime) -> Bool {
        startID != other.startID && !startID.rawValue.isEmpty && !other.startID.rawValue.isEmpty
    }
}

// MARK: The device

extension DeviceUptime {
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

    /// The id of the device's start. A process does not outlive it, so it is read once.
    private static let presentStart: UUIDText = {
        let id = UUIDText(readStartID())
        return id.isUUID ? id : UUIDText("")
    }()

    /// The number of characters of a UUID.
    private static let idLength = 36

    #if canImport(Darwin)
        private static func readStartID() -> String {
            var bytes = [UInt8](repeating: 0, count: idLength + 1)
            var count = bytes.count
            guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix(idLength), as: UTF8.self)
        }
    #else
        private static func readStartID() -> String {
            let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return "" }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: idLength)
            guard unsafe read(descriptor, &bytes, bytes.count) == idLength else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
    #endif
}
