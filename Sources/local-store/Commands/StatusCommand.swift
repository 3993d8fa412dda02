internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `status`: where the store stands.
struct StatusCommand {
    let session: Session

    func run() throws {
        try Operands.none(session)
        let opened = try OpenStore(session, toChange: false)
        let state = opened.state
        let running = state.subscriptions.filter(\.isRunning).count
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("status"), "store": .string(opened.folder.path), "now": .string("\(state.now)"),
                "seed": .string("\(state.seed)"), "bundleId": .string(state.app.bundleID),
                "environment": .string(state.app.environment.rawValue), "root": .string(opened.folder.root),
                "products": .integer(Int64(opened.store.configuration.products.count)),
                "accounts": .integer(Int64(state.accounts.count)),
                "transactions": .integer(Int64(state.transactions.count)),
                "runningSubscriptions": .integer(Int64(running)), "pending": .integer(Int64(state.pending.count)),
                "notifications": .integer(Int64(state.notifications.count)),
            ]
            return try session.output.writeLine(object.description)
        }
        var table = TextTable()
        table.add(["store", opened.folder.path])
        table.add(["app", "\(state.app.bundleID), \(state.app.environment)"])
        table.add(["time", "\(state.now)"])
        table.add(["seed", "\(state.seed)"])
        table.add(["root", opened.folder.root])
        table.add(["products", "\(opened.store.configuration.products.count)"])
        table.add(["customers", "\(state.accounts.count)"])
        table.add(["transactions", "\(state.transactions.count)"])
        table.add(["subscriptions", "\(running) running, \(state.subscriptions.count) in all"])
        table.add(["waiting", "\(state.pending.count)"])
        table.add(["notifications", "\(state.notifications.count)"])
        for line in table.lines { try session.output.writeLine(line) }
    }
}
