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
            if let step = handOver.attempt?.step { renumbered.purchases[key]?.attempt?.step = step.with(renamed) }
            if let id = handOver.attempt?.patience { renumbered.purchases[key]?.attempt?.patience = renamed(id) }
            if let step = handOver.order?.step { renumbered.purchases[key]?.order?.step = step.with(renamed) }
            if let renewal = handOver.order?.renewal { renumbered.purchases[key]?.order?.renewal = renamed(renewal) }
        }
        for (key, retry) in retries { renumbered.retries[key]?.turn = retry.turn.with(renamed) }
        return renumbered
    }
}

extension HandOverAttempt.Step {
    fileprivate func with(_ renamed: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .reading(let id, under: let claim): .reading(renamed(id), under: claim)
        case .renewing(let id): .renewing(renamed(id))
        case .claiming(let id): .claiming(renamed(id))
        case .waitingForOther(let id): .waitingForOther(renamed(id))
        case .ordering(let id): .ordering(deadline: renamed(id))
        case .marking(let id, under: let claim): .marking(renamed(id), under: claim)
        case .releasing(let id, readsAgain: let readsAgain): .releasing(renamed(id), readsAgain: readsAgain)
        case .finishing(let id): .finishing(renamed(id))
        case .markingFinished(let id): .markingFinished(renamed(id))
        }
    }
}

extension RunningOrder.Step {
    fileprivate func with(_ renamed: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .calling(let id): .calling(renamed(id))
        case .marking(let id): .marking(renamed(id))
        case .releasing(let id): .releasing(renamed(id))
        }
    }
}

extension Retry.Turn {
    fileprivate func with(_ renamed: (HandOvers.EffectID) -> HandOvers.EffectID) -> Self {
        switch self {
        case .waiting(let id): .waiting(renamed(id))
        case .taken(let id): .taken(renamed(id))
        case .stopped: .stopped
        }
    }
}
