public import ReceiptTypes

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
    ///   - log: Receives an event for every failure and every recorded transaction.
    ///   - timer: Measures the deadlines and the pauses between attempts.
    ///   - deadlines: The longest time to wait for the store, the verifier and the fulfiller.
    ///   - uptime: The device's uptime, which bounds what a clock that is set back can extend.
    ///   - clock: The device's clock. While the App Store answers, setting it back does not go behind its latest
    ///     signature. Offline, it extends access only within the limits of ``ClockMarks``.
    public init(
        ledger: (any PurchaseLedger)? = nil,
        verifier: (any TransactionVerifying)? = nil,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        user: AppUser = .noAccounts,
        log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer(),
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        uptime: @escaping @Sendable () -> DeviceUptime = DeviceUptime.now,
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        let store = PlatformStore(StoreKitStore())
        self.init(
            store: store, ledger: ledger, verifier: verifier ?? store.verifier, fulfiller: fulfiller,
            user: user, log: log, timer: timer, deadlines: deadlines, uptime: uptime, clock: clock
        )
    }
}
