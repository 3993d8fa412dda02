public import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

extension LocalStore {
    /// A local store as one launch of the app on one customer's device sees it.
    ///
    /// Its first stream of updates begins with all transactions that are not finished, as after a launch. What it buys
    /// itself comes as the answer to the purchase and not as an update; other devices of the customer get it as one.
    public final class Customer: Store {
        /// The account that buys.
        public let account: String

        private let store: LocalStore
        private let number: Int
        private let isLaunched = Locked(false)

        init(store: LocalStore, account: String, number: Int) {
            self.store = store
            self.account = account
            self.number = number
        }

        // MARK: Selling

        /// Loads the products that the store sells among the ids.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] {
            try call(.products, .loadProducts) { core in
                let settings = core.engine.state.settings
                return ids.compactMap { core.engine.configuration.product($0)?.product(in: settings) }
            }
        }

        /// Buys a product, with an introductory offer where the customer may have one.
        public func purchase(
            _ productID: String, options: PurchaseOptions
        ) async throws(StoreError) -> StorePurchase {
            try await purchase(productID, options: options, offer: nil)
        }

        /// Buys a product with an offer that is asked for.
        ///
        /// A plan that changes with the next renewal is answered with the transaction of the present period.
        public func purchase(
            _ productID: String, options: PurchaseOptions, offer: RequestedOffer?
        ) async throws(StoreError) -> StorePurchase {
            let order = PurchaseOrder(
                quantity: options.quantity, appAccountToken: options.appAccountToken, offer: offer)
            let (account, number) = (account, number)
            let isCode = if case .code = offer { true } else { false }
            return try call(.purchase, isCode ? .offerCodeRedeemSheet : .purchase) { core throws(LocalStoreError) in
                let answer = try core.step(by: number) { engine throws(LocalStoreError) in
                    try engine.buy(productID, for: account, order)
                }
                guard let transaction = answer.transaction else { return .pending }
                return .success(try core.answer(with: transaction))
            }
        }

        // MARK: Delivering

        /// What happens outside of purchases, from this call on.
        public func updates() -> AsyncStream<StoreUpdate> {
            let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self, bufferingPolicy: .unbounded)
            let isLaunch = isLaunched.withLock { isLaunched in
                defer { isLaunched = true }
                return !isLaunched
            }
            let streamNumber = store.core.withLock {
                $0.listen(account, customer: number, isLaunch: isLaunch, continuation)
            }
            store.finishEnded()
            if let streamNumber {
                continuation.onTermination = { [weak store] _ in
                    store?.core.withLock { $0.streams[streamNumber] = nil }
                }
            }
            return stream
        }

        /// What was delivered and not finished.
        public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
            try list(.unfinishedTransactions) { [account] in $0.unfinishedTransactions(of: account) }
        }

        /// The transactions that entitle the customer.
        public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
            try list(.currentEntitlements) { [account] in $0.currentEntitlements(of: account) }
        }

        /// Where each subscription of the customer stands.
        public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
            try call(.subscriptionStatuses, .subscriptionStatus) { [account] core throws(LocalStoreError) in
                var statuses: [SignedSubscriptionStatus] = []
                for subscription in core.engine.subscriptions(of: account) {
                    if let status = try core.handOut(subscription) { statuses.append(status) }
                }
                return statuses
            }
        }

        /// Everything that the customer has bought, without consumables that are finished.
        public func history() async throws(StoreError) -> [SignedTransaction] {
            try list(.history) { [account] in $0.history(of: account) }
        }

        /// Notes that a transaction has been dealt with, as far as it has come here: a refund on its way stays unfinished.
        public func finish(transactionID: String) async throws(StoreError) {
            try call(.finish, nil) { [account] core throws(LocalStoreError) in
                // Another customer's transaction is none of this device's business.
                guard let transaction = core.engine.state.transaction(transactionID), !transaction.isFinished,
                    transaction.account.isIdentical(to: account), core.canFinish(transaction)
                else { return }
                try core.step { $0.finish(transactionID) }
            }
        }

        /// Fetches everything anew, which here is there already.
        public func synchronize() async throws(StoreError) {
            try call(.synchronize, .appStoreSync) { _ in }
        }

        // MARK: Calls

        private func list(
            _ point: FaultPoint, _ read: (LocalStoreEngine) -> [StoredTransaction]
        ) throws(StoreError) -> [SignedTransaction] {
            try call(point, nil) { core throws(LocalStoreError) in
                var signed: [SignedTransaction] = []
                for transaction in read(core.engine) { signed.append(try core.answer(with: transaction)) }
                return signed
            }
        }

        /// Makes a call, unless the plan or the settings have it fail.
        func call<Value>(
            _ point: FaultPoint?,
            _ simulated: StoreSettings.SimulatedCall?,
            _ body: (inout StoreCore) throws(LocalStoreError) -> Value
        ) throws(StoreError) -> Value {
            let answer: Result<Value, StoreError>
            do throws(LocalStoreError) {
                answer = try store.locked { core throws(LocalStoreError) in
                    try core.requireAlive()
                    if let point {
                        switch core.faults.pass(point) {
                        case .crash: throw core.die(at: point)
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
