public import LocalStore
public import PurchaseCore
internal import PurchaseVerification
public import ReceiptTypes
public import ReceiptVerification

extension PurchaseService {
    /// Creates a service over a simulated store. It verifies the simulator's signatures and uses its clock.
    ///
    /// Each call is a new launch of the app on the customer's device. Pass the same ledger again to restart the app.
    ///
    /// - Parameters:
    ///   - simulator: The store. Only its own root is trusted, and only for the app that it sells for.
    ///   - customer: The customer's account in the store; the first account by default.
    ///   - ledger: The record of deliveries. Without one, the record is lost with the service, and a
    ///     `PurchaseLogEvent.Kind.notDurable` event says so.
    ///   - fulfiller: Grants what is not an entitlement, such as coins.
    ///   - user: The app's user at launch; `AppUser.signedOut` in an app with accounts while none is signed in.
    ///   - deadlines: The longest time to wait for the store, the verifier and the fulfiller.
    ///   - environment: The log and the timer, by default the system's although the clock is simulated. The clock and
    ///     the uptime are the simulator's.
    public init(
        simulator: StoreSimulator,
        customer: String? = nil,
        ledger: (any PurchaseLedger)? = nil,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        user: AppUser = .noAccounts,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        environment: PurchaseEnvironment = .system
    ) {
        self.init(
            store: simulator.customer(
                customer ?? simulator.state.accounts.first?.name ?? StoreSimulator.defaultCustomer),
            ledger: ledger, verifier: simulator.verifier(), fulfiller: fulfiller, user: user,
            deadlines: deadlines, environment: simulator.environment(environment)
        )
    }
}

extension PurchaseService {
    /// Creates a service over a simulated store as a device with Google Play sees it.
    ///
    /// It verifies the simulator's signatures, uses its clock, and takes the kinds, periods and groups of the products
    /// from its configuration. Each call is a new launch of the app on the customer's device.
    ///
    /// - Parameters:
    ///   - simulator: The store. Only its own key is trusted, and only for the app that it sells for.
    ///   - customer: The customer's account in the store; the first account by default.
    ///   - remembersRefunds: Whether the history has refunded purchases, signed as cancelled.
    ///   - ledger: The record of deliveries. Without one, the record is lost with the service, and a
    ///     `PurchaseLogEvent.Kind.notDurable` event says so.
    ///   - fulfiller: Grants what is not an entitlement, such as coins.
    ///   - user: The app's user at launch; `AppUser.signedOut` in an app with accounts while none is signed in.
    ///   - deadlines: The longest time to wait for the store, the verifier and the fulfiller.
    ///   - environment: The log and the timer, by default the system's although the clock is simulated. The clock and
    ///     the uptime are the simulator's.
    public init(
        playSimulator simulator: StoreSimulator,
        customer: String? = nil,
        remembersRefunds: Bool = true,
        ledger: (any PurchaseLedger)? = nil,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        user: AppUser = .noAccounts,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        environment: PurchaseEnvironment = .system
    ) {
        self.init(
            store: simulator.playCustomer(
                customer ?? simulator.state.accounts.first?.name ?? StoreSimulator.defaultCustomer,
                remembersRefunds: remembersRefunds),
            ledger: ledger,
            verifier: PlayReceiptVerifier(
                simulator.receiptVerifier, products: simulator.configuration.playProducts),
            fulfiller: fulfiller, user: user, deadlines: deadlines,
            environment: simulator.environment(environment)
        )
    }
}

extension StoreConfiguration {
    /// The products as an app lists them for Google Play.
    public var playProducts: [PlayProduct] {
        products.map { product in
            if let terms = product.subscription {
                PlayProduct(subscription: product.id, period: terms.period, groupID: terms.groupID)
            } else {
                PlayProduct(id: product.id, type: product.type)
            }
        }
    }
}

extension StoreSimulator {
    /// The account of a simulator that was created without naming any.
    static let defaultCustomer = "customer"

    /// Creates a simulator in memory that sells products, with new keys and one customer.
    ///
    /// The simulated clock starts at the time of the device's clock.
    ///
    /// - Parameters:
    ///   - products: The products on sale.
    ///   - bundleID: The bundle identifier of the app that the store sells for.
    ///   - now: The start of the simulated clock.
    /// - Throws: `StoreSimulatorError` with the code `unusable-keys`.
    public convenience init(
        selling products: [ConfiguredProduct],
        bundleID: String = "com.example.app",
        now: Timestamp = PurchaseEnvironment.deviceTime()
    ) throws(StoreSimulatorError) {
        let state = SimulatorState(
            seed: 1, now: now, app: SimulatedApp(bundleID: bundleID), accounts: [Self.defaultCustomer])
        self.init(
            configuration: StoreConfiguration(products: products), signer: try SimulatorSigner(), state: state)
    }

    /// The simulated clock, for parameters that take a clock, such as that of a `ReceiptVerifier`.
    public var clock: @Sendable () -> Timestamp { { self.state.now } }

    /// Returns an environment with the simulated clock and the uptime of a device that passes with it.
    ///
    /// Its timer does not pass with the simulated clock.
    public func environment(_ environment: PurchaseEnvironment = .system) -> PurchaseEnvironment {
        var environment = environment
        environment.clock = clock
        environment.uptime = { [clock] in
            DeviceUptime(startID: UUIDText("simulated"), milliseconds: clock().millisecondsSince1970)
        }
        return environment
    }

    /// A verifier that trusts only the simulator's own root and Google Play key, for the app and the environment that
    /// it sells for.
    ///
    /// The first use for a signer creates its Google Play key.
    public var receiptVerifier: ReceiptVerifier {
        var keys = PlayKeyring()
        // Without a key the store cannot sign, so it sells nothing that the verifier would have to verify.
        if let key = try? signer.playPublicKey { keys.add([UInt8](key.utf8), forPackage: state.app.bundleID) }
        return verifier(playKeys: keys)
    }

    /// Returns a verifier that trusts the simulator's own root and these keys.
    package func verifier(playKeys: PlayKeyring = PlayKeyring()) -> ReceiptVerifier {
        let app = state.app
        let policy = VerificationPolicy(apps: [.init(bundleID: app.bundleID)], environments: [app.environment])
        return ReceiptVerifier(policy: policy, trustAnchors: signer.trustAnchors, playKeys: playKeys, clock: clock)
    }
}
