internal import ReceiptTypes
internal import ReceiptVerification

/// The part of a state that a purchase depends on, in a file beside the state file, so that a purchase need not read
/// the whole history.
///
/// The index follows from the state file, and says up to which record. A process that cannot use it reads the complete
/// state instead, so a missing, damaged or outdated index costs only time.
///
/// The first line has the format's name, its version and the digest of all that follows. The second line has the values
/// of the state apart from its lists. Each further line is a household: the accounts that share purchases or have shared
/// one, with everything that the rules for their purchases look at. The names before its JSON make it possible to find
/// an account's household and leave the others undecoded.
struct PurchaseIndex: Sendable {
    /// The end of the records that an index covers.
    struct Place: Codable, Sendable, Hashable {
        /// The offset of the last covered record, which begins with its digest.
        var lastRecord: Int
        /// The digest of that record, which also covers all records before it.
        var digest: String
        /// The offset after that record.
        var end: Int
    }

    private struct Values: Codable {
        var place: Place
        /// The state without its lists.
        var state: SimulatorState
    }

    private struct Household: Codable {
        var accounts: [StoreAccount] = []
        var transactions: [StoredTransaction] = []
        var subscriptions: [StoredSubscription] = []
        var pending: [PendingOrder] = []
    }

    /// The line of a household.
    private struct Line {
        /// The names of its accounts, each in base64url.
        var names: [String]
        var body: [UInt8]
    }

    private var values: Values
    private var lines: [Line]
    /// The lines whose households are in ``part``.
    private var loaded: Set<Int> = []

    /// The place in the state file that the index describes.
    var place: Place { values.place }
    /// The state with the households that were loaded, and without notifications.
    private(set) var part: SimulatorState

    private static let name = "local-store-purchases 1 "

    /// Returns the path of the index of a state file.
    static func path(for stateFile: String) -> String { "\(stateFile).purchases" }

    // MARK: Creating

    /// Creates the index of a complete state.
    init(of state: SimulatorState, at place: Place) throws {
        values = Values(place: place, state: state.withoutLists)
        part = values.state
        lines = try Self.lines(of: Self.groups(of: state), in: state)
    }

    /// Replaces the loaded households by those of a later state of the same accounts.
    mutating func update(_ state: SimulatorState, at place: Place) throws {
        values = Values(place: place, state: state.withoutLists)
        part = state
        let places = loaded.sorted()
        for (place, line) in zip(places, try Self.lines(of: places.map { lines[$0].names }, in: state)) {
            lines[place] = line
        }
    }

    /// Returns the lines of groups of accounts, which are given by their keys.
    private static func lines(of groups: [[String]], in state: SimulatorState) throws -> [Line] {
        var places: [String: Int] = [:]
        for (place, keys) in groups.enumerated() {
            for key in keys { places[key] = place }
        }
        var households = groups.map { _ in Household() }
        for account in state.accounts {
            if let place = places[key(account.name)] { households[place].accounts.append(account) }
        }
        for purchase in state.pending {
            if let place = places[key(purchase.account)] { households[place].pending.append(purchase) }
        }
        var latest: Set<Int64> = []
        for subscription in state.subscriptions {
            guard let place = places[key(subscription.account)] else { continue }
            households[place].subscriptions.append(subscription)
            latest.insert(subscription.latestNumber)
        }
        for transaction in state.transactions where isNeeded(transaction, latest) {
            if let place = places[key(transaction.account)] { households[place].transactions.append(transaction) }
        }
        return try households.map { household in
            Line(names: household.accounts.map { key($0.name) }, body: try StateJSON.encode(household))
        }
    }

    /// Returns whether the rules for a purchase look at a transaction.
    ///
    /// They look at what is owned for good, at the current period of each subscription and its family-shared copies, and at
    /// offers that a customer can use only once.
    private static func isNeeded(_ transaction: StoredTransaction, _ latest: Set<Int64>) -> Bool {
        if latest.contains(transaction.number) { return true }
        if let source = transaction.sharedFrom, latest.contains(source) { return true }
        if transaction.type == .nonConsumable { return !transaction.isRevoked }
        guard let offer = transaction.offer else { return false }
        return offer.type == .introductory || offer.type == .code || offer.replacesIntroductoryOffer
    }

    private static func key(_ name: String) -> String { Base64.url.encode([UInt8](name.utf8)) }

    // MARK: Loading

    /// Reads an index; nil if there is none that can be used.
    static func read(_ path: String) -> PurchaseIndex? {
        guard let bytes = try? PrivateFile.read(path, maximumCount: StateFile.maximumSize) else { return nil }
        return try? PurchaseIndex(bytes)
    }

