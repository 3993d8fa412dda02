public import ReceiptTypes

/// The step of a purchase before the store is asked: returns whether the customer wants to buy, or throws the reason
/// that nothing is sold.
public typealias PurchaseConfirmation = @Sendable () async throws(PurchaseFlowError) -> Bool

/// A service that sells products and returns what the customer owns.
public protocol PurchaseServicing: Sendable {
    /// Loads the products with these ids; an id that the store does not know is left out.
    ///
    /// - Throws: ``StoreError``; a conformer may throw any error.
    func products(for ids: [String]) async throws -> [Product]

    /// Buys a product. A failed purchase is a result, not a thrown error.
    func purchase(productID: String) async -> PurchaseResult

    /// Buys a product with options: a quantity, an offer, or the app's account.
    func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult

    /// Buys a product with options, and returns what is needed to count each sale once. Every way to buy calls this
    /// method.
    ///
    /// - Parameters:
    ///   - productID: The id of the product.
    ///   - options: The quantity, the offer and the account.
    ///   - confirmation: Asks the customer before the store is asked, and not for a product that is owned or pending or
    ///     that the user cannot buy; nil if only the store's own sheet asks.
    func countedPurchase(
        productID: String, options: PurchaseOptions, confirmation: PurchaseConfirmation?
    ) async -> PurchaseReport

    /// Processes the store's updates until the task is cancelled.
    ///
    /// The handler receives each new transaction after it is recorded, and each transaction that is rejected. For a
    /// subscription status, it receives the transaction only if that is recorded for the user.
    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never>

    /// Returns the transactions of the store's current entitlements, each with its verification result.
    func currentEntitlements() async -> [VerificationResult<Transaction>]

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, or if the service cannot
    ///   tell.
    func waitUntilHandedOver(productID: String) async -> Bool

    /// Waits until the purchase with a ``PurchaseReport/transactionID`` is handed over, also if another purchase of
    /// the product is ``PendingReason/notHandedOver`` meanwhile. Coordinators call this method.
    func waitUntilHandedOver(productID: String, transactionID: String) async -> Bool

    /// Returns the input of an ``EntitlementProjection``, updated from the store if it can be reached.
    func evidence() async throws(LedgerError) -> PurchaseEvidence

    /// Returns the evidence within the deadline of a query. If the store has not answered by then, it is what is
    /// recorded, and the handler receives the complete evidence when the store has answered.
    func evidence(
        late: @escaping @Sendable (PurchaseEvidence) async -> Void
    ) async throws(LedgerError) -> PurchaseEvidence

    /// Returns what is recorded, without asking the store; nil if that takes long, or if nothing is recorded.
    func rememberedEvidence() async throws(LedgerError) -> PurchaseEvidence?

    /// Brings the recorded purchases of a user up to date with what the verifier says now, without asking the store.
    ///
    /// - Returns: The deliveries that the verifier has not decided about; nil if another user is signed in.
    func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]?

    /// Fetches the complete purchase history. Call it only after a tap on a restore button.
    ///
    /// - Throws: ``StoreError``; a conformer may throw any error.
    func requestAllPurchaseHistory() async throws -> RestoredHistory

    /// Verifies an app receipt and records it, with the purchases in it.
    ///
    /// - Parameter bytes: The receipt file, or its base64.
    /// - Throws: ``LedgerError`` if the receipt could not be recorded; a conformer may throw any error.
    func restore(appReceipt bytes: [UInt8]) async throws -> VerificationResult<RestoredAppReceipt>

    /// Asks the store for the app transaction and records it; nil if the store has none.
    ///
    /// - Throws: ``StoreError`` or ``LedgerError``; a conformer may throw any error.
    func restoreAppTransaction() async throws -> VerificationResult<RestoredAppReceipt>?

    /// Returns the purchases that await something outside of the app, such as an approval.
    func pendingPurchases() async throws(LedgerError) -> [PendingPurchase]

    /// Forgets a pending purchase, so that the product can be ordered again.
    func forgetPendingPurchase(productID: String) async throws(LedgerError)

    /// Resumes every purchase that was begun and not finished.
    func resumeUnfinishedPurchases() async
}

// Defaults, so that a mock or a small service needs only the four methods without one.
extension PurchaseServicing {
    /// Returns false, because a service that hands nothing over cannot tell.
    public func waitUntilHandedOver(productID: String) async -> Bool { false }

    /// Waits with ``waitUntilHandedOver(productID:)``, which does not know the purchase.
    public func waitUntilHandedOver(productID: String, transactionID: String) async -> Bool {
        await waitUntilHandedOver(productID: productID)
    }

    /// Restores the purchases: ``requestAllPurchaseHistory()`` under its usual name.
    @discardableResult
    public func restorePurchases() async throws -> RestoredHistory { try await requestAllPurchaseHistory() }

    /// Buys without options, and fails with ``StoreErrorCode/unsupported`` if there are any.
    ///
    /// An option is never ignored: the customer would get another quantity, price or account than the app asked for.
    public func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult {
        guard options == PurchaseOptions() else {
            return .failed(StoreError(.unsupported, "this service does not support the options of a purchase"))
        }
        return await purchase(productID: productID)
    }

    /// Buys with ``purchase(productID:options:)`` after the confirmation; each call counts as a purchase of its own.
    public func countedPurchase(
        productID: String, options: PurchaseOptions, confirmation: PurchaseConfirmation?
    ) async -> PurchaseReport {
        do throws(PurchaseFlowError) {
            if let confirmation, try await !confirmation() { return .notAsked(productID, .userCancelled) }
        } catch {
            return .notAsked(productID, .failed(error))
        }
        return PurchaseReport(productID, result: await purchase(productID: productID, options: options))
    }

