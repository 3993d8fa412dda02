internal import ReceiptTypes

/// Buys in a store, processes the store's deliveries, and records them in a ledger.
///
/// The answer to a purchase, an update, a restored transaction and an unfinished one take the same path: verified,
/// recorded, granted, and only then finished. Each step is durable before the next one that reaches outside of the
/// ledger, the fulfiller's order or the store's `finish`, so the process can end between any two of them; the next
/// launch continues there. A step that fails is repeated while the process runs.
///
/// The service calls the verifier, the fulfiller and handlers while it holds no lock, queue or purchase slot, so all of
/// them can call the service. Each call returns within one of the ``PurchaseDeadlines``, however many questions it
/// asks, and what the store answers later is processed then.
/// The log must not block: it also receives events and times while the queue or the slot is held, such as that of a
/// sale.
///
/// ```swift
/// let service = PurchaseService(
///     store: store, ledger: ledger, verifier: ReceiptVerifier(policy: policy), environment: environment)
/// let result = await service.purchase(productID: "com.example.pro.yearly")
/// ```
public actor PurchaseService: PurchaseServicing {
    let store: any Store
    let ledger: any PurchaseLedger
    let verifier: BoundedVerifier
    let fulfiller: any PurchaseFulfilling
    let environment: PurchaseEnvironment
    /// The app's user; changed by ``signIn(_:)`` and ``signOut()``.
    var user: AppUser
    /// The number of changes of the user: an answer that a change has overtaken may be that of another user, also after
    /// the former one has signed in again.
    var userChanges = 0

    let meter: StageMeter
    let deadlines: PurchaseDeadlines
    /// Nil for a service without limits.
    let pacing: PurchasePacing?

    /// Orders the changes of the ledger. Of the app, only the ledger and the log are called in it.
    let queue = KeyedQueue()
    /// The verified texts, and what is not written.
    var intake = Intake()
    /// The deliveries that are being processed.
    var deliveries: [Int: Task<Void, Never>] = [:]
    var lastDelivery = 0
    /// The handlers of the running listeners.
    var handlers: [Int: Handler] = [:]
    /// The sales that the store was asked for.
    var sales = Sales()
    /// The waits for the awaited sales, by number.
    var saleWaits: [Int: SaleWait] = [:]
    /// The machine that decides about hand-overs, retries, and the calls that wait for them.
    var handOvers: HandOvers
    /// The fulfiller's orders that have not ended, by the number of the effect.
    var orders: [Int: Task<Void, Never>] = [:]
    /// The machine's timers that have not fired, by the number of the effect.
    var timers: [Int: Task<Void, Never>] = [:]
    /// The callers that wait for hand-overs, by their number.
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastWaiter = 0
    /// The work that still waits for the store after its caller has returned.
    let lateAnswers = LateAnswers()
    /// The questions to the store about the current entitlements, and what follows from their order.
    var questions = Questions()
    /// What the handlers were called for, and the conflicts that were logged.
    var announcements = Announcements()

    /// Creates a service; it does nothing until one of its methods is called.
    ///
    /// - Parameters:
    ///   - store: The store to buy in.
    ///   - ledger: The durable record of deliveries. Services that share it hand each purchase over once. Without one,
    ///     the record is lost when the process ends, and a ``PurchaseLogEvent/Kind/notDurable`` event says so.
    ///   - verifier: The verifier of everything that the store has signed.
    ///   - fulfiller: Grants what is not an entitlement, such as coins.
    ///   - user: The app's user at launch. A purchase made for another account is not granted and stays unfinished for
    ///     that account. An app with accounts passes ``AppUser/signedOut`` while none is signed in: with
    ///     ``AppUser/noAccounts``, the default, every recorded purchase is returned. ``signIn(_:)`` and ``signOut()``
    ///     change the user.
    ///   - deadlines: The longest time to wait for the store, the ledger, the verifier and the fulfiller.
    ///   - pacing: The limits of purchases and restores, and the lock of a recovery; nil for a service without them.
    ///   - environment: The log of failures, recorded transactions and times; the timer of the deadlines and pauses;
    ///     the uptime and the clock. While the store answers, setting the clock back does not go behind the store's
    ///     latest signature. Offline, it extends access only within the limits of ``ClockMarks``.
    public init(
        store: any Store,
        ledger: (any PurchaseLedger)? = nil,
        verifier: any TransactionVerifying,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        user: AppUser = .noAccounts,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        pacing: PurchasePacing? = nil,
        environment: PurchaseEnvironment = .system
    ) {
        let meter = StageMeter(environment: environment)
        self.meter = meter
        self.store = BoundedStore(base: store, deadlines: deadlines, meter: meter)
        self.ledger = BoundedLedger(
            base: ledger ?? InMemoryLedger(), deadline: deadlines.ledgerMilliseconds, meter: meter)
        self.verifier = BoundedVerifier(
            base: verifier, deadline: deadlines.verificationMilliseconds, meter: meter)
        self.fulfiller = fulfiller
        self.user = user.normalized
        handOvers = HandOvers(
            user: user.normalized,
            limits: HandOvers.Limits(
                orderMilliseconds: deadlines.fulfilmentMilliseconds,
                otherServiceMilliseconds: deadlines.handOverMilliseconds))
        self.environment = environment
        self.deadlines = deadlines
        self.pacing = pacing
        Self.check(user, environment.log)
        if ledger == nil {
            environment.log.log(
                PurchaseLogEvent(.notDurable, detail: "no ledger was given: records are lost with the process"))
        }
    }

    /// Loads the products with these ids; an id that the store does not know is left out.
    public nonisolated func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await store.products(for: ids)
    }

    /// Shows a sheet of the store, such as the one to redeem an offer code. Its effect arrives as an update.
    ///
    /// It throws ``StoreErrorCode/timedOut`` if the sheet is open longer than
    /// ``PurchaseDeadlines/purchaseMilliseconds``.
    public nonisolated func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        try await store.present(sheet)
    }

    /// Returns a stream of purchases that the customer begins in the store, such as promoted purchases.
    ///
    /// The app makes each with ``purchase(productID:options:)``, at once or when it is ready.
    public nonisolated func purchaseIntents() -> AsyncStream<PurchaseIntent> { store.purchaseIntents() }

    func logEvent(
        _ kind: PurchaseLogEvent.Kind, _ productID: String? = nil, transactionID: String? = nil, detail: String
    ) {
        environment.log.log(PurchaseLogEvent(kind, productID: productID, transactionID: transactionID, detail: detail))
    }

    func logEvent(
        _ kind: PurchaseLogEvent.Kind, _ productID: String? = nil, transactionID: String? = nil,
        context: String? = nil, error: any CodedError
    ) {
        environment.log.log(
            PurchaseLogEvent(
                kind, productID: productID, transactionID: transactionID, context: context, error: error))
    }

    /// Returns the result of a call to the ledger; nil after a failure, which is logged.
    ///
    /// For calls that the service can do without. Every other failure is thrown.
    @discardableResult
    func logFailure<Value>(
        _ productID: String? = nil, transactionID: String? = nil,
        _ call: () async throws(LedgerError) -> Value
    ) async -> Value? {
        do throws(LedgerError) {
            return try await call()
        } catch {
            logEvent(.ledgerFailed, productID, transactionID: transactionID, error: error)
            return nil
        }
    }
}
