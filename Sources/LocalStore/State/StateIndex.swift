internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// The part of a state that matters to later commands, in a file beside the state file, so that a command need not read
/// the whole history.
///
/// The index follows from the state file, and says up to which record. A process that cannot use it reads the complete
/// state instead, so a missing, damaged or outdated index costs only time.
///
/// The first line has the format's name, its version and the digest of all that follows. The second line has the values
/// of the state apart from its lists. Then come the households, a line for each: the accounts that share purchases or
/// have shared one, with everything that the store's rules look at. The words before its JSON make it possible to find
/// the households that a command needs and leave the others undecoded. The remaining lines are a ``TransactionTable``,
/// which leads to the transactions that no household contains.
struct StateIndex: Sendable {
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
        var compactionCount: Int
        var householdCount: Int
        /// The state without its lists.
        var state: SimulatorState
    }

    fileprivate struct Household: Codable {
        var accounts: [StoreAccount] = []
        var transactions: [StoredTransaction] = []
        var subscriptions: [StoredSubscription] = []
        var pending: [PendingOrder] = []
    }

    /// The line of a household.
    fileprivate struct Line {
        /// The names of its accounts, each in base64url.
        var names: [String]
        /// The time of the next event that happens by itself; nil if there is none.
        var due: Timestamp?
        /// Whether purchases wait for approval or for the customer.
        var hasPending: Bool
        var body: [UInt8]
    }

    private var values: Values
    private var lines: [Line]
    /// The lines whose households are in ``part``.
    private var loaded: Set<Int> = []
    /// Where the transactions stand in the state file.
    var table: TransactionTable

    /// The place in the state file that the index describes.
    var place: Place { values.place }
    /// The size at which the state file is replaced by a complete state.
    var compactionCount: Int { values.compactionCount }
    /// The state with what was loaded, and without notifications.
    private(set) var part: SimulatorState

    private static let name = "local-store-index 1 "

    /// Returns the path of the index of a state file.
    static func path(for stateFile: String) -> String { "\(stateFile).index" }

    // MARK: Creating

    /// Creates the index of a complete state.
    ///
    /// - Parameters:
    ///   - compactionCount: The size at which the state file is replaced by a complete state.
    ///   - table: Where the transactions stand in the state file.
    init(of state: SimulatorState, at place: Place, compactionCount: Int, _ table: TransactionTable) throws {
        lines = try Self.lines(of: Self.groups(of: state), in: state)
        values = Values(
            place: place, compactionCount: compactionCount, householdCount: lines.count, state: state.withoutLists)
        part = values.state
        self.table = table.limited(to: state.transactions)
    }

    /// Replaces the loaded households by those of a later state of the same accounts.
    mutating func update(_ state: SimulatorState, at place: Place) throws {
        values.place = place
        values.state = state.withoutLists
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
        var needed = latestOfProducts(in: state)
        for subscription in state.subscriptions {
            guard let place = places[key(subscription.account)] else { continue }
            households[place].subscriptions.append(subscription)
            needed.insert(subscription.latestNumber)
        }
        // All purchases of a subscription say which of its periods belong to one that is not acknowledged.
        let ordered = Set(state.transactions.lazy.filter { $0.play?.isAcknowledged == false }.map(\.originalNumber))
        for transaction in state.transactions where ordered.contains(transaction.originalNumber) {
            needed.insert(transaction.number)
        }
        for transaction in state.transactions where isNeeded(transaction, needed) {
            if let place = places[key(transaction.account)] { households[place].transactions.append(transaction) }
        }
        return try households.map { household in
            Line(
                names: household.accounts.map { key($0.name) }, due: household.due,
                hasPending: !household.pending.isEmpty, body: try StateJSON.encode(household))
        }
    }

    /// Returns the numbers of the latest transaction of each product and account, which the product can name.
    private static func latestOfProducts(in state: SimulatorState) -> Set<Int64> {
        struct Sale: Hashable {
            // Identifiers are compared as bytes.
            let account: [UInt8]
            let product: [UInt8]
        }
        var latest: [Sale: Int64] = [:]
        for transaction in state.transactions {
            let sale = Sale(account: [UInt8](transaction.account.utf8), product: [UInt8](transaction.productID.utf8))
            latest[sale] = transaction.number
        }
        return Set(latest.values)
    }

    /// Returns whether the store's rules look at a transaction without being asked for it by its identifier.
    ///
    /// They look at what is owned for good, at certain transactions and their family-shared copies, and at offers that
    /// a customer can use only once.
    private static func isNeeded(_ transaction: StoredTransaction, _ needed: Set<Int64>) -> Bool {
        if needed.contains(transaction.number) { return true }
        if let source = transaction.sharedFrom, needed.contains(source) { return true }
        if transaction.type == .nonConsumable { return !transaction.isRevoked }
        guard let offer = transaction.offer else { return false }
        return offer.type == .introductory || offer.type == .code || offer.replacesIntroductoryOffer
    }

    // MARK: Reading and writing

    /// Reads an index; nil if there is none that can be used.
    static func read(_ path: String) -> StateIndex? {
        guard let bytes = try? PrivateFile.read(path, maximumCount: StateFile.maximumSize) else { return nil }
        return try? StateIndex(bytes)
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
        while self.lines.count < values.householdCount {
            guard let line = lines.next().flatMap({ Line($0) }) else { return nil }
            self.lines.append(line)
        }
        table = TransactionTable(text: [UInt8](bytes[lines.position...]))
    }

    /// The content of the file.
    func content() throws -> [UInt8] {
        var body = try StateJSON.encode(values) + [UInt8(ascii: "\n")]
        for line in lines { body += line.bytes + [UInt8(ascii: "\n")] }
        body += table.text
        return [UInt8]("\(Self.name)\(try SHA256Digest.of(bytes: body))\n".utf8) + body
    }
}

