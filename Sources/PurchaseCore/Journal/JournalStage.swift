/// How far a delivery has come; each stage is durable before the next one is begun.
public enum JournalStage: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// It has arrived; nothing is known about it.
    case observed
    /// Its signature and its claims are good.
    case verified
    /// It counts: the customer's purchases include it from here on.
    case recorded
    /// What it gives or takes has been handed over.
    case granted
    /// The store has been told, or does not ask any more.
    case finished

    /// Whether the first stage comes before the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
