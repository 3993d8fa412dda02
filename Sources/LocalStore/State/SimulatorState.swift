public import ReceiptTypes

/// The complete state of a store simulator: clock, settings, accounts, transactions and subscriptions.
///
/// The state is a value and deterministic: the same seed, configuration and commands give the same state on every
/// machine.
public struct SimulatorState: Codable, Sendable, Hashable {
    /// The seed of all identifiers.
    public let seed: UInt64
    /// The time on the simulated clock.
    public internal(set) var now: Timestamp
    /// The app whose products the store sells.
    public let app: SimulatedApp
    /// The settings of the store.
    public internal(set) var settings: StoreSettings
    /// The customers' accounts.
    public internal(set) var accounts: [StoreAccount] = []
    /// All transactions in ascending order of their identifiers.
    public internal(set) var transactions: [StoredTransaction] = []
    /// All subscriptions, ended ones included, in the order of their first purchase.
    public internal(set) var subscriptions: [StoredSubscription] = []
    /// The purchases that wait for approval or for the customer.
    public internal(set) var pending: [PendingOrder] = []
    /// All server notifications in the order in which they were sent.
    public internal(set) var notifications: [StoreNotification] = []

    var generator: SplitMix64
    var lastNumber: Int64
    var lastLineItem: Int64

    /// Creates the state of a store without purchases.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random values; the same seed and commands produce the same store.
    ///   - now: The start time of the simulated clock. A verifier rejects data that is signed more than a day after its
    ///     own clock, so a simulator whose data is verified by the real clock starts in the past.
    ///   - app: The app that the store sells for.
    ///   - settings: The settings of the `.storekit` file.
    ///   - names: The names of the customers' accounts; ``SimulatorEngine/addAccount(_:family:)`` adds more.
    public init(
        seed: UInt64,
        now: Timestamp,
        app: SimulatedApp,
        settings: StoreSettings = StoreSettings(),
        accounts names: [String] = ["customer"]
    ) {
        self.seed = seed
        self.now = now
        self.app = app
        self.settings = settings
        generator = SplitMix64(seed: seed)
        // Transaction identifiers of the sandbox have sixteen digits and begin with 2.
        lastNumber = 2_000_000_000_000_000 + Int64(clamping: generator.below(900_000_000)) * 1_000_000
        lastLineItem = 2_000_000_000_000_000 + Int64(clamping: generator.below(900_000_000)) * 1_000_000
        for name in names where account(name) == nil {
            accounts.append(makeAccount(name))
        }
    }

    mutating func makeAccount(_ name: String, family: String? = nil) -> StoreAccount {
        StoreAccount(
            name: name, family: family,
            appTransactionNumber: 704_000_000_000_000_000 + Int64(clamping: generator.below(999_999_999_999_999)),
            originalPurchaseDate: now, originalVersion: app.version
        )
    }
}

// MARK: - Look-up

extension SimulatorState {
    /// Returns the account with a name, compared byte by byte.
    public func account(_ name: String) -> StoreAccount? { accounts.first { $0.name.isIdentical(to: name) } }

    /// Returns the transaction with an identifier.
    public func transaction(_ id: String) -> StoredTransaction? { index(of: id).map { transactions[$0] } }

    /// Returns the subscription that has a transaction with an identifier.
    public func subscription(_ id: String) -> StoredSubscription? {
        subscriptionIndex(of: id).map { subscriptions[$0] }
    }

    func index(of id: String) -> Int? {
        // Accepts only the canonical spelling: `Int64` also parses "+7" and "007".
        guard let number = Int64(id), "\(number)".isIdentical(to: id) else { return nil }
        return index(of: number)
    }

    func index(of number: Int64) -> Int? { StoredTransaction.position(of: number, in: transactions) }

    func subscriptionIndex(of id: String) -> Int? {
        if let index = index(of: id) { return subscriptionIndex(original: transactions[index].originalNumber) }
        // The first transaction may have been deleted, and the later ones not.
        return subscriptions.firstIndex { $0.id.isIdentical(to: id) }
    }

    func subscriptionIndex(original number: Int64) -> Int? {
        StoredSubscription.position(of: number, in: subscriptions)
    }
}

/// The app whose products a store simulator sells.
public struct SimulatedApp: Codable, Sendable, Hashable {
    /// The bundle identifier, also used as the package name of Google Play purchases.
    public var bundleID: String
    /// The app's number in the App Store; nil where there is none, as in the sandbox.
    public var appAppleID: Int64?
    /// The version of the app that customers use.
    public var version: String
    /// The environment in all signed data.
    public var environment: StoreEnvironment

    /// Creates an app.
    public init(
        bundleID: String,
        appAppleID: Int64? = nil,
        version: String = "1",
        environment: StoreEnvironment = .sandbox
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.version = version
        self.environment = environment
    }
}

/// A customer's account in a store simulator.
public struct StoreAccount: Codable, Sendable, Hashable, Identifiable {
    /// The account name, which commands take.
    public let name: String
    /// The name of the family that the customer belongs to, or nil.
    public internal(set) var family: String?
    /// The number of ``appTransactionID``.
    let appTransactionNumber: Int64
    /// The time at which the customer downloaded the app.
    public let originalPurchaseDate: Timestamp
    /// The version of the app that the customer downloaded first.
    public let originalVersion: String

    /// The account name.
    public var id: String { name }
    /// The identifier of the app transaction, the customer's download of the app.
    public var appTransactionID: String { "\(appTransactionNumber)" }
}
