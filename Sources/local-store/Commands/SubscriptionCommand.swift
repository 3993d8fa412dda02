internal import CommandLineInterface
internal import LocalStore

/// `renew`, `expire`, `cancel`, `resume` and `fail`: what happens to one subscription.
struct SubscriptionCommand {
    let session: Session

    func run() throws {
        let operand = try Operands.upTo(1, session).first
        let opened = try OpenStore(session, toChange: true)
        let id = try Choice(opened).subscription(operand).id
        let command = session.arguments.command
        let isRecovery = session.arguments.has(.recover)
        let notifications = try opened.change { engine in
            switch command {
            case .renew: try engine.renew(id)
            case .expire: try engine.expire(id)
            case .cancel: try engine.cancelRenewal(id)
            case .resume: try engine.resumeRenewal(id)
            default: try engine.setBillingIssue(!isRecovery, id)
            }
        }.notifications
        let report = StoreReport(session: session)
        try report.write([opened.state.subscription(id)].compactMap { $0 })
        try report.write(notifications)
    }
}
