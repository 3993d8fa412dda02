internal import CommandLineInterface
internal import LocalStore

/// `finish` and `delete`: finishes or removes transactions.
struct TransactionCommand {
    let session: Session

    func run() throws {
        let (operands, command) = (session.arguments.operands, session.arguments.command)
        guard !operands.isEmpty else {
            throw UsageError("\(command.name) needs a transaction", hint: "name it by its id or its product")
        }
        // A removal can make any other transaction matter.
        let opened = try OpenedStore(session, forTransactions: command == .finish ? operands : nil)
        let selector = try PurchaseSelector(opened)
        let ids = try operands.map { try selector.transaction($0).id }
        _ = try opened.perform { engine in
            for id in ids {
                if command == .finish { engine.finish(id) } else { try engine.delete(id) }
            }
        }
        session.messages.note("\(command == .finish ? "finished" : "deleted") \(ids.joined(separator: ", "))")
    }
}
