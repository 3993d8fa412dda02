public import PurchaseCore
public import ReceiptTypes
internal import ReceiptVerification

extension StoreSimulator {
    /// The store as one launch of the app on a customer's device sees it.
    ///
    /// The first stream of updates begins with all unfinished transactions, as after a launch. A purchase on this
    /// device is the answer to its call and not an update; the customer's other devices receive it as an update.
    public final class Customer: Store {
        /// The customer's account.
        public let account: String

        private let store: StoreSimulator
        private let number: Int
        private let isLaunched = Locked(false)

        init(store: StoreSimulator, account: String, number: Int) {
            self.store = store
            self.account = account
            self.number = number
        }

        // MARK: Purchases

        /// Returns the products with the identifiers, without unknown ones.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] {
            try call(.products, .loadProducts) { core in
                let settings = core.engine.state.settings
                return ids.compactMap { core.engine.configuration.product($0)?.product(in: settings) }
            }
        }

        /// Buys a product, with the offer of the options, or with an introductory offer where the customer is eligible.
        ///
        /// The signature of a promotional offer is not checked.
        public func purchase(
            _ productID: String, options: PurchaseOptions
        ) async throws(StoreError) -> StorePurchase {
            let offer: RequestedOffer? =
                switch options.offer {
                case .promotional(let id, signature: _): .promotional(id: id)
                case .winBack(let id): .winBack(id: id)
                case nil: nil
                }
            return try await purchase(productID, options: options, offer: offer)
        }

        /// Buys a product with a requested offer.
        ///
        /// For a plan change that takes effect with the next renewal, the answer is the transaction of the current
        /// period.
        public func purchase(
            _ productID: String, options: PurchaseOptions, offer: RequestedOffer?
        ) async throws(StoreError) -> StorePurchase {
            let order = PurchaseOrder(
                quantity: options.quantity, appAccountToken: options.appAccountToken, offer: offer,
                billingPlan: options.billingPlan)
            let (account, number) = (account, number)
            let isCode = if case .code = offer { true } else { false }
            return try call(.purchase, isCode ? .offerCodeRedeemSheet : .purchase) { core throws(StoreSimulatorError) in
                let answer = try core.step(by: number) { engine throws(StoreSimulatorError) in
                    try engine.buy(productID, for: account, order)
                }
                guard let transaction = answer.transaction else { return .pending }
                return .success(try core.signedAnswer(with: transaction))
            }
        }

        // MARK: Transactions

        /// Returns a stream of the updates that are not answers to purchases on this device.
        public func updates() -> AsyncStream<StoreUpdate> {
            updates { [account, number] core, isLaunch, outlet in
                core.listen(account, customer: number, isLaunch: isLaunch, outlet)
            }
        }

        /// Returns a stream of updates that a function opens in the store.
        ///
        /// The first stream of the device is the one of a launch.
        func updates(
            _ listen: (inout SimulatorCore, _ isLaunch: Bool, UpdateOutlet) -> Void
        ) -> AsyncStream<StoreUpdate> {
            let isLaunch = isLaunched.withLock { isLaunched in
                defer { isLaunched = true }
                return !isLaunched
            }
            let (stream, outlet) = UpdateOutlet.make()
            store.core.withLock { listen(&$0, isLaunch, outlet) }
            return stream
        }

