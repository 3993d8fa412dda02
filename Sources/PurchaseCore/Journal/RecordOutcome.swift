/// What recording a transaction has changed.
public enum RecordOutcome: Sendable, Hashable {
    /// It is the first text about its transaction.
    case inserted
    /// There was another text about the same transaction, and both are kept.
    case merged
    /// The text was recorded before.
    case unchanged
    /// It contradicts what is recorded, and is not recorded itself.
    case conflict(RecordConflict)
}
