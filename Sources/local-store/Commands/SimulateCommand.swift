internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `simulate`: many customers for a long time.
struct SimulateCommand {
    private static let maximumCustomers = 1000

    let session: Session

    func run() throws {
        try Operands.none(session)
        let count = try session.arguments.positiveNumber(of: .customers) ?? 50
        guard count <= Self.maximumCustomers else {
            throw UsageError("--customers takes 1 to \(Self.maximumCustomers)", hint: "run simulate several times")
        }
        let span = try span()
        let seed = try session.arguments.seed()
        let opened = try OpenStore(session, toChange: true)
        let state = opened.state
        let names = Self.names(count, in: state)
        let end = span.after(state.now)
        let (counts, notifications) = try opened.change { engine in
            var simulation = try Simulation(engine, seed: seed ?? state.seed, customers: names)
            engine = try simulation.run(until: end)
            return simulation.counts
        }
        try report(counts, notifications.count, from: state, to: opened.state)
        AdvanceCommand.warn(end, session.messages)
    }

    private func report(
        _ counts: Simulation.Counts, _ notifications: Int, from old: LocalStoreState, to new: LocalStoreState
    ) throws {
        let customers = new.accounts.count - old.accounts.count
        let transactions = new.transactions.count - old.transactions.count
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("simulation"), "customers": .integer(Int64(customers)), "now": .string("\(new.now)"),
                "actions": .integer(Int64(counts.actions)), "refusals": .integer(Int64(counts.refusals)),
                "transactions": .integer(Int64(transactions)), "notifications": .integer(Int64(notifications)),
            ]
            return try session.output.writeLine(object.description)
        }
        try session.output.writeLine(
            "\(customers) customers until \(new.now): \(counts.actions) actions and \(counts.refusals) refusals, "
                + "\(transactions) transactions, \(notifications) notifications"
        )
    }

    private func span() throws(UsageError) -> TimeSpan {
        guard let text = session.arguments.value(of: .span) else { return TimeSpan(.year) }
        guard let span = TimeSpan(iso8601: text) else {
            throw UsageError(
                "--for does not take \(Escaped(text).quoted)", hint: "it takes a duration such as P1Y or P30D"
            )
        }
        return span
    }

    /// Names that nobody has yet: customer-1 and so on.
    private static func names(_ count: Int, in state: LocalStoreState) -> [String] {
        let taken = Set(state.accounts.map(\.name))
        var names: [String] = []
        var number = 1
        while names.count < count {
            let name = "customer-\(number)"
            if !taken.contains(name) { names.append(name) }
            number += 1
        }
        return names
    }
}
