internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `status`: prints the store's app, time, seed, root certificate and counts.
struct StatusCommand {
    let session: Session

    func run() throws {
        try session.arguments.checkNoOperands()
        let opened = try OpenedStore(session, forWriting: false)
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
            return try session.writeLine(object, as: .status)
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
        table.add(["subscriptions", "\(running) running, \(state.subscriptions.count) in total"])
        table.add(["pending", "\(state.pending.count)"])
        table.add(["notifications", "\(state.notifications.count)"])
        try table.write(to: session.output)
    }
}
