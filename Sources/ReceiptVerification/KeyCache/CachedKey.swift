internal import ReceiptTypes

/// A key that the cache holds, with the table that makes its signatures cheaper to verify.
///
/// Only valid signatures count, so an attacker cannot make this machine compute tables. The number of tables is bounded
/// by a ``PreparedKeyBudget``; a table is freed with the last user of its key.
final class CachedKey: Sendable {
    /// The signatures after which a key gets a table.
    ///
    /// A table costs as much time as it saves in about six hundred signatures, and how many are to come is unknown. A
    /// threshold of six hundred would at most double the cost; a lower one gains more with keys that go on signing.
    static let preparationThreshold = 100

    private enum Table {
        /// No table yet, after so many signatures.
        case none(signatures: Int)
        /// One thread is computing the table.
        case inPreparation
        case ready(PreparedKey)
        /// This build of OpenSSL has no tables, or the key is an RSA key.
        case unavailable
    }

    let key: VerificationKey
    private let state: Locked<Table>
    private let budget: PreparedKeyBudget
    private let threshold: Int

    init(_ key: VerificationKey, budget: PreparedKeyBudget, threshold: Int) {
        self.key = key
        state = Locked(key.purpose == .jws ? .none(signatures: 0) : .unavailable)
        self.budget = budget
        self.threshold = threshold
    }

    /// The table; nil until there is one.
    var table: PreparedKey? {
        state.withLock { if case .ready(let table) = $0 { table } else { nil } }
    }

    /// Counts a valid signature and returns the table once there is one.
    ///
    /// The thread that reaches the threshold computes the table, outside the lock; the others go on without it.
    func countSignature() -> PreparedKey? {
        let isDue = state.withLock { state in
            guard case .none(let signatures) = state else { return false }
            let isDue = signatures + 1 >= threshold
            state = isDue ? .inPreparation : .none(signatures: signatures + 1)
            return isDue
        }
        guard isDue else { return table }
        let next = makeTable()
        state.withLock { $0 = next }
        return table
    }

    private func makeTable() -> Table {
        // Without a free place the key starts over: one may be free by then.
        guard let place = budget.take() else { return .none(signatures: 0) }
        do throws(CryptoFault) {
            guard let table = try PreparedKey(key.key, in: place) else { return .unavailable }
            return .ready(table)
        } catch {
            // Without memory for a table, signatures are verified without one.
            return .none(signatures: 0)
        }
    }
}
