/// The port to a timer, which measures deadlines and pauses.
///
/// It is separate from the device's clock, because the customer can set that clock.
public protocol PurchaseTimer: Sendable {
    /// Starts to wait; the returned task ends after this many milliseconds, or as soon as it is cancelled.
    ///
    /// The time counts from the call, not from the moment at which the task first runs.
    func start(milliseconds: Int64) -> Task<Void, Never>

    /// Returns the milliseconds since some instant, by a clock that is never set and stands still while the device is
    /// suspended.
    func uptimeMilliseconds() -> Int64
}

extension PurchaseTimer {
    /// Returns the milliseconds of ``DeviceUptime/activeMilliseconds()``.
    public func uptimeMilliseconds() -> Int64 { DeviceUptime.activeMilliseconds() }
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

/// The longest time that a service waits for the parts it calls.
///
/// A call that asks the store several questions, such as a refresh or a restore, returns within one of them:
///
/// | call | deadline |
/// |---|---|
/// | a refresh, the evidence, the current entitlements, a start of the ``EntitlementStore`` | ``queryMilliseconds`` |
/// | a restore | ``synchronizationMilliseconds`` |
/// | a purchase, also through a coordinator or a flow, from the customer's confirmation on | ``purchaseMilliseconds`` |
///
/// What the store answers after that counts all the same: it is processed and published when it arrives.
///
/// The times are stored in milliseconds, because the core runs on systems without `Duration`; where there is one, each
/// has a twin of that type, such as ``query`` of ``queryMilliseconds``.
public struct PurchaseDeadlines: Sendable, Hashable {
    /// The milliseconds for a query: products, unfinished transactions, finishing, and all questions of one refresh.
    public var queryMilliseconds: Int64
    /// The milliseconds for a purchase or a sheet, which include the customer's answer to the store's dialogue. A
    /// purchase is also verified, recorded and handed over within them.
    public var purchaseMilliseconds: Int64
    /// The milliseconds for a restore, which include the customer's password.
    ///
    /// A password that is entered later counts too: what the store then has arrives as an update.
    public var synchronizationMilliseconds: Int64
    /// The milliseconds for the verification of one signature.
    public var verificationMilliseconds: Int64
    /// The milliseconds for one order to the fulfiller.
    public var fulfilmentMilliseconds: Int64
    /// The milliseconds for one call to the ledger.
    public var ledgerMilliseconds: Int64

    /// Creates deadlines of 30 seconds, of ten minutes for a purchase, and of two for a restore.
    public init() {
        self.init(queryMilliseconds: 30_000)
    }

    /// Creates deadlines in milliseconds; without an argument, 30 seconds, ten minutes for a purchase, and two for a
    /// restore.
    public init(
        queryMilliseconds: Int64 = 30_000,
        purchaseMilliseconds: Int64 = 600_000,
        synchronizationMilliseconds: Int64 = 120_000,
        verificationMilliseconds: Int64 = 30_000,
        fulfilmentMilliseconds: Int64 = 30_000,
        ledgerMilliseconds: Int64 = 30_000
    ) {
        self.queryMilliseconds = queryMilliseconds
        self.purchaseMilliseconds = purchaseMilliseconds
        self.synchronizationMilliseconds = synchronizationMilliseconds
        self.verificationMilliseconds = verificationMilliseconds
        self.fulfilmentMilliseconds = fulfilmentMilliseconds
        self.ledgerMilliseconds = ledgerMilliseconds
    }

    /// The milliseconds of a purchase for which the store and the processing of its answer are awaited. What is left is
    /// for the refresh that follows.
    package var saleMilliseconds: Int64 { max(purchaseMilliseconds / 2, purchaseMilliseconds - queryMilliseconds) }

    /// The milliseconds of a query that are left for the ledger after the store has not answered: a tenth.
    package var recordedMilliseconds: Int64 { queryMilliseconds / 10 }

    /// The milliseconds of a query for which the store is awaited: what the ledger needs before and after is left.
    package var answerMilliseconds: Int64 { queryMilliseconds - 2 * recordedMilliseconds }

    /// The milliseconds for one attempt to hand a purchase over: for the fulfiller's order, and for finishing.
    var handOverMilliseconds: Int64 {
        let (sum, isTooLarge) = fulfilmentMilliseconds.addingReportingOverflow(queryMilliseconds)
        return isTooLarge ? .max : sum
    }
}
