/// The states found so far in the order in which they were found, each with the step that has led to it first.
struct StateTable {
    private(set) var states: [PackedState] = []
    /// The index of the state from which each one was found; the initial state is its own.
    private(set) var parents: [UInt32] = []
    /// The position of the step among the steps of the parent.
    private(set) var steps: [UInt16] = []
    /// A hash table with open addressing: one more than an index; zero is free.
    private var slots = [UInt32](repeating: 0, count: 1 << 12)

    var count: Int { states.count }

    /// Makes room for a number of states.
    mutating func reserve(_ count: Int) {
        states.reserveCapacity(count)
        parents.reserveCapacity(count)
        steps.reserveCapacity(count)
        while slots.count < count * 2 { grow() }
    }

    /// Returns the index of a state, which is added if it is new.
    mutating func insert(_ state: PackedState, parent: Int, step: Int) -> (index: Int, isNew: Bool) {
        var slot = Int(truncatingIfNeeded: state.hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot] - 1)
            if states[index] == state { return (index, false) }
            slot = (slot + 1) & (slots.count - 1)
        }
        let index = states.count
        slots[slot] = UInt32(index + 1)
        states.append(state)
        parents.append(UInt32(parent))
        steps.append(UInt16(step))
        if states.count * 2 > slots.count { grow() }
        return (index, true)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (index, state) in states.enumerated() {
            var slot = Int(truncatingIfNeeded: state.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }
}
