internal import ReceiptTypes

/// A running ``FaultPlan``: counts the visits of each point and selects the fault of each visit.
struct FaultInjector {
    private let plan: FaultPlan
    private var generator: SplitMix64
    private var visits: [FaultPoint: Int] = [:]

    init(_ plan: FaultPlan) {
        self.plan = plan
        generator = SplitMix64(seed: plan.seed)
    }

    /// Counts a visit of a point, and returns the action of the first fault that applies to it, or nil.
    mutating func action(at point: FaultPoint) -> FaultAction? {
        guard !plan.faults.isEmpty else { return nil }
        let number = visits[point, default: 0] + 1
        visits[point] = number
        for fault in plan.faults where fault.point == point && fault.occurrence.includes(number) {
            if fault.occurrence.perMille >= 1000 { return fault.action }
            if Int(clamping: generator.below(1000)) < fault.occurrence.perMille { return fault.action }
        }
        return nil
    }
}
