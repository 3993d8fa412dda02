/// A trace as text.
extension Exploration where Explored == PurchaseModel {
    /// Returns the lines of the shortest way to a violation.
    mutating func trace(to index: Int, lastStep: Int?) -> [String] {
        var lines: [String] = []
        // Which of the two services is the first one in the present state: a state has them in a fixed order.
        var names = ["service A", "service B"]
        let indices = path(to: index)
        for (position, state) in indices.enumerated() {
            let step: Int
            if position + 1 < indices.count {
                step = Int(table.steps[indices[position + 1]])
            } else if let lastStep {
                step = lastStep
            } else {
                break
            }
            guard let (line, isSwapped) = model.line(of: step, in: table.states[state], names) else { continue }
            lines.append("\(lines.count + 1). \(line)")
            if isSwapped { names.reverse() }
        }
        return lines
    }
}

extension PurchaseModel {
    /// Returns the description of a step, and whether the services change places by it.
    fileprivate mutating func line(
        of position: Int, in state: PackedState, _ names: [String]
    ) -> (line: String, isSwapped: Bool)? {
        var found: (place: Place, move: Move, next: PackedState)?
        var count = 0
        forEachStep(of: state) { place, move, successor in
            if count == position { found = (place, move, successor.state) }
            count += 1
        }
        guard let (place, move, next) = found else { return nil }
        let isFirst = place != .second
        let line = move.description(service(isFirst ? state.first : state.second), names[isFirst ? 0 : 1])
        return (line, next.isSwapped)
    }
}
