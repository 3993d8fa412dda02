public import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What the purchase side takes from its surroundings: the log, the timer, randomness, the uptime and the clock.
///
/// It travels as one value. A part that is replaced is named, and the others stay those of the system:
///
/// ```swift
/// let environment = PurchaseEnvironment(log: ConsoleLog())
/// let service = PurchaseService(store: store, verifier: verifier, environment: environment)
/// let entitlements = EntitlementStore(service: service, catalog: catalog, environment: environment)
/// ```
public struct PurchaseEnvironment: Sendable {
    /// Receives every event and the time of each stage. It must not block.
    public var log: any PurchaseLog
    /// Measures deadlines and pauses.
    public var timer: any PurchaseTimer
    /// Returns a random number, for the length of a pause.
    public var random: @Sendable () -> UInt64
    /// Returns the device's uptime, which bounds what a clock that is set back can extend.
    public var uptime: @Sendable () -> DeviceUptime
    /// Returns the time of the device's clock.
    public var clock: @Sendable () -> Timestamp

    /// The system's timer, random numbers, uptime and clock, and a log that discards every event.
    public static let system = PurchaseEnvironment()

    /// Creates an environment; without an argument, ``system``.
    public init(
        log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer(),
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) },
        uptime: @escaping @Sendable () -> DeviceUptime = DeviceUptime.now,
        clock: @escaping @Sendable () -> Timestamp = Self.deviceTime
    ) {
        self.log = log
        self.timer = timer
        self.random = random
        self.uptime = uptime
        self.clock = clock
    }

    /// Returns the time of the device's real-time clock; year 0 if it is set to a year outside 0 to 9999.
    @Sendable
    public static func deviceTime() -> Timestamp { Timestamp(Date()) ?? .minimum }
}
