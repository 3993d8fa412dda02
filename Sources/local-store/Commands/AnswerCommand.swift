internal import CommandLineInterface
internal import LocalStore

/// `approve` and `decline`: the end of a purchase that waits.
struct AnswerCommand {
    let session: Session

    func run() throws {
        let operand = try Operands.upTo(1, session).first
        let opened = try OpenStore(session, toChange: true)
        let purchase = try Choice(opened).pending(operand)
        if session.arguments.command == .approve {
            let answer = try opened.change { engine in
                switch purchase.kind {
                case .approval: try engine.approve(purchase.id)
                case .interruption: try engine.resolve(purchase.id)
                }
            }.value
            return try StoreReport(session: session).write(answer)
        }
        _ = try opened.change { engine in
            switch purchase.kind {
            case .approval: try engine.decline(purchase.id)
            case .interruption: try engine.abandon(purchase.id)
            }
        }
        try StoreReport(session: session).write([purchase])
        session.messages.note(purchase.kind == .approval ? "declined, of which the app never hears" : "given up")
    }
}
