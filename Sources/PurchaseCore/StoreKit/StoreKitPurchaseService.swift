internal import ReceiptTypes

/// A purchase service over the App Store, under the name of the source documents.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
public typealias StoreKitPurchaseService = PurchaseService

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension PurchaseService {
    /// Creates a service over the App Store, on systems without StoreKit over a stand-in that sells nothing.
    ///
    /// ```swift
    /// let service = PurchaseService(ledger: ledger)
    /// ```
    ///
    /// - Parameters:
    ///   - ledger: The durable record of deliveries. Without one, the record is lost when the process ends, and a
    ///     ``PurchaseLogEvent/Kind/notDurable`` event says so.
    ///   - verifier: The verifier of everything that the App Store has signed. By default, StoreKit's own verdict
    ///     counts: see ``PlatformVerifier``.
    ///   - fulfiller: Grants what is not an entitlement, such as coins.
    ///   - user: The app's user at launch; ``AppUser/signedOut`` in an app with accounts while none is signed in.
    ///   - deadlines: The longest time to wait for the store, the verifier and the fulfiller.
    ///   - environment: The log, the timer, the uptime and the clock; see
    ///     ``init(store:ledger:verifier:fulfiller:user:deadlines:pacing:environment:)``.
    public init(
        ledger: (any PurchaseLedger)? = nil,
        verifier: (any TransactionVerifying)? = nil,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        user: AppUser = .noAccounts,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        environment: PurchaseEnvironment = .system
    ) {
        let store = PlatformStore(StoreKitStore())
        self.init(
            store: store, ledger: ledger, verifier: verifier ?? store.verifier, fulfiller: fulfiller,
            user: user, deadlines: deadlines, environment: environment
        )
    }
}
