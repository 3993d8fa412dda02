/// How one round compares with its reference.
struct Ratio {
    /// By the clock, which is what counts.
    let value: Double
    /// By the time for which processors worked: a second opinion where other work disturbs the first.
    var byProcessor: Double?

    init(_ value: Double, byProcessor: Double? = nil) {
        self.value = value
        self.byProcessor = byProcessor
    }

    /// How many times as fast something was as its reference.
    init(of reference: Elapsed, to time: Elapsed) {
        value = reference.seconds / time.seconds
        // Work that took next to none says nothing.
        byProcessor = time.processorSeconds > 0 ? reference.processorSeconds / time.processorSeconds : nil
    }
}
