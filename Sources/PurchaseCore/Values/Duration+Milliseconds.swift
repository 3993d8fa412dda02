public import ReceiptTypes

// `Duration` needs iOS 16 and the core runs on iOS 15, so lengths of time are stored as milliseconds and every
// parameter for one also takes a `Duration`.

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension Duration {
    /// The whole milliseconds, rounded toward zero and clamped to the range of `Int64`.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (milliseconds, tooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return tooLarge || overflow ? (seconds < 0 ? .min : .max) : sum
    }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
extension Timestamp {
    /// Returns the instant some time later, or earlier for a negative duration, within the years 0 to 9999.
    public func adding(_ duration: Duration) -> Timestamp { adding(milliseconds: duration.milliseconds) }
}
