public import ReceiptTypes

/// What asking for everything that was ever bought has brought.
public struct RestoredHistory: Sendable, Hashable {
    /// What was not recorded before.
    public let restored: [Transaction]
    /// What was.
    public let known: [Transaction]
    /// Why the rest is not verified, or not this account's; one for each.
    public let refused: [VerificationFailure]
    /// How many could not be written down; the store has them still.
    public let notRecorded: Int

    /// Whether the store remembers nothing at all, which is no failure.
    public var isEmpty: Bool { restored.isEmpty && known.isEmpty && refused.isEmpty && notRecorded == 0 }
}
