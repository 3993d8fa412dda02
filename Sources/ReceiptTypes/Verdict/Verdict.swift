/// The outcome of one verification in one word.
public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The receipt is genuine and meets the policy.
    case verified
    /// The receipt is refused, and the reason is known.
    case unverified
    /// Nothing could be decided, for lack of a key, a root or memory.
    case undecided
}
