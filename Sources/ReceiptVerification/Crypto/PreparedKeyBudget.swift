internal import ReceiptTypes

/// Bounds the number of prepared keys, and with it the memory of their tables.
final class PreparedKeyBudget: Sendable {
    /// A place for one prepared key, which is released on deinitialization.
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

    /// The number of places in use.
    var count: Int { taken.withLock { $0 } }

    /// Takes a place; nil if none is free.
    func take() -> Place? {
        let isFree = taken.withLock { taken in
            guard taken < capacity else { return false }
            taken += 1
            return true
        }
        return isFree ? Place(self) : nil
    }
}
