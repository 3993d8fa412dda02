/// Visits the states of a model breadth first, so that the first trace to a state is one of the shortest.
struct Exploration<Explored: Model> {
    /// How an exploration has ended.
    enum Ending: Equatable {
        /// Every state that the model can reach was visited.
        case complete
        /// The limit was reached; states from which no step was taken are left.
        case limited
        /// A step, the last one of the trace, has broken an invariant.
        case broken(Violation)
    }

    /// An invariant that is broken at the end of a trace.
    struct Violation: Equatable {
        let invariant: String
        /// The state before the last step, or the last one.
        let index: Int
        /// The position of the last step among those of the state; nil if the state itself is wrong.
        var step: Int?
    }

    var model: Explored
    private(set) var table = StateTable()
    /// The number of states from which all steps were taken.
    private(set) var expanded = 0
    /// The number of steps of the longest trace.
    private(set) var depth = 0
    /// The fair steps: for each expanded state, the place of its first target.
    private var starts: [Int] = [0]
    private var targets: [UInt32] = []

    init(_ model: Explored) {
        self.model = model
        _ = table.insert(model.initial, parent: 0, step: 0)
    }

    /// Visits states until there is no other one, an invariant is broken or as many states as the limit were found.
    mutating func run(limit: Int) -> Ending {
        var steps: [Successor] = []
        var layerEnd = table.count
        while expanded < table.count {
            if table.count >= limit { return .limited }
            if expanded == layerEnd {
                depth += 1
                layerEnd = table.count
            }
            steps.removeAll(keepingCapacity: true)
            model.appendSteps(of: table.states[expanded], to: &steps)
            for (position, step) in steps.enumerated() {
                if let invariant = step.violation {
                    return .broken(Violation(invariant: invariant, index: expanded, step: position))
                }
                let (index, isNew) = table.insert(step.state, parent: expanded, step: position)
                if isNew, let invariant = model.violation(of: step.state) {
                    return .broken(Violation(invariant: invariant, index: index))
                }
                if step.isFair, index != expanded { targets.append(UInt32(index)) }
            }
            expanded += 1
            starts.append(targets.count)
        }
        return .complete
    }

    /// The result of looking for an end of each state's fair runs.
    struct Settling: Equatable {
        /// The number of states from which fair steps lead to a settled one.
        var proven = 0
        /// The number of states of which only the steps from unexpanded states could tell.
        var unknown = 0
        /// The first state from which no fair step leads to a settled or to an unexpanded one.
        var stuck: Int?
    }

    /// Finds the states from which fair steps lead to a settled state.
    ///
    /// In a finite graph, a run in which each step that is possible again and again is taken at some time ends in a
    /// settled state if and only if a settled state can be reached from each state of the run.
    func settling() -> Settling {
        var reaches = [Reach](repeating: .nothing, count: table.count)
        for (index, state) in table.states.enumerated() where model.isSettled(state) { reaches[index] = .settled }
        for index in expanded..<table.count where reaches[index] == .nothing { reaches[index] = .unexpanded }
        // Most steps lead to states that were found later, so a few passes from the end suffice.
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in (0..<expanded).reversed() where reaches[index] != .settled {
                var best = reaches[index]
                for target in targets[starts[index]..<starts[index + 1]] { best = max(best, reaches[Int(target)]) }
                if best != reaches[index] {
                    reaches[index] = best
                    isChanged = true
                }
            }
        }
        var result = Settling()
        for (index, reach) in reaches.enumerated() {
            switch reach {
            case .settled: result.proven += 1
            case .unexpanded: result.unknown += 1
            case .nothing: if result.stuck == nil { result.stuck = index }
            }
        }
        return result
    }

    private enum Reach: UInt8, Comparable {
        case nothing, unexpanded, settled

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The indices of the states on the shortest way to a state, the initial one first.
    func path(to index: Int) -> [Int] {
        var path = [index]
        var index = index
        while index != 0 {
            index = Int(table.parents[index])
            path.append(index)
        }
        return path.reversed()
    }
}
