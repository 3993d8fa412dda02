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
/// The times are in milliseconds, because the core runs on systems without `Duration`.
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
