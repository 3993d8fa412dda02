extension HandOvers {
    /// Returns the same state with other numbers of its effects, so that two states that differ only in how many
    /// effects there were before are equal.
    ///
    /// - Parameters:
    ///   - next: The number of the next effect; it is higher than every other new one.
    ///   - newNumber: Returns a different number for each number. Effects in flight are to get theirs too.
    package func renumbered(next: Int, _ newNumber: (Int) -> Int) -> HandOvers {
        func renamed(_ id: EffectID) -> EffectID { EffectID(number: newNumber(id.number), subject: id.subject) }
        var renumbered = self
        renumbered.lastNumber = next - 1
        for (key, handOver) in purchases {
            if let step = handOver.attempt?.step {
                renumbered.purchases[key]?.attempt?.step = step.renamed(by: renamed)
            }
            if let id = handOver.attempt?.patience { renumbered.purchases[key]?.attempt?.patience = renamed(id) }
            if let step = handOver.order?.step { renumbered.purchases[key]?.order?.step = step.renamed(by: renamed) }
            if let renewal = handOver.order?.renewal { renumbered.purchases[key]?.order?.renewal = renamed(renewal) }
        }
        for (key, retry) in retries { renumbered.retries[key]?.turn = retry.turn.renamed(by: renamed) }
        return renumbered
    }
}

extension HandOverAttempt.Step {
    fileprivate func renamed(by newID: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .reading(let id, under: let claim): .reading(newID(id), under: claim)
        case .renewing(let id): .renewing(newID(id))
        case .claiming(let id): .claiming(newID(id))
        case .waitingForOther(let id): .waitingForOther(newID(id))
        case .ordering(let id): .ordering(deadline: newID(id))
        case .marking(let id, under: let claim): .marking(newID(id), under: claim)
        case .releasing(let id, readsAgain: let readsAgain): .releasing(newID(id), readsAgain: readsAgain)
        case .finishing(let id): .finishing(newID(id))
        case .markingFinished(let id): .markingFinished(newID(id))
        }
    }
}

extension RunningOrder.Step {
    fileprivate func renamed(by newID: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .calling(let id): .calling(newID(id))
        case .marking(let id): .marking(newID(id))
        case .releasing(let id): .releasing(newID(id))
        }
    }
}

extension Retry.Turn {
    fileprivate func renamed(by newID: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .waiting(let id): .waiting(newID(id))
        case .taken(let id): .taken(newID(id))
        case .stopped: .stopped
        }
    }
}
