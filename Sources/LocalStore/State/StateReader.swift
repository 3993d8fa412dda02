internal import PurchaseCore
internal import ReceiptTypes
internal import SQLite

/// Reads a state, or the part of it that a command needs, in one transaction.
struct StateReader {
    private let connection: StateConnection

    init(_ connection: StateConnection) {
        self.connection = connection
    }

    /// What was read.
    struct Read {
        var step: Int64
        var state: SimulatorState
        /// The households of the accounts in the state.
        var households: [ExactString: Int64] = [:]
    }

    private func values() throws(StoreSimulatorError) -> (read: Read, counts: [String: Int]) {
        let row = try StateDatabase.values.rows("", in: connection).first
        let values: [StateValues] = try StateDatabase.values.elements("", in: connection)
        guard case .integer(let step)? = row?[1], let values = values.first else { throw StateTable.mismatch }
        return (Read(step: step, state: values.state), values.counts)
    }

    // MARK: Everything

    /// Reads the complete state, and checks the whole file.
    func complete() throws(StoreSimulatorError) -> Read {
        let result = try connection.first("PRAGMA integrity_check(1)") { (row) throws(StoreSimulatorError) in
            try row.text(0)
        }
        guard result == "ok" else { throw StateTable.mismatch }
        var (read, counts) = try values()
        for row in try StateDatabase.accounts.rows("", in: connection) {
            guard case .text(let name) = row[1], case .integer(let household) = row[2] else {
                throw StateTable.mismatch
            }
            read.households[ExactString(name)] = household
        }
        _ = try StateDatabase.householdTable.rows("", in: connection)
        read.state.accounts = try StateDatabase.accounts.elements("ORDER BY place", in: connection)
        read.state.transactions = try StateDatabase.transactions.elements("ORDER BY number", in: connection)
        read.state.subscriptions = try StateDatabase.subscriptions.elements("ORDER BY number", in: connection)
        read.state.pending = try StateDatabase.pending.elements("ORDER BY number", in: connection)
        read.state.notifications = try StateDatabase.notifications.elements("ORDER BY place", in: connection)
        guard read.state.counts == counts else { throw StateTable.mismatch }
        if let inconsistency = read.state.inconsistency { throw StoreSimulatorError(.damagedState, inconsistency) }
        return read
    }

    // MARK: A part

    /// Reads the part of the state that a command needs; nil where only the complete state is certain to be enough.
    func part(_ need: StateNeed) throws(StoreSimulatorError) -> Read? {
        var read = try values().read
        var due: Timestamp? = read.state.now
        switch need {
        case .purchases(let account):
            guard let name = try named(account), try load(name, &read) else { return nil }
        case .transactions(let operands, let account):
            if let account { guard try load(account, &read) else { return nil } }
            for operand in operands {
                if try loadTransaction(operand, &read) { continue }
                guard let name = try named(account), try load(name, &read),
                    read.state.transactions.contains(where: {
                        $0.productID.isIdentical(to: operand) && $0.account.isIdentical(to: name)
                    })
                else { return nil }
            }
        case .subscription(let operand, let account):
            if let account { guard try load(account, &read) else { return nil } }
            if let operand, try loadTransaction(operand, &read) { break }
            guard let name = try named(account), try load(name, &read) else { return nil }
            guard let operand else { break }
            let isKnown = read.state.subscriptions.contains {
                $0.productID.isIdentical(to: operand) && $0.account.isIdentical(to: name)
            }
            guard isKnown else { return nil }
        case .pendingPurchases(let account):
            if let account { guard try load(account, &read) else { return nil } }
            try loadHouseholds("WHERE has_pending = 1", [], &read)
        case .dueEvents(let target):
            let next = try connection.first("SELECT min(due) FROM households") { (row) throws(StoreSimulatorError) in
                try row.optionalInteger(0)
            }
            due = target(read.state.now) ?? next.flatMap { $0 }.flatMap { Timestamp(milliseconds: $0) }
        }
        // A command can end with what is due at the present time, or a millisecond later.
        let limit = max(read.state.now, due ?? read.state.now).adding(milliseconds: 1)
        try loadHouseholds("WHERE due <= ?", [.integer(limit.millisecondsSince1970)], &read)
        return read.state.inconsistency == nil ? read : nil
    }

    /// Returns the name of an account that a command names, or of the only one; nil if there are several.
    private func named(_ account: String?) throws(StoreSimulatorError) -> String? {
        if let account { return account }
        let names = try connection.rows("SELECT name FROM accounts LIMIT 2") { (row) throws(StoreSimulatorError) in
            try row.text(0)
        }
        return names.count == 1 ? names[0] : nil
    }

    /// Adds an account's household; returns false if there is no such account.
    private func load(_ account: String, _ read: inout Read) throws(StoreSimulatorError) -> Bool {
        if read.households[ExactString(account)] != nil { return true }
        let row = try StateDatabase.accounts.rows("WHERE name = ?", [.text(account)], in: connection).first
        guard case .integer(let household)? = row?[2] else { return false }
        try load(household, &read)
        return true
    }

    private func loadHouseholds(
        _ condition: String, _ values: [SQLiteValue], _ read: inout Read
    ) throws(StoreSimulatorError) {
        for row in try StateDatabase.householdTable.rows(condition, values, in: connection) {
            guard case .integer(let household) = row[0] else { throw StateTable.mismatch }
            if !read.households.values.contains(household) { try load(household, &read) }
        }
    }

    private func load(_ household: Int64, _ read: inout Read) throws(StoreSimulatorError) {
        let accounts: [StoreAccount] = try StateDatabase.accounts.elements(
            "WHERE household = ? ORDER BY place", [.integer(household)], in: connection)
        read.state.accounts += accounts
        for account in accounts {
            read.households[ExactString(account.name)] = household
            let name = [SQLiteValue.text(account.name)]
            read.state.transactions += try StateDatabase.transactions.elements(
                "WHERE account = ? AND is_needed = 1", name, in: connection)
            read.state.subscriptions += try StateDatabase.subscriptions.elements(
                "WHERE account = ?", name, in: connection)
            read.state.pending += try StateDatabase.pending.elements("WHERE account = ?", name, in: connection)
        }
        read.state.transactions.sort { $0.number < $1.number }
        read.state.subscriptions.sort { $0.originalNumber < $1.originalNumber }
        read.state.pending.sort { $0.number < $1.number }
    }

    /// Adds a transaction, with its household and with what its refund, or finishing it, looks at: the others of its
    /// subscription, and its family-shared copies; returns false if the identifier is not that of a transaction.
    private func loadTransaction(_ id: String, _ read: inout Read) throws(StoreSimulatorError) -> Bool {
        guard let number = Int64(id), "\(number)".isIdentical(to: id) else { return false }
        let transactions: [StoredTransaction] = try StateDatabase.transactions.elements(
            """
            WHERE original = (SELECT original FROM transactions WHERE number = ?1) OR shared_from = ?1
            ORDER BY number
            """, [.integer(number)], in: connection)
        guard transactions.contains(where: { $0.number == number }) else { return false }
        for transaction in transactions {
            guard try load(transaction.account, &read) else { return false }
            let position = StoredTransaction.insertionPosition(of: transaction.number, in: read.state.transactions)
            if StoredTransaction.position(of: transaction.number, in: read.state.transactions) == nil {
                read.state.transactions.insert(transaction, at: position)
            }
        }
        return true
    }
}
