internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `simulate`: adds customers and simulates what they do over a period of time.
struct SimulateCommand {
    private static let maximumCustomers = 1000

    let session: Session

    func run() throws {
        try session.arguments.checkNoOperands()
        let count = try session.arguments.positiveNumber(of: .customers) ?? 50
        guard count <= Self.maximumCustomers else {
            throw UsageError(
                "invalid value \"\(count)\" for --customers", hint: "give a number from 1 to \(Self.maximumCustomers)")
        }
        let duration = try duration()
        let seed = try session.arguments.seed()
        let opened = try OpenedStore(session, forWriting: true)
        let state = opened.state
        let names = Self.names(count, in: state)
        let end = duration.after(state.now)
        let (counts, notifications) = try opened.perform { engine in
            var simulation = try CustomerSimulation(engine, seed: seed ?? state.seed, customers: names)
            engine = try simulation.run(until: end)
            return simulation.counts
        }
        try report(counts, notifications.count, from: state, to: opened.state)
        session.messages.warnIfClockIsAhead(end)
    }

    private func report(
        _ counts: CustomerSimulation.Counts, _ notifications: Int, from old: SimulatorState, to new: SimulatorState
    ) throws {
        let customers = new.accounts.count - old.accounts.count
        let transactions = new.transactions.count - old.transactions.count
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("simulation"), "customers": .integer(Int64(customers)), "now": .string("\(new.now)"),
                "actions": .integer(Int64(counts.accepted)), "refusals": .integer(Int64(counts.rejected)),
                "transactions": .integer(Int64(transactions)), "notifications": .integer(Int64(notifications)),
            ]
            return try session.writeLine(object, as: .simulation)
        }
        try session.output.writeLine(
            "simulated \(customers) \(customers == 1 ? "customer" : "customers") until \(new.now): "
                + "\(counts.accepted) actions, \(counts.rejected) rejected, "
                + "\(transactions) transactions, \(notifications) notifications"
        )
    }

    private func duration() throws(UsageError) -> ISO8601Duration {
        let text = session.arguments.value(of: .span) ?? "P1Y"
        guard let duration = ISO8601Duration(text) else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for --for", hint: "give a duration such as P1Y or P30D"
            )
        }
        return duration
    }

    /// Returns unused customer names: customer-1, customer-2 and so on.
    private static func names(_ count: Int, in state: SimulatorState) -> [String] {
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
