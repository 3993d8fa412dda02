#if canImport(StoreKit)
    internal import Foundation
    internal import ReceiptTypes
    internal import StoreKit

    /// The App Store as a ``Store``, through StoreKit 2.
    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    public struct StoreKitStore: Store {
        /// Creates the adapter; it does nothing until one of its methods is called.
        public init() {}

        /// Loads the products with these ids; an id that the App Store does not know is left out.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] {
            do {
                return try await StoreKit.Product.products(for: ids).compactMap(Product.init)
            } catch {
                throw StoreError(storeKit: error)
            }
        }

        /// Shows the App Store's purchase dialogue and returns its answer.
        public func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
            let result: StoreKit.Product.PurchaseResult
            do {
                let products = try await StoreKit.Product.products(for: [productID])
                guard let product = products.first(where: { $0.id.isIdentical(to: productID) }) else {
                    throw StoreError(.productUnavailable, "the App Store does not sell \(productID)")
                }
                result = try await product.purchase(options: try Self.storeKitOptions(options, for: product))
            } catch {
                throw StoreError(storeKit: error)
            }
            switch result {
            case .success(let transaction): return .success(SignedTransaction(transaction))
            case .userCancelled: return .userCancelled
            case .pending: return .pending
            @unknown default: throw StoreError(.unknown, "the App Store returned an unknown purchase result")
            }
        }

        private static func storeKitOptions(
            _ options: PurchaseOptions, for product: StoreKit.Product
        ) throws(StoreError) -> Set<StoreKit.Product.PurchaseOption> {
            var storeKitOptions: Set<StoreKit.Product.PurchaseOption> = []
            if let account = options.appAccountToken?.uuid { storeKitOptions.insert(.appAccountToken(account)) }
            if options.quantity > 1 { storeKitOptions.insert(.quantity(options.quantity)) }
            if let offer = options.offer { storeKitOptions.insert(try storeKitOption(offer, of: product)) }
            if let plan = options.billingPlan { storeKitOptions.insert(try storeKitOption(plan)) }
            return storeKitOptions
        }

        private static func storeKitOption(
            _ plan: BillingPlanType
        ) throws(StoreError) -> StoreKit.Product.PurchaseOption {
            // The SDK of Xcode 26.5 has the option.
            #if compiler(>=6.3.2)
                if #available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, *) {
                    switch plan {
                    case .monthly: return .billingPlanType(.monthly)
                    case .billedUpfront: return .billingPlanType(.upFront)
                    default: break
                    }
                }
            #endif
            throw StoreError(.unsupported, "this system has no billing plan \(plan.rawValue); plans need iOS 26.4")
        }

        private static func storeKitOption(
            _ offer: PurchaseOffer, of product: StoreKit.Product
        ) throws(StoreError) -> StoreKit.Product.PurchaseOption {
            switch offer {
            case .promotional(let id, let signature):
                guard let nonce = signature.nonce.uuid, let bytes = Data(base64Encoded: signature.base64) else {
                    throw StoreError(.ineligibleForOffer, "the signature of offer \(id) is malformed")
                }
                return .promotionalOffer(
                    offerID: id, keyID: signature.keyID, nonce: nonce, signature: bytes,
                    timestamp: Int(signature.timestamp.millisecondsSince1970))
            case .winBack(let id):
                guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, *) else {
                    throw StoreError(.unsupported, "win-back offers need iOS 18")
                }
                let offers = product.subscription?.winBackOffers ?? []
                guard let offer = offers.first(where: { $0.id?.isIdentical(to: id) ?? false }) else {
                    throw StoreError(.ineligibleForOffer, "\(product.id) has no win-back offer \(id)")
                }
                return .winBackOffer(offer)
            }
        }

        /// Returns a stream of transaction updates and subscription status updates.
        public func updates() -> AsyncStream<StoreUpdate> {
            let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
            let transactions = Task {
                for await result in StoreKit.Transaction.updates {
                    continuation.yield(.transaction(SignedTransaction(result)))
                }
            }
            let statuses = Task {
                for await status in StoreKit.Product.SubscriptionInfo.Status.updates {
                    continuation.yield(.subscriptionStatus(SignedSubscriptionStatus(status)))
                }
            }
            continuation.onTermination = { _ in
                transactions.cancel()
                statuses.cancel()
            }
            return stream
        }

        /// Returns the transactions that the app has not finished.
        public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
            try await Self.all(StoreKit.Transaction.unfinished)
        }

        /// Returns the latest transaction of each product that the customer is entitled to.
        public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
            try await Self.all(StoreKit.Transaction.currentEntitlements)
        }

        /// Returns all transactions that the App Store remembers.
        public func history() async throws(StoreError) -> [SignedTransaction] {
            try await Self.all(StoreKit.Transaction.all)
        }

        private static func all(
            _ results: StoreKit.Transaction.Transactions
        ) async throws(StoreError) -> [SignedTransaction] {
            var transactions: [SignedTransaction] = []
            for await result in results { transactions.append(SignedTransaction(result)) }
            try checkComplete()
            return transactions
        }

        /// Throws if the task is cancelled: StoreKit's sequences end early then, without an error.
        private static func checkComplete() throws(StoreError) {
            if Task.isCancelled { throw StoreError(.timedOut, "the task was cancelled before the store had answered") }
        }

        /// Returns the subscription statuses of every group that the customer has bought from.
        public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
            var groups: Set<String> = []
            for await result in StoreKit.Transaction.all {
                if let group = result.unsafePayloadValue.subscriptionGroupID { groups.insert(group) }
            }
            try Self.checkComplete()
            var statuses: [SignedSubscriptionStatus] = []
            for group in groups.sorted() {
                do {
                    let found = try await StoreKit.Product.SubscriptionInfo.status(for: group)
                    statuses += found.map(SignedSubscriptionStatus.init)
                } catch {
                    throw StoreError(storeKit: error)
                }
            }
            return statuses
        }

        /// Finishes a transaction; if it is not among the unfinished ones, it does nothing.
        public func finish(transactionID: String) async {
            for await result in StoreKit.Transaction.unfinished {
                let transaction = result.unsafePayloadValue
                if String(transaction.id).isIdentical(to: transactionID) { await transaction.finish() }
            }
        }

        /// Returns whether the customer is eligible for introductory offers in a subscription group.
        public func isEligibleForIntroductoryOffer(groupID: String) async -> Bool? {
            await StoreKit.Product.SubscriptionInfo.isEligibleForIntroOffer(for: groupID)
        }

        /// Returns the app transaction; nil before iOS 16.
        public func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction? {
            guard #available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *) else { return nil }
            do {
                let result = try await AppTransaction.shared
                var objection: String?
                if case .unverified(_, let error) = result { objection = "\(error)" }
                return SignedAppTransaction(jws: result.jwsRepresentation, objection: objection)
            } catch {
                throw StoreError(storeKit: error)
            }
        }

        /// Synchronizes with the App Store, which may ask for a password.
        public func synchronize() async throws(StoreError) {
            do {
                try await AppStore.sync()
            } catch {
                throw StoreError(storeKit: error)
            }
        }
    }
#else
    /// A stand-in for systems without StoreKit: it sells no products, and every other call fails as unsupported.
    ///
    /// It has the interface of the StoreKit adapter, so one source compiles on every system.
    public struct StoreKitStore: Store {
        /// Creates the stand-in.
        public init() {}

        /// Returns no products.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
            throw Self.unsupported
        }

        /// Returns a stream that ends at once.
        public func updates() -> AsyncStream<StoreUpdate> { AsyncStream { $0.finish() } }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] { throw Self.unsupported }

        /// Throws an error with the code ``StoreErrorCode/unsupported``: an empty list would say that nothing is
        /// owned.
        public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] { throw Self.unsupported }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
            throw Self.unsupported
        }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func history() async throws(StoreError) -> [SignedTransaction] { throw Self.unsupported }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func finish(transactionID: String) async throws(StoreError) { throw Self.unsupported }

        /// Throws an error with the code ``StoreErrorCode/unsupported``.
        public func synchronize() async throws(StoreError) { throw Self.unsupported }

        private static let unsupported = StoreError(.unsupported, "StoreKit is not available on this system")
    }
#endif
