package import ReceiptTypes

extension Timestamp {
    /// An instant from an X.509 time; one outside the years 0 to 9999 becomes the nearest inside.
    package init(clampingSeconds seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(clamping: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
    }

    /// X.509 times have whole seconds, and the last one belongs to the certificate to its end.
    var flooredToSecond: Timestamp {
        let remainder = millisecondsSince1970 % 1000
        return adding(milliseconds: remainder < 0 ? -(remainder + 1000) : -remainder)
    }

    /// Whole seconds since 1970, rounded down.
    package var secondsSince1970: Int64 { flooredToSecond.millisecondsSince1970 / 1000 }
}
