internal import CommandLineInterface
internal import LocalStore

/// `approve` and `decline`: completes or cancels a purchase that awaits approval or is interrupted.
struct PendingPurchaseCommand {
    let session: Session

    func run() throws {
        let operand = try session.arguments.checkedOperands(atMost: 1).first
        let need = StateNeed.pendingPurchases(of: session.arguments.value(of: .account))
        let opened = try OpenedStore(session, for: .changing(need))
        let purchase = try PurchaseSelector(opened).pendingPurchase(operand)
        if session.arguments.command == .approve {
            let answer = try opened.perform { engine in
                switch purchase.kind {
                case .approval: try engine.approve(purchase.id)
                case .interruption: try engine.resolve(purchase.id)
                }
            }.value
            return try StoreReport(session: session).write(answer)
        }
        _ = try opened.perform { engine in
            switch purchase.kind {
            case .approval: try engine.decline(purchase.id)
            case .interruption: try engine.abandon(purchase.id)
            }
        }
        try StoreReport(session: session).write([purchase])
        session.messages.note(purchase.kind == .approval ? "declined; the app is not notified" : "abandoned")
    }
}
