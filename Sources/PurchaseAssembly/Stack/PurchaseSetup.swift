public import PurchaseCore
public import PurchaseStorage
internal import PurchaseVerification
internal import ReceiptTypes
public import ReceiptVerification

/// What an app says about its purchases before a ``PurchaseStack`` is made of it.
///
/// Only the catalog and the verifier have no default. Each part can be replaced by one of the app:
///
/// ```swift
/// var setup = PurchaseSetup(catalog: catalog, verifier: ReceiptVerifier(policy: policy))
/// setup.fulfiller = CoinFulfiller(server: server)
/// setup.ledger = { audited(DatabaseLedger($0)) }
/// ```
public struct PurchaseSetup: Sendable {
    /// The map from products to what they unlock.
    public var catalog: TemplatePriceCatalog
    /// The store to buy in.
    public var store: any Store
    /// The verifier of everything that the store has signed.
    public var verifier: any TransactionVerifying
    /// The key cache of the verifier, which the stack keeps in the sealed store; nil if the verifier has none.
    public var keyCache: VerificationKeyCache?
    /// The app's user at launch; ``/PurchaseCore/AppUser/signedOut`` in an app with accounts while none is signed in.
    public var user: AppUser = .noAccounts
    /// Grants what is not an entitlement, such as coins.
    public var fulfiller: any PurchaseFulfilling = NoFulfilment()
    /// Asks the customer before the store is asked; by default, only the store's own sheet asks.
    public var confirmation: any PurchaseConfirming = ConfirmedByStore()
    /// The secondary source of one-time products.
    public var offerings: (any OfferingsSource)?
    /// The connection to the app's own server, which receives all recorded purchases; nil if the app has none.
    public var syncTransport: (any SyncTransport)?
    /// Makes a stream of whether the device has a connection; nil if the app has no such source.
    public var connectivity: (@Sendable () -> AsyncStream<Bool>)?
    /// Called for each purchase of the stack's flow and coordinators. By default, purchases are switched on.
    public var flags: @Sendable () -> FeatureFlags = { .allEnabled }
    /// The platform of the store, for the errors.
    public var platform: PurchaseError.Platform?
    /// Receive the outcome of each purchase of the stack's coordinators.
    public var outcomeObservers: [any PurchaseOutcomeObserving] = []
    /// The largest number of purchases.
    public var purchaseLimit: RateLimit = PurchasePacing.defaultPurchaseLimit
    /// The largest number of restores.
    public var restoreLimit: RateLimit = PurchasePacing.defaultRestoreLimit
    /// The time in milliseconds for which a subscription that is set to renew stays granted without an answer of the
    /// store.
    public var offlineGraceMilliseconds: Int64 = EntitlementProjection.defaultOfflineGraceMilliseconds
    /// The limits beyond which the stack warns.
    public var monitorRules = MonitorRules()
    /// The app's support or operations, for alerts; nil if the app wants none.
    public var alerts: (any PurchaseAlerting)?
    /// The app's analytics; nil if the app has none. Without a sink no event is kept.
    public var analyticsSink: (any AnalyticsSink)?
    /// The longest times to wait for the store, the ledger, the verifier and the fulfiller.
    public var deadlines = PurchaseDeadlines()
    /// The log, which receives every event and every timing beside the log that the stack keeps for support; the timer,
    /// randomness, the uptime and the clock.
    public var environment: PurchaseEnvironment

    /// Makes the ledger of the service.
    public var ledger: @Sendable (PurchaseDatabase) -> any PurchaseLedger = { DatabaseLedger($0) }
    /// Makes the cache of the products; nil for one in the database.
    public var productCache: (@Sendable (PurchaseDatabase) -> any ProductCache)?

    /// Creates a setup with a verifier of the package.
    ///
    /// - Parameters:
    ///   - catalog: The map from products to what they unlock.
    ///   - store: The store to buy in; the App Store by default.
    ///   - verifier: The verifier, whose policy names the app and its environments.
    ///   - playProducts: The products that the app sells on Google Play; none if the store is another one.
    ///   - environment: The log, the timer, randomness, the uptime and the clock.
    public init(
        catalog: TemplatePriceCatalog, store: any Store = StoreKitStore(), verifier: ReceiptVerifier,
        playProducts: [PlayProduct] = [], environment: PurchaseEnvironment = .system
    ) {
        self.init(
            catalog: catalog, store: store,
            verifying: playProducts.isEmpty ? verifier : PlayReceiptVerifier(verifier, products: playProducts),
            keyCache: verifier.keyCache, environment: environment)
    }

    /// Creates a setup with any verifier, such as one that asks a server.
    ///
    /// - Parameters:
    ///   - catalog: The map from products to what they unlock.
    ///   - store: The store to buy in.
    ///   - verifier: The verifier.
    ///   - keyCache: The key cache of the verifier; nil if it has none.
    ///   - environment: The log, the timer, randomness, the uptime and the clock.
    public init(
        catalog: TemplatePriceCatalog, store: any Store, verifying verifier: any TransactionVerifying,
        keyCache: VerificationKeyCache? = nil, environment: PurchaseEnvironment = .system
    ) {
        self.catalog = catalog
        self.store = store
        self.verifier = verifier
        self.keyCache = keyCache
        self.environment = environment
    }
}
