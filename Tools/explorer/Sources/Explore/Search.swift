/// The exploration of a scenario, with what it has found.
struct Search {
    private(set) var exploration: Exploration<PurchaseModel>
    let ending: Exploration<PurchaseModel>.Ending
    /// The broken invariant, or the first state from which a run cannot end well.
    private(set) var finding: Exploration<PurchaseModel>.Violation?
    private let settling: Exploration<PurchaseModel>.Settling?
    private let duration: Duration

    /// Explores a scenario until it is complete, a number of states is reached or something is found.
    init(_ scenario: Scenario, _ fault: Fault?, limit: Int) {
        let clock = ContinuousClock()
        let start = clock.now
        var exploration = Exploration(PurchaseModel(scenario, fault: fault))
        ending = exploration.run(limit: limit)
        if case .broken(let violation) = ending {
            finding = violation
            settling = nil
        } else {
            let settling = exploration.settling()
            finding = settling.stuck.map {
                .init(invariant: "no fair run from here ends with everything handed over and finished", index: $0)
            }
            self.settling = settling
        }
        self.exploration = exploration
        duration = clock.now - start
    }

    /// The number of steps to the finding.
    var traceLength: Int {
        guard let finding else { return 0 }
        return exploration.path(to: finding.index).count - 1 + (finding.step == nil ? 0 : 1)
    }

    private var elapsed: Double { Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18 }

    var seconds: String { "\((elapsed * 10).rounded() / 10) s" }

    /// The trace to the finding, its invariant last.
    var findingText: String {
        mutating get {
            guard let finding else { return "" }
            let lines = exploration.trace(to: finding.index, lastStep: finding.step)
            return (lines + ["=> \(finding.invariant)"]).map { "    \($0)" }.joined(separator: "\n")
        }
    }

    /// What was explored, in one line.
    var summary: String {
        let count = exploration.table.count
        let parts = exploration.model.partCounts
        var text =
            "\(count) states, depth \(exploration.depth), \(seconds), \(Int(Double(count) / max(elapsed, 0.001)))/s"
        text += ", \(parts.ledgers) ledgers, \(parts.services) services"
        switch ending {
        case .complete: text += "; complete"
        case .limited: text += "; stopped at the limit with \(exploration.expanded) states expanded"
        case .broken: text += "; BROKEN"
        }
        if let settling {
            text +=
                settling.unknown == 0
                ? "; every state's fair runs can end" : "; \(settling.proven) states' fair runs can end"
        }
        return text
    }
}