    /// Decodes the content of an index; nil or an error if it is not intact.
    init?(_ bytes: [UInt8]) throws {
        var lines = RecordLines(bytes)
        guard let first = lines.next() else { return nil }
        let digest = try SHA256Digest.of(bytes: [UInt8](bytes[lines.position...])).description
        guard first.elementsEqual((Self.name + digest).utf8), let second = lines.next() else { return nil }
        values = try StateJSON.decode(Values.self, from: second)
        part = values.state
        self.lines = []
        while let line = lines.next() {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
            let names = line[..<space].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            self.lines.append(
                Line(names: names.map { String(decoding: $0, as: UTF8.self) }, body: [UInt8](line[(space + 1)...])))
        }
    }

    /// The content of the file.
    func content() throws -> [UInt8] {
        var body = try StateJSON.encode(values) + [UInt8(ascii: "\n")]
        for line in lines { body += [UInt8]("\(line.names.joined(separator: ",")) ".utf8) + line.body + [0x0A] }
        return [UInt8]("\(Self.name)\(try SHA256Digest.of(bytes: body))\n".utf8) + body
    }

    /// The name of the only account; nil if there are several.
    var onlyAccount: String? {
        get throws {
            guard lines.count == 1, lines[0].names.count == 1 else { return nil }
            return try StateJSON.decode(Household.self, from: lines[0].body[...]).accounts.first?.name
        }
    }

    /// Adds an account's household to ``part``; returns false if there is no such account.
    mutating func load(_ account: String) throws -> Bool {
        let wanted = Self.key(account)
        guard let index = lines.firstIndex(where: { $0.names.contains(wanted) }) else { return false }
        guard loaded.insert(index).inserted else { return true }
        let household = try StateJSON.decode(Household.self, from: lines[index].body[...])
        part.accounts += household.accounts
        part.transactions += household.transactions
        part.subscriptions += household.subscriptions
        part.pending += household.pending
        part.transactions.sort { $0.number < $1.number }
        part.subscriptions.sort { $0.originalNumber < $1.originalNumber }
        part.pending.sort { $0.number < $1.number }
        return true
    }

    /// Applies the changes after the index to ``part``, with the households that they concern.
    ///
    /// Returns false where the index does not suffice: after a change of the accounts, or a removal, which can make a
    /// transaction matter again that the index does not have.
    mutating func apply(_ changes: [StateChange]) throws -> Bool {
        for change in changes {
            guard change.onlyAddsAndChanges else { return false }
            for account in change.concernedAccounts {
                guard try load(account) else { return false }
            }
        }
        let names = Set(loaded.flatMap { lines[$0].names })
        for change in changes { change.apply(toPart: &part) { names.contains(Self.key($0)) } }
        return part.inconsistency == nil
    }
}

extension SimulatorState {
    fileprivate var withoutLists: SimulatorState {
        var state = self
        state.accounts = []
        state.transactions = []
        state.subscriptions = []
        state.pending = []
        state.notifications = []
        return state
    }
}

// MARK: - Households

extension PurchaseIndex {
    /// Returns the keys of the accounts in groups: everything that an account's purchase can look at or change belongs to
    /// its group.
    private static func groups(of state: SimulatorState) -> [[String]] {
        let keys = state.accounts.map { key($0.name) }
        let places = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
        var parents = Array(keys.indices)
        func root(_ place: Int) -> Int {
            var place = place
            while parents[place] != place { place = parents[place] }
            return place
        }
        func join(_ left: Int, _ right: Int) {
            let (left, right) = (root(left), root(right))
            parents[max(left, right)] = min(left, right)
        }
        var families: [String: Int] = [:]
        for (place, account) in state.accounts.enumerated() {
            guard let family = account.family else { continue }
            join(place, families[key(family), default: place])
            families[key(family)] = root(place)
        }
        for share in state.transactions {
            guard let source = share.sharedFrom, let owner = state.index(of: source) else { continue }
            let accounts = [share.account, state.transactions[owner].account].compactMap { places[key($0)] }
            if accounts.count == 2 { join(accounts[0], accounts[1]) }
        }
        for share in state.subscriptions {
            guard let source = share.sharedFrom, let owner = state.subscriptionIndex(original: source) else { continue }
            let accounts = [share.account, state.subscriptions[owner].account].compactMap { places[key($0)] }
            if accounts.count == 2 { join(accounts[0], accounts[1]) }
        }
        return Dictionary(grouping: keys.indices, by: root).sorted { $0.key < $1.key }.map { $0.value.map { keys[$0] } }
    }
}
