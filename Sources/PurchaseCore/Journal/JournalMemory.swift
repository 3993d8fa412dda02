/// What the service keeps beside the deliveries.
public struct JournalMemory: Sendable, Hashable {
    /// How late it has certainly been.
    public var clock: ClockMarks
    /// The purchases that wait for somebody's approval.
    public var pending: [PendingPurchase]

    /// What there is to remember before anything has happened.
    public init(clock: ClockMarks = .init(), pending: [PendingPurchase] = []) {
        self.clock = clock
        self.pending = pending
    }
}
