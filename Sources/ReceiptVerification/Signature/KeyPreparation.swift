/// Decides when a key has signed enough to be worth its table, and holds the table then.
///
/// Only good signatures count, so nobody can spend this machine's time with a key that signs nothing.
final class KeyPreparation: Sendable {
    /// A table costs as much time as it saves in some six hundred signatures. Nobody knows how many are to come: who
    /// begins at six hundred never loses more than half, who begins at a part of that gains more with keys that go on.
    static let threshold = 100

    private enum State {
        case counting(Int)
        case underWay
        case prepared(PreparedKey)
        /// This build has no tables.
        case impossible
    }

    private let state = Locked(State.counting(0))
    private let budget: PreparedKeyBudget
    private let threshold: Int

    init(budget: PreparedKeyBudget, threshold: Int = KeyPreparation.threshold) {
        self.budget = budget
        self.threshold = threshold
    }

    /// The table, where there is one.
    var table: PreparedKey? {
        state.withLock { if case .prepared(let key) = $0 { key } else { nil } }
    }

    /// Counts good signatures by a key, and makes its table when they are enough. The thread that notices does the
    /// work; the others go on without the table meanwhile.
    func count(_ signatures: Int, by key: PublicKey) -> PreparedKey? {
        let isDue = state.withLock { state in
            guard case .counting(let sum) = state else { return false }
            let (count, isOverflow) = sum.addingReportingOverflow(signatures)
            let isDue = isOverflow || count >= threshold
            // Where no place is free, the key starts over: one may be free by then.
            state = isDue ? .underWay : .counting(count)
            return isDue
        }
        guard isDue else { return table }
        let next = prepare(key)
        state.withLock { $0 = next }
        return table
    }

    private func prepare(_ key: PublicKey) -> State {
        guard let place = budget.take() else { return .counting(0) }
        do throws(CryptoFault) {
            guard let table = try PreparedKey(key, in: place) else { return .impossible }
            return .prepared(table)
        } catch {
            // No memory for a table is no reason not to verify.
            return .counting(0)
        }
    }
}
