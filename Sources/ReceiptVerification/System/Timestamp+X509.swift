package import ReceiptTypes

extension Timestamp {
    /// Creates an instant from seconds since 1970, clamped to the years 0 to 9999.
    package init(clampingSeconds seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(clamping: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
    }

    /// The instant without its fraction of a second.
    ///
    /// X.509 times have whole seconds, and a certificate is valid to the end of its last second.
    var flooredToSecond: Timestamp {
        let remainder = millisecondsSince1970 % 1000
        return adding(milliseconds: remainder < 0 ? -(remainder + 1000) : -remainder)
    }

    /// Whole seconds since 1970, rounded down.
    package var secondsSince1970: Int64 { flooredToSecond.millisecondsSince1970 / 1000 }
}
