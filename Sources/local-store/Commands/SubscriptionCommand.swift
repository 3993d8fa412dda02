internal import CommandLineInterface
internal import LocalStore

/// `renew`, `expire`, `cancel`, `resume` and `fail`: changes one subscription.
struct SubscriptionCommand {
    let session: Session

    func run() throws {
        let operand = try session.arguments.checkedOperands(atMost: 1).first
        let opened = try OpenedStore(session, forSubscription: operand)
        let id = try PurchaseSelector(opened).subscription(operand).id
        let command = session.arguments.command
        if [.cancel, .resume].contains(command) {
            try opened.store.requireNoSimulatedError(in: .manageSubscriptionsSheet)
        }
        let isRecovery = session.arguments.has(.recover)
        let notifications = try opened.perform { engine in
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