        /// Returns the unfinished transactions.
        public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
            try list(.unfinishedTransactions) { [account] in $0.unfinishedTransactions(of: account) }
        }

        /// Returns the transactions that entitle the customer.
        public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
            try list(.currentEntitlements) { [account] in $0.currentEntitlements(of: account) }
        }

        /// Returns the status of each subscription.
        public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
            try call(.subscriptionStatuses, .subscriptionStatus) { [account] core throws(StoreSimulatorError) in
                var statuses: [SignedSubscriptionStatus] = []
                for subscription in core.engine.subscriptions(of: account) {
                    if let status = try core.signForDelivery(subscription) { statuses.append(status) }
                }
                return statuses
            }
        }

        /// Returns all transactions, except finished consumables that were not refunded.
        public func history() async throws(StoreError) -> [SignedTransaction] {
            try list(.history) { [account] in $0.history(of: account) }
        }

        /// Returns whether the customer is eligible for introductory offers in a subscription group.
        public func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? {
            try call(.subscriptionStatuses, .subscriptionStatus) { [account] core in
                core.engine.isEligibleForIntroductoryOffer(account, group: groupID)
            }
        }

        /// Finishes a transaction; a later version that was not delivered yet, such as a refund, stays unfinished.
        public func finish(transactionID: String) async throws(StoreError) {
            try call(.finish, nil) { [account] core throws(StoreSimulatorError) in
                // A device can finish only its own customer's transactions.
                guard let transaction = core.engine.state.transaction(transactionID), !transaction.isFinished,
                    transaction.account.isIdentical(to: account), core.canFinish(transaction)
                else { return }
                try core.step { $0.finish(transactionID) }
            }
        }

        /// Succeeds at once, unless a fault or a simulated error makes it fail.
        public func synchronize() async throws(StoreError) {
            try call(.synchronize, .appStoreSync) { _ in }
        }

        // MARK: Faults

        private func list(
            _ point: FaultPoint, _ read: (SimulatorEngine) -> [StoredTransaction]
        ) throws(StoreError) -> [SignedTransaction] {
            try call(point, nil) { core throws(StoreSimulatorError) in
                var signed: [SignedTransaction] = []
                for transaction in read(core.engine) { signed.append(try core.signedAnswer(with: transaction)) }
                return signed
            }
        }

        /// Runs a call under the lock, unless the fault plan or the settings make it fail.
        func call<Value>(
            _ point: FaultPoint?,
            _ simulated: StoreSettings.SimulatedCall?,
            _ body: (inout SimulatorCore) throws(StoreSimulatorError) -> Value
        ) throws(StoreError) -> Value {
            let answer: Result<Value, StoreError>
            do throws(StoreSimulatorError) {
                answer = try store.withCore { core throws(StoreSimulatorError) in
                    try core.requireNotCrashed()
                    guard core.isOnline else {
                        return .failure(StoreError(.network, "the simulator is offline"))
                    }
                    if let point {
                        switch core.faults.action(at: point) {
                        case .crash: throw core.crash(at: point)
                        case .fail(let code):
                            let message = "the fault plan fails \(point.rawValue)"
                            return .failure(StoreError(.init(rawValue: code), message))
                        default: break
                        }
                    }
                    if let simulated, let name = core.engine.state.settings.simulatedErrors[simulated] {
                        return .failure(StoreError(simulating: name))
                    }
                    return .success(try body(&core))
                }
            } catch {
                throw StoreError(error)
            }
            return try answer.get()
        }
    }
}

// Actions that `Store` does not cover: the system's sheets and the app transaction.
extension StoreSimulator.Customer {
    /// Returns the app transaction as compact JWS.
    public func appTransaction() async throws(StoreError) -> String {
        try call(nil, .appTransaction) { [account] core throws(StoreSimulatorError) in
            try core.signer.sign(core.engine.appTransaction(of: try core.engine.account(account)))
        }
    }

    /// Returns the app transaction as the device receives it.
    public func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction? {
        try call(nil, .appTransaction) { [account] core throws(StoreSimulatorError) in
            SignedAppTransaction(
                jws: try core.signer.sign(core.engine.appTransaction(of: try core.engine.account(account))),
                objection: core.engine.state.settings.simulatedErrors[.verification])
        }
    }

    /// Requests a refund, as in the refund request sheet; ``SimulatorEngine/refund(_:reason:share:)`` grants it.
    public func requestRefund(
        _ transactionID: String, reason: ConsumptionRequestReason = .other
    ) async throws(StoreError) {
        try call(nil, .refundRequestSheet) { [account] core throws(StoreSimulatorError) in
            try Self.require(transactionID, of: account, in: core)
            try core.step { engine throws(StoreSimulatorError) in
                try engine.requestRefund(transactionID, reason: reason)
            }
        }
    }

    /// Turns automatic renewal on or off, as in the sheet to manage subscriptions.
    public func setRenewal(_ isOn: Bool, of transactionID: String) async throws(StoreError) {
        try call(nil, .manageSubscriptionsSheet) { [account] core throws(StoreSimulatorError) in
            try Self.require(transactionID, of: account, in: core)
            try core.step { engine throws(StoreSimulatorError) in
                try isOn ? engine.resumeRenewal(transactionID) : engine.cancelRenewal(transactionID)
            }
        }
    }

    private static func require(
        _ transactionID: String, of account: String, in core: SimulatorCore
    ) throws(StoreSimulatorError) {
        guard core.engine.state.transaction(transactionID)?.account.isIdentical(to: account) == true else {
            throw StoreSimulatorError(.unknownTransaction, "\(account) has no transaction \(transactionID)")
        }
    }
}
