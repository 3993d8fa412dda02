/// How many prepared keys may exist at a time, so that their tables never fill the memory.
final class PreparedKeyBudget: Sendable {
    /// One prepared key's place; free again when it is let go.
    final class Place: Sendable {
        private let budget: PreparedKeyBudget

        fileprivate init(_ budget: PreparedKeyBudget) {
            self.budget = budget
        }

        deinit { budget.taken.withLock { $0 -= 1 } }
    }

    private let taken = Locked(0)
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of places that are taken.
    var count: Int { taken.withLock { $0 } }

    /// Takes a place; nil when there is none.
    func take() -> Place? {
        let isFree = taken.withLock { taken in
            guard taken < capacity else { return false }
            taken += 1
            return true
        }
        return isFree ? Place(self) : nil
    }
}
