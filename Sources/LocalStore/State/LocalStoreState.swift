public import ReceiptTypes

/// Everything that a local store remembers.
///
/// A value: with the same configuration and the same commands, the same state comes of it on every machine.
public struct LocalStoreState: Codable, Sendable, Hashable {
    /// What ids and plans are made of.
    public let seed: UInt64
    /// The store's clock.
    public internal(set) var now: Timestamp
    /// The app that the store sells for.
    public let app: LocalStoreApp
    /// How the store behaves.
    public internal(set) var settings: StoreSettings
    /// The customers.
    public internal(set) var accounts: [StoreAccount] = []
    /// All transactions in the order of their numbers.
    public internal(set) var transactions: [StoredTransaction] = []
    /// All subscriptions, past ones included, in the order in which they were first bought.
    public internal(set) var subscriptions: [StoredSubscription] = []
    /// The purchases that wait for somebody.
    public internal(set) var pending: [PendingPurchase] = []
    /// All notifications in the order in which they were sent.
    public internal(set) var notifications: [StoreNotification] = []

    var generator: SplitMix64
    var lastNumber: Int64
    var lastLineItem: Int64

    /// Sets up a store where nothing was bought yet.
    ///
    /// - Parameters:
    ///   - now: What the store's clock shows. A verifier refuses what is signed long after its own clock, so a store whose
    ///     artefacts are verified by the real clock starts in the past.
    ///   - accounts: The names of the customers; more can come later.
    public init(
        seed: UInt64,
        now: Timestamp,
        app: LocalStoreApp,
        settings: StoreSettings = StoreSettings(),
        accounts names: [String] = ["customer"]
    ) {
        self.seed = seed
        self.now = now
        self.app = app
        self.settings = settings
        generator = SplitMix64(seed: seed)
        // The sandbox's transaction ids have sixteen digits and begin with 2.
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

// MARK: - Finding

extension LocalStoreState {
    /// The customer of a name, compared byte by byte.
    public func account(_ name: String) -> StoreAccount? { accounts.first { $0.name.isIdentical(to: name) } }

    /// The transaction with an id.
    public func transaction(_ id: String) -> StoredTransaction? { index(of: id).map { transactions[$0] } }

    /// The subscription that a transaction belongs to, by the id of any of its transactions.
    public func subscription(_ id: String) -> StoredSubscription? {
        subscriptionIndex(of: id).map { subscriptions[$0] }
    }

    func index(of id: String) -> Int? {
        // Only the id as it is written here: "+7" and "007" are other texts.
        guard let number = Int64(id), "\(number)".isIdentical(to: id) else { return nil }
        return index(of: number)
    }

    func index(of number: Int64) -> Int? {
        var range = transactions.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = transactions[middle].number
            if found == number { return middle }
            range = found < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    func subscriptionIndex(of id: String) -> Int? {
        if let index = index(of: id) { return subscriptionIndex(original: transactions[index].originalNumber) }
        // The first transaction may have been removed and the later ones not.
        return subscriptions.firstIndex { $0.id.isIdentical(to: id) }
    }

    func subscriptionIndex(original number: Int64) -> Int? {
        subscriptions.firstIndex { $0.originalNumber == number }
    }
}
