public import ReceiptTypes

#if canImport(StoreKit)
    /// The service over the App Store.
    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    public typealias StoreKitPurchaseService = PurchaseService

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension PurchaseService {
        /// Makes a service over the App Store.
        public init(
            journal: any PurchaseJournal,
            verifier: any TransactionVerifying,
            fulfiller: any PurchaseFulfilling = NoFulfilment(),
            account: UUIDText? = nil,
            log: any PurchaseLog = SilentLog(),
            clock: @escaping @Sendable () -> Timestamp
        ) {
            self.init(
                store: StoreKitStore(), journal: journal, verifier: verifier, fulfiller: fulfiller, account: account,
                log: log, clock: clock
            )
        }
    }
#else
    /// What stands in for the App Store's service where there is no StoreKit: it knows no products, and every purchase
    /// fails.
    public struct StoreKitPurchaseService: PurchaseServicing {
        /// There is nothing to set up.
        public init() {}

        /// No products.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }

        /// A failure that says that there is no store here.
        public func purchase(productID: String) async -> PurchaseResult {
            .failed(StoreError(.unsupported, "there is no StoreKit on this system"))
        }

        /// A task that has nothing to do.
        public func listenForTransactions(
            handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
        ) -> Task<Void, Never> {
            Task {}
        }

        /// Nothing.
        public func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }
    }
#endif
