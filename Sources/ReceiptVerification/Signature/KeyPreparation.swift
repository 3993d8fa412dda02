/// Decides when a key has verified enough signatures to pay for its table, and owns the table.
///
/// Only valid signatures count, so an attacker without the private key cannot cause the work.
final class KeyPreparation: Sendable {
    /// The number of valid signatures after which a key gets its table.
    ///
    /// Computing a table takes as long as it saves over about 600 signatures. A threshold of 600 would never cost more
    /// than twice the optimum; a lower one gains more with keys that continue to sign.
    static let threshold = 100

    private enum State {
        case counting(Int)
        case underWay
        case prepared(PreparedKey)
        /// This build cannot compute tables.
        case impossible
    }

    private let state = Locked(State.counting(0))
    private let budget: PreparedKeyBudget
    private let threshold: Int

    init(budget: PreparedKeyBudget, threshold: Int = KeyPreparation.threshold) {
        self.budget = budget
        self.threshold = threshold
    }

    /// The table, if it has been computed.
    var table: PreparedKey? {
        state.withLock { if case .prepared(let key) = $0 { key } else { nil } }
    }

    /// Counts valid signatures of a key and, when the threshold is reached, computes its table.
    ///
    /// The thread that reaches it does the work; other threads continue without the table.
    func count(_ signatures: Int, by key: PublicKey) -> PreparedKey? {
        let isDue = state.withLock { state in
            guard case .counting(let sum) = state else { return false }
            let (count, isOverflow) = sum.addingReportingOverflow(signatures)
            let isDue = isOverflow || count >= threshold
            // If no place is free, counting starts again, and a place may be free at the next threshold.
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
            // Without memory for a table, the key still verifies.
            return .counting(0)
        }
    }
}
