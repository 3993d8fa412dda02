internal import ReceiptTypes

extension Timestamp {
    /// An instant from an X.509 time; one outside the years 0 to 9999 becomes the nearest inside.
    init(clampingSeconds seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(clamping: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
    }

    /// Clamped at the ends of the range.
    func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(clamping: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// X.509 times have whole seconds, and the last one belongs to the certificate to its end.
    var flooredToSecond: Timestamp {
        let remainder = millisecondsSince1970 % 1000
        return adding(milliseconds: remainder < 0 ? -(remainder + 1000) : -remainder)
    }

    private init(clamping milliseconds: Int64) {
        let clamped = min(
            max(milliseconds, Timestamp.minimum.millisecondsSince1970), Timestamp.maximum.millisecondsSince1970)
        self = Timestamp(milliseconds: clamped) ?? .minimum
    }
}
