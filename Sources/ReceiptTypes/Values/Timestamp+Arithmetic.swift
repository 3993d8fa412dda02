extension Timestamp {
    /// The nearest instant within the years 0 to 9999.
    package init(clamping milliseconds: Int64) {
        let clamped = min(
            max(milliseconds, Timestamp.minimum.millisecondsSince1970), Timestamp.maximum.millisecondsSince1970)
        self = Timestamp(milliseconds: clamped) ?? .minimum
    }

    /// Some milliseconds later or earlier, clamped at the ends of the range.
    package func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(clamping: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }
}
