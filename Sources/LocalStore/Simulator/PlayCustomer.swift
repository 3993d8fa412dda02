public import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

extension StoreSimulator {
    /// The store as one launch of the app on a customer's device with Google Play sees it.
    ///
    /// It sells the same products, and signs the data of purchases with ``SimulatorSigner/playPublicKey``. Finishing a
    /// purchase acknowledges it, and consumes a consumable; a purchase that is not finished within three days of the
    /// simulated clock is refunded. A purchase that waits for approval or for the customer is listed as pending.
    ///
    /// This is a simulation of what the Play Billing Library returns, not a client of it.
    public final class PlayCustomer: Store {
        /// The customer's account.
        public let account: String

        private let store: StoreSimulator
        private let device: Customer
        private let number: Int
        private let remembersRefunds: Bool

        init(store: StoreSimulator, account: String, number: Int, remembersRefunds: Bool) {
            self.store = store
            self.account = account
            self.number = number
            self.remembersRefunds = remembersRefunds
            device = Customer(store: store, account: account, number: number)
        }

        // MARK: Purchases

        /// Returns the products with the identifiers, without unknown ones.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] {
            try await device.products(for: ids)
        }

        /// Buys a product, with an introductory offer where the customer is eligible.
        ///
        /// A change of the plan is answered with a new purchase, which replaces the present one. A change with the next
        /// renewal leaves its product as it is until then.
        ///
        /// A consumable is not sold again before the last purchase of it is finished; the error has the code
        /// `already-owned`. A product whose purchase is pending is not ordered again; the answer is pending.
        public func purchase(
            _ productID: String, options: PurchaseOptions
        ) async throws(StoreError) -> StorePurchase {
            guard options.billingPlan == nil else {
                throw StoreError(.unsupported, "the simulated Google Play has no billing plans")
            }
            let order = PurchaseOrder(
                quantity: options.quantity, appAccountToken: options.appAccountToken,
                play: PlayOrder(obfuscatedProfileID: options.obfuscatedProfileID))
            let (account, number) = (account, number)
            let answer = try device.call(.purchase, .purchase) {
                core throws(StoreSimulatorError) -> Result<StorePurchase, StoreError> in
                let pending = core.engine.pendingPlayOrders(of: account)
                if pending.contains(where: { $0.productID.isIdentical(to: productID) }) { return .success(.pending) }
                if Self.isUnconsumed(productID, of: account, in: core) {
                    let message = "\(account) has not used up the last purchase of \(productID)"
                    return .failure(StoreError(.alreadyOwned, message))
                }
                let answer = try core.step(by: number) { engine throws(StoreSimulatorError) in
                    try engine.buy(productID, for: account, order)
                }
                guard let transaction = answer.transaction else { return .success(.pending) }
                return .success(.success(try core.signForDelivery(core.engine.playPurchase(of: transaction))))
            }
            return try answer.get()
        }

        private static func isUnconsumed(_ productID: String, of account: String, in core: SimulatorCore) -> Bool {
            core.engine.listedPlaySales(of: account).contains {
                $0.last.type == .consumable && $0.last.productID.isIdentical(to: productID)
            }
        }

        // MARK: Transactions

        /// Returns a stream of completed purchases that are not answers to purchases on this device.
        ///
        /// A device learns of a renewal or a refund only from the lists.
        public func updates() -> AsyncStream<StoreUpdate> {
            device.updates { [account, number] core, isLaunch, outlet in
                core.listenToPlay(account, customer: number, isLaunch: isLaunch, outlet)
            }
        }

        /// Returns the purchases that are pending or not acknowledged.
        public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
            try list(.unfinishedTransactions) { [account] in $0.unfinishedPlayPurchases(of: account) }
        }

        /// Returns the purchases that entitle the customer; a subscription is one purchase with all its renewals.
        public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
            try list(.currentEntitlements) { [account] core in
                core.engine.listedPlaySales(of: account).filter { $0.last.type != .consumable }
                    .map { core.engine.playPurchase(of: $0) }
            }
        }

        /// Returns no status, because Google Play signs no renewal info.
        public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
            try device.call(.subscriptionStatuses, .subscriptionStatus) { _ in [] }
        }

        /// Returns all purchases except consumed and replaced ones, with refunded ones as cancelled if the customer
        /// remembers refunds.
        public func history() async throws(StoreError) -> [SignedTransaction] {
            try list(.history) { [account, remembersRefunds] core in
                core.engine.playSales(of: account).filter { sale in
                    if sale.isReplaced { return false }
                    if sale.last.isRevoked { return remembersRefunds }
                    return !sale.last.isUpgraded && (sale.last.type != .consumable || !sale.isAcknowledged)
                }.map { core.engine.playPurchase(of: $0) }
            }
        }

        /// Acknowledges the purchase with a token, and consumes a consumable; does nothing for any other token.
        public func finish(transactionID token: String) async throws(StoreError) {
            try device.call(.finish, nil) { [account] core throws(StoreSimulatorError) in
                guard let sale = core.engine.unacknowledgedPlaySale(token, of: account) else { return }
                try core.step { $0.acknowledge(sale) }
            }
        }

        /// Succeeds at once, unless a fault or a simulated error makes it fail.
        public func synchronize() async throws(StoreError) { try await device.synchronize() }

        private func list(
            _ point: FaultPoint, _ read: (SimulatorCore) -> [PlayPurchase]
        ) throws(StoreError) -> [SignedTransaction] {
            try device.call(point, nil) { core throws(StoreSimulatorError) in
                var signed: [SignedTransaction] = []
                for purchase in read(core) { signed.append(try core.signForDelivery(purchase)) }
                return signed
            }
        }
    }

    /// Returns Google Play as a customer's device sees it; each call is a new launch of the app.
    ///
    /// - Parameters:
    ///   - account: The customer's account.
    ///   - remembersRefunds: Whether the history has refunded purchases, signed as cancelled. A device with today's
    ///     Play Billing Library only sees that the purchase is no longer listed.
    public func playCustomer(_ account: String, remembersRefunds: Bool = true) -> PlayCustomer {
        let number = core.withLock { core in
            core.lastCustomerNumber += 1
            return core.lastCustomerNumber
        }
        return PlayCustomer(store: self, account: account, number: number, remembersRefunds: remembersRefunds)
    }
}
