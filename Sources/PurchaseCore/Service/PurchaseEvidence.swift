/// Everything by which entitlements are judged.
public struct PurchaseEvidence: Sendable, Hashable {
    /// The verified transactions, several texts about one among them.
    public let transactions: [Transaction]
    /// The verified renewal infos.
    public let renewalInfos: [RenewalInfo]
    /// How late it has certainly been.
    public let clock: ClockMarks
    /// Whether the store has answered, so that nothing newer is missing.
    public let isStoreReachable: Bool

    /// Gathers evidence.
    public init(
        transactions: [Transaction],
        renewalInfos: [RenewalInfo] = [],
        clock: ClockMarks = .init(),
        isStoreReachable: Bool = true
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.clock = clock
        self.isStoreReachable = isStoreReachable
    }
}
