internal import PurchaseCore
internal import ReceiptTypes
internal import SQLite

/// Writes the rows that a step changes; part of a transaction.
struct StateWriter {
    private let connection: StateConnection

    init(_ connection: StateConnection) {
        self.connection = connection
    }

    /// Writes the difference between the states before and after a step, and what follows from it.
    func write(
        _ state: SimulatorState, after old: SimulatorState, _ database: inout StateDatabase
    ) throws(StoreSimulatorError) {
        let transactions = ListDifference(from: old.transactions, to: state.transactions)
        let subscriptions = ListDifference(from: old.subscriptions, to: state.subscriptions)
        let pending = ListDifference(from: old.pending, to: state.pending)
        let changesAccounts = old.accounts != state.accounts
        guard database.isComplete || !changesAccounts && transactions.removed.isEmpty else {
            // Without the removed transaction, the rules can look at another one, which was not read.
            throw StoreSimulatorError(.invalidAction, "the command changes more than was read of the state")
        }
        if changesAccounts {
            database.households = Household.numbers(in: state)
            try writeAccounts(of: state, database.households)
        }
        let stored: [StateValues] = try StateDatabase.values.elements("", in: connection)
        // A part of a state has a part of the elements.
        var counts = stored.first?.counts ?? [:]
        let storedNotifications = counts[StateDatabase.notifications.name, default: 0]
        for (table, count) in state.counts { counts[table, default: 0] += count - old.counts[table, default: 0] }
        try writeNotifications(of: state, after: old, from: storedNotifications)
        let accounts =
            (transactions.changed + transactions.removed).map(\.account)
            + (subscriptions.changed + subscriptions.removed).map(\.account)
            + (pending.changed + pending.removed).map(\.account)
        var concerned = Set(accounts.compactMap { database.households[ExactString($0)] })
        if changesAccounts { concerned = Set(database.households.values) }
        let now = Household.all(in: state, database.households, concerned)
        let before = Household.all(in: old, database.households, concerned)
        try write(transactions, before: before, now: now)
        try write(subscriptions, to: StateDatabase.subscriptions, \.account)
        try write(pending, to: StateDatabase.pending, \.account)
        for number in concerned {
            let household = now[number, default: Household()]
            try StateDatabase.householdTable.put(
                [
                    .integer(number), SQLiteValue(household.due?.millisecondsSince1970),
                    .integer(household.pending.isEmpty ? 0 : 1),
                ], in: connection)
        }
        database.step += 1
        try StateDatabase.values.put(
            [.integer(1), .integer(database.step), StateTable.body(StateValues(state, counts: counts))], in: connection)
    }

    private func writeAccounts(
        of state: SimulatorState, _ households: [ExactString: Int64]
    ) throws(StoreSimulatorError) {
        try connection.execute("DELETE FROM accounts")
        try connection.execute("DELETE FROM households")
        for (place, account) in state.accounts.enumerated() {
            let household = households[ExactString(account.name), default: Int64(place)]
            try StateDatabase.accounts.put(
                [.integer(Int64(place)), .text(account.name), .integer(household), StateTable.body(account)],
                in: connection)
        }
    }

    /// Notifications never change, and are added at the end.
    ///
    /// - Parameter storedCount: The number of notifications in the file, of which a part of a state has none.
    private func writeNotifications(
        of state: SimulatorState, after old: SimulatorState, from storedCount: Int
    ) throws(StoreSimulatorError) {
        let (before, now) = (old.notifications, state.notifications)
        var (added, first) = (now[...], storedCount)
        if let last = before.last, now.count >= before.count, now[before.count - 1].id.isIdentical(to: last.id) {
            added = now[before.count...]
        } else if !before.isEmpty {
            try connection.execute("DELETE FROM notifications")
            first = 0
        }
        for (offset, notification) in added.enumerated() {
            try StateDatabase.notifications.put(
                [.integer(Int64(first + offset)), StateTable.body(notification)], in: connection)
        }
    }

    /// Writes the changed transactions, and those that the rules begin or cease to look at.
    private func write(
        _ difference: ListDifference<StoredTransaction>, before: [Int64: Household], now: [Int64: Household]
    ) throws(StoreSimulatorError) {
        for transaction in difference.removed {
            try StateDatabase.transactions.delete(transaction.number, in: connection)
        }
        let changed = Set(difference.changed.map(\.number))
        for (number, household) in now {
            let (neededBefore, needed) = (before[number]?.needed ?? [], household.needed)
            for transaction in household.transactions {
                let isNeeded = needed.contains(transaction.number)
                guard
                    changed.contains(transaction.number) || isNeeded != neededBefore.contains(transaction.number)
                else { continue }
                try StateDatabase.transactions.put(
                    [
                        .integer(transaction.number), .integer(transaction.originalNumber),
                        SQLiteValue(transaction.sharedFrom), .text(transaction.account), .integer(isNeeded ? 1 : 0),
                        StateTable.body(transaction),
                    ], in: connection)
            }
        }
    }

    private func write<Element: StateElement>(
        _ difference: ListDifference<Element>, to table: StateTable, _ account: (Element) -> String
    ) throws(StoreSimulatorError) {
        for element in difference.removed { try table.delete(element.identity, in: connection) }
        for element in difference.changed {
            try table.put(
                [.integer(element.identity), .text(account(element)), StateTable.body(element)], in: connection)
        }
    }
}

/// The difference between two versions of a list whose elements keep their order and their identity.
///
/// Elements are added only at the end, and can change or be removed anywhere.
private struct ListDifference<Element: StateElement> {
    /// The new and the changed elements.
    private(set) var changed: [Element] = []
    private(set) var removed: [Element] = []

    init(from old: [Element], to new: [Element]) {
        // Lists that share their storage are equal without a look at their elements.
        if old == new { return }
        var place = 0
        for element in old {
            guard place < new.count, element.identity == new[place].identity else {
                removed.append(element)
                continue
            }
            if element != new[place] { changed.append(new[place]) }
            place += 1
        }
        changed += new[place...]
    }
}
