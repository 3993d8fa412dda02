/// The port to a timer, which measures deadlines and pauses.
///
/// It is separate from the device's clock, because the customer can set that clock.
public protocol PurchaseTimer: Sendable {
    /// Starts to wait; the returned task ends after this many milliseconds, or as soon as it is cancelled.
    ///
    /// The time counts from the call, not from the moment at which the task first runs.
    func start(milliseconds: Int64) -> Task<Void, Never>
}

/// The system's timer.
public struct SystemTimer: PurchaseTimer {
    /// Creates the timer.
    public init() {}

    /// Starts to wait by the system's own clock, which does not stop or jump when the device's time is set.
    public func start(milliseconds: Int64) -> Task<Void, Never> {
        // A century is more than any deadline, and its nanoseconds do not overflow.
        let nanoseconds = UInt64(min(max(0, milliseconds), 100 * 365 * 86_400_000)) * 1_000_000
        return Task {
            // It throws only if the task is cancelled, which ends the wait too.
            try? await Task.sleep(nanoseconds: nanoseconds)
        }
    }
}

/// The longest time, in milliseconds, that a service waits for each of the parts it calls.
public struct PurchaseDeadlines: Sendable, Hashable {
    /// The deadline of a query: products, entitlements, statuses, history, unfinished transactions, finishing.
    public var query: Int64
    /// The deadline of a purchase or a sheet, which includes the customer's answer to the store's dialogue.
    public var purchase: Int64
    /// The deadline of a synchronization, which includes the customer's password.
    public var synchronization: Int64
    /// The deadline of the verification of one signature.
    public var verification: Int64
    /// The deadline of one order to the fulfiller.
    public var fulfilment: Int64
    /// The deadline of one call to the journal.
    public var journal: Int64

    /// Creates deadlines; without arguments, 30 seconds, and ten minutes where the customer has to answer.
    public init(
        query: Int64 = 30_000,
        purchase: Int64 = 600_000,
        synchronization: Int64 = 600_000,
        verification: Int64 = 30_000,
        fulfilment: Int64 = 30_000,
        journal: Int64 = 30_000
    ) {
        self.query = query
        self.purchase = purchase
        self.synchronization = synchronization
        self.verification = verification
        self.fulfilment = fulfilment
        self.journal = journal
    }
}