    /// Buys a product with options, without a confirmation, and returns what is needed to count each sale once.
    public func countedPurchase(productID: String, options: PurchaseOptions) async -> PurchaseReport {
        await countedPurchase(productID: productID, options: options, confirmation: nil)
    }

    /// Returns the current entitlements as known transactions.
    public func requestAllPurchaseHistory() async throws -> RestoredHistory {
        let results = await currentEntitlements()
        return RestoredHistory(known: results.compactMap(\.verifiedPayload), rejected: results.compactMap(\.failure))
    }

    /// Returns the failure `key-not-found`, because a service without a ledger records nothing.
    public func restore(appReceipt bytes: [UInt8]) async throws -> VerificationResult<RestoredAppReceipt> {
        .unverified(
            VerificationFailure(
                code: .keyNotFound, expected: "a service that records app receipts", actual: "one that does not"))
    }

    /// Returns nil, because a service without a ledger records no app transaction.
    public func restoreAppTransaction() async throws -> VerificationResult<RestoredAppReceipt>? { nil }

    /// Returns no delivery, because a service without a ledger keeps no signed content.
    public func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]? { [] }

    /// Returns no purchases.
    public func pendingPurchases() async throws(LedgerError) -> [PendingPurchase] { [] }

    /// Does nothing.
    public func forgetPendingPurchase(productID: String) async throws(LedgerError) {}

    /// Does nothing.
    public func resumeUnfinishedPurchases() async {}

    /// Loads products, with an error of another type as the cause of a ``StoreError``.
    func storeProducts(for ids: [String]) async throws(StoreError) -> [Product] {
        do {
            return try await products(for: ids)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.unknown, "\(error)", underlying: error)
        }
    }

    /// Returns ``evidence()``, whose store has no late answers.
    public func evidence(
        late: @escaping @Sendable (PurchaseEvidence) async -> Void
    ) async throws(LedgerError) -> PurchaseEvidence { try await evidence() }

    /// Returns nil, because a service without a ledger remembers nothing.
    public func rememberedEvidence() async throws(LedgerError) -> PurchaseEvidence? { nil }

    /// Returns the verified current entitlements. A service with a ledger provides its own implementation.
    public func evidence() async throws(LedgerError) -> PurchaseEvidence {
        PurchaseEvidence(transactions: await currentEntitlements().compactMap(\.verifiedPayload))
    }
}

/// The result of a purchase, as a service returns it.
public enum PurchaseResult: Sendable {
    /// The store has sold the product; it is unlocked only if the signature is verified.
    ///
    /// A service that knows why a purchase is not verified reports the failure instead: in ``deferred(_:)`` if a retry
    /// can help, otherwise in ``failed(_:)``.
    case success(verified: Bool)
    /// The customer owns the product, and nothing was sold; see ``PurchaseOutcome/alreadyOwned``.
    case alreadyOwned
    /// The customer has cancelled.
    case userCancelled
    /// The purchase awaits something outside of the app; see ``PendingReason/awaitingApproval``.
    case pending
    /// The store has accepted the purchase or has not answered, and something is left to do.
    case deferred(PendingReason)
    /// The purchase has failed.
    case failed(any Error)
}

extension PurchaseResult {
    /// The result of a purchase that is not verified: pending if a retry can help, and failed if it cannot.
    init(unverified failure: VerificationFailure) {
        if failure.code == .purchasePending {
            // It is recorded as a pending purchase.
            self = .pending
        } else if failure.isRetryable {
            self = .deferred(.unverified(failure))
        } else {
            self = .failed(PurchaseFlowError.unverified(failure))
        }
    }
}

/// The input of an ``EntitlementProjection`` and a ``TrialManager``: verified transactions, renewal infos and times.
public struct PurchaseEvidence: Sendable, Hashable {
    /// The verified transactions; several can be versions of one purchase.
    public let transactions: [Transaction]
    /// The verified renewal infos.
    public let renewalInfos: [RenewalInfo]
    /// The ids of the transactions that the store lists as current; empty if it did not answer.
    public let listedTransactionIDs: [String]
    /// The recorded purchases that the store did not list when it last answered.
    public let absences: [AbsentPurchase]
    /// The latest times seen so far.
    public let clock: ClockMarks
    /// Whether the store has answered, so the evidence is complete.
    public let isStoreReachable: Bool
    /// The introductory offers that other users of the app have used up in the same account of the store.
    public let offersUsedByOthers: UsedOffers
    /// The purchases of the app itself, from the customer's app receipts.
    public let appPurchases: [AppPurchase]

    /// Creates evidence.
    public init(
        transactions: [Transaction],
        renewalInfos: [RenewalInfo] = [],
        listedTransactionIDs: [String] = [],
        absences: [AbsentPurchase] = [],
        clock: ClockMarks = .init(),
        isStoreReachable: Bool = true,
        offersUsedByOthers: UsedOffers = UsedOffers(),
        appPurchases: [AppPurchase] = []
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.listedTransactionIDs = listedTransactionIDs
        self.absences = absences
        self.clock = clock
        self.isStoreReachable = isStoreReachable
        self.offersUsedByOthers = offersUsedByOthers
        self.appPurchases = appPurchases
    }

    /// Returns the time to use for every decision about this evidence, for the time of the device's clock.
    public func time(byClock now: Timestamp) -> Timestamp {
        clock.time(byClock: now, isStoreReachable: isStoreReachable)
    }

    /// The instant before which an end counts as passed; see ``ClockMarks/earliestConfirmedEnd(isStoreReachable:)``.
    public var earliestConfirmedEnd: Timestamp? { clock.earliestConfirmedEnd(isStoreReachable: isStoreReachable) }
}