extension StateIndex.Line {
    /// Parses the line of a household; nil if it is not one.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4 else { return nil }
        names = words[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        due = Int64(String(decoding: words[1], as: UTF8.self)).flatMap { Timestamp(milliseconds: $0) }
        hasPending = words[2].elementsEqual("pending".utf8)
        body = [UInt8](words[3])
    }

    fileprivate var bytes: [UInt8] {
        let due = due.map { "\($0.millisecondsSince1970)" } ?? "-"
        return [UInt8]("\(names.joined(separator: ",")) \(due) \(hasPending ? "pending" : "-") ".utf8) + body
    }
}

extension StateIndex.Household {
    /// The time of the next renewal, expiration, failed payment, refund or end of the time for an approval.
    fileprivate var due: Timestamp? {
        let deadlines = transactions.unacknowledgedPlaySales.map(\.deadline) + pending.compactMap(\.approvalDeadline)
        return (subscriptions.compactMap(\.due) + deadlines).min()
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

// MARK: - Loading

extension StateIndex {
    /// Adds to ``part`` what a command needs; returns false where only the complete state is certain to be enough.
    ///
    /// - Parameter read: Reads transactions from the state file; nil where they do not agree with their entries.
    mutating func load(
        _ need: StateNeed, reading read: ([TransactionTable.Entry]) throws -> [StoredTransaction]?
    ) throws -> Bool {
        var due: Timestamp? = part.now
        switch need {
        case .purchases(let account):
            guard let name = try account ?? onlyAccount, try load(name) else { return false }
        case .transactions(let operands, let account):
            if let account { guard try load(account) else { return false } }
            for operand in operands {
                if try loadTransaction(operand, read) { continue }
                guard let name = try account ?? onlyAccount, try load(name), hasTransaction(of: operand, name) else {
                    return false
                }
            }
        case .subscription(let operand, let account):
            if let account { guard try load(account) else { return false } }
            if let operand, try loadTransaction(operand, read) { break }
            guard let name = try account ?? onlyAccount, try load(name) else { return false }
            if let operand { guard hasSubscription(to: operand, name) else { return false } }
        case .pendingPurchases(let account):
            if let account { guard try load(account) else { return false } }
            try loadPending()
        case .dueEvents(let target): due = target(part.now) ?? nextDue
        }
        // A command can end with what is due at the present time, or a millisecond later.
        let limit = max(part.now, due ?? part.now).adding(milliseconds: 1)
        for index in lines.indices {
            if let due = lines[index].due, due <= limit { try load(line: index) }
        }
        return part.inconsistency == nil
    }

    /// The name of the only account; nil if there are several.
    private var onlyAccount: String? {
        get throws {
            guard lines.count == 1, lines[0].names.count == 1 else { return nil }
            return try StateJSON.decode(Household.self, from: lines[0].body[...]).accounts.first?.name
        }
    }

    /// The earliest time at which something is due in a household that is not loaded.
    private var nextDue: Timestamp? {
        lines.indices.filter { !loaded.contains($0) }.compactMap { lines[$0].due }.min()
    }

    private func hasTransaction(of product: String, _ account: String) -> Bool {
        part.transactions.contains { $0.productID.isIdentical(to: product) && $0.account.isIdentical(to: account) }
    }

    private func hasSubscription(to product: String, _ account: String) -> Bool {
        part.subscriptions.contains { $0.productID.isIdentical(to: product) && $0.account.isIdentical(to: account) }
    }

    /// Adds an account's household to ``part``; returns false if there is no such account.
    private mutating func load(_ account: String) throws -> Bool {
        let wanted = Self.key(account)
        guard let index = lines.firstIndex(where: { $0.names.contains(wanted) }) else { return false }
        try load(line: index)
        return true
    }

    private mutating func loadPending() throws {
        for index in lines.indices where lines[index].hasPending { try load(line: index) }
    }

    private mutating func load(line index: Int) throws {
        guard loaded.insert(index).inserted else { return }
        let household = try StateJSON.decode(Household.self, from: lines[index].body[...])
        part.accounts += household.accounts
        part.transactions += household.transactions
        part.subscriptions += household.subscriptions
        part.pending += household.pending
        part.transactions.sort { $0.number < $1.number }
        part.subscriptions.sort { $0.originalNumber < $1.originalNumber }
        part.pending.sort { $0.number < $1.number }
    }

    /// Adds a transaction to ``part``, with its household; returns false if the identifier is not that of a
    /// transaction.
    private mutating func loadTransaction(
        _ id: String, _ read: ([TransactionTable.Entry]) throws -> [StoredTransaction]?
    ) throws -> Bool {
        guard let number = Int64(id), "\(number)".isIdentical(to: id) else { return false }
        guard let transactions = try read(table.entries(around: number)), !transactions.isEmpty else { return false }
        for account in Set(transactions.map(\.account)) {
            guard try load(account) else { return false }
        }
        for transaction in transactions {
            let position = StoredTransaction.insertionPosition(of: transaction.number, in: part.transactions)
            // What is there already can be a later version.
            if position < part.transactions.endIndex, part.transactions[position].number == transaction.number {
                continue
            }
            part.transactions.insert(transaction, at: position)
        }
        return true
    }

    /// Applies the changes after the index to ``part``, with the households that they concern.
    ///
    /// Returns false where the index does not suffice: after a change of the accounts, or after a removed transaction,
    /// which can make another one matter again that the index does not have.
    mutating func apply(_ changes: [StateChange]) throws -> Bool {
        for change in changes {
            guard change.appliesToPart else { return false }
            // The removal does not say whose purchase it was.
            if change.removesPending { try loadPending() }
            for account in change.concernedAccounts {
                guard try load(account) else { return false }
            }
        }
        let names = Set(loaded.flatMap { lines[$0].names })
        for change in changes { change.apply(toPart: &part) { names.contains(Self.key($0)) } }
        return true
    }
}
