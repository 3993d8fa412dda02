internal import CommandLineInterface
internal import LocalStore

/// `finish` and `delete`: what ends for transactions one by one.
struct TransactionsCommand {
    let session: Session

    func run() throws {
        let (operands, command) = (session.arguments.operands, session.arguments.command)
        guard !operands.isEmpty else {
            throw UsageError("\(command.name) needs a transaction", hint: "name it by its id or its product")
        }
        let opened = try OpenStore(session, toChange: true)
        let choice = try Choice(opened)
        let ids = try operands.map { try choice.transaction($0).id }
        _ = try opened.change { engine in
            for id in ids {
                if command == .finish { engine.finish(id) } else { try engine.delete(id) }
            }
        }
        session.messages.note("\(command == .finish ? "finished" : "deleted") \(ids.joined(separator: ", "))")
    }
}
