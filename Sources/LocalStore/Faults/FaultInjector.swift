internal import ReceiptTypes

/// A running ``FaultPlan``: counts the visits of each point and selects the fault of each visit.
struct FaultInjector {
    private var plan: FaultPlan
    private var generator: SplitMix64
    private var visits: [FaultPoint: Int] = [:]

    init(_ plan: FaultPlan) {
        self.plan = plan
        generator = SplitMix64(seed: plan.seed)
    }

    /// Adds a fault for the next visit of a point. A visit has one fault, so a second one for it has no effect.
    mutating func add(_ action: FaultAction, atNextVisitOf point: FaultPoint) {
        let visited = visits[point, default: 0]
        // What has happened cannot happen again.
        plan.faults.removeAll { fault in
            fault.point == point && fault.occurrence.count == 1 && fault.occurrence.first <= visited
        }
        let next = Fault(at: point, when: .nth(visited + 1), do: action)
        if !plan.faults.contains(where: { $0.point == point && $0.occurrence == next.occurrence }) {
            plan.faults.append(next)
        }
    }

    /// Counts a visit of a point, and returns the action of the first fault that applies to it, or nil.
    mutating func action(at point: FaultPoint) -> FaultAction? {
        let number = visits[point, default: 0] + 1
        visits[point] = number
        for fault in plan.faults where fault.point == point && fault.occurrence.includes(number) {
            if fault.occurrence.perMille >= 1000 { return fault.action }
            if Int(clamping: generator.below(1000)) < fault.occurrence.perMille { return fault.action }
        }
        return nil
    }
}
