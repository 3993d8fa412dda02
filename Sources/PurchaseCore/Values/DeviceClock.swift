public import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The device's real-time clock, the default of every `clock` parameter.
public enum DeviceClock {
    /// Returns the current time; year 0 if the device's clock is set to a year outside 0 to 9999.
    @Sendable
    public static func now() -> Timestamp { Timestamp(Date()) ?? .minimum }
}
