public import ReceiptTypes

#if canImport(StoreKit)
    /// A purchase service over the App Store.
    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    public typealias StoreKitPurchaseService = PurchaseService

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension PurchaseService {
        /// Creates a service over the App Store.
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
    /// A stand-in for systems without StoreKit: it has no products, and every purchase fails.
    public struct StoreKitPurchaseService: PurchaseServicing {
        /// Creates the stand-in.
        public init() {}

        /// Returns no products.
        public func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }

        /// Returns a failure with the code ``StoreError/Code/unsupported``.
        public func purchase(productID: String) async -> PurchaseResult {
            .failed(StoreError(.unsupported, "StoreKit is not available on this system"))
        }

        /// Returns a task that ends at once.
        public func listenForTransactions(
            handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
        ) -> Task<Void, Never> {
            Task {}
        }

        /// Returns no entitlements.
        public func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }
    }
#endif
