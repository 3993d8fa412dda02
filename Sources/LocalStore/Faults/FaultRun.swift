internal import ReceiptTypes

/// A plan under way: how often each place was passed.
struct FaultRun {
    private let plan: FaultPlan
    private var generator: SplitMix64
    private var passed: [FaultPoint: Int] = [:]

    init(_ plan: FaultPlan) {
        self.plan = plan
        generator = SplitMix64(seed: plan.seed)
    }

    /// Passes a place: what goes wrong there this time, if anything.
    mutating func pass(_ point: FaultPoint) -> FaultAction? {
        guard !plan.faults.isEmpty else { return nil }
        let number = passed[point, default: 0] + 1
        passed[point] = number
        for fault in plan.faults where fault.point == point && fault.occurrence.includes(number) {
            if fault.occurrence.perMille >= 1000 { return fault.action }
            if Int(clamping: generator.below(1000)) < fault.occurrence.perMille { return fault.action }
        }
        return nil
    }
}
