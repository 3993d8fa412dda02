/// The result of a restore, as a screen shows it.
///
/// A customer asks what is unlocked now. The history alone does not say that: it has refunded and expired purchases,
/// and nothing new if the purchases were recorded before.
///
/// ```swift
/// let restore = try await entitlementStore.restore()
/// show(restore.isAnythingInForce ? "Your purchases are restored." : "There is nothing to restore.")
/// ```
public struct RestoreResult: Sendable, Hashable {
    /// What the store remembers.
    public let history: RestoredHistory
    /// What is in force after the restore.
    public let entitlements: Entitlements

    /// Creates a result.
    public init(history: RestoredHistory, entitlements: Entitlements) {
        self.history = history
        self.entitlements = entitlements
    }

    /// Whether an entitlement is granted, or a consumable was bought and not refunded.
    public var isAnythingInForce: Bool {
        !entitlements.grounds.isEmpty || entitlements.balances.values.contains { $0 > 0 }
    }

    /// Whether a purchase could not be checked, belongs to another user of the app, or could not be recorded.
    public var hasProblems: Bool { !history.rejected.isEmpty || history.notRecorded > 0 }
}
