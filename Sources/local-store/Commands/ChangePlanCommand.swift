internal import CommandLineInterface
internal import LocalStore

/// `change-plan`: an upgrade, a downgrade or a crossgrade.
struct ChangePlanCommand {
    let session: Session

    func run() throws {
        let operands = try Operands.upTo(2, session)
        guard operands.count == 2 else {
            throw UsageError(
                "change-plan needs a subscription and a product", hint: "local-store change-plan ID PRODUCT")
        }
        let offer = try RequestedOffer.of(session.arguments)
        let opened = try OpenStore(session, toChange: true)
        let id = try Choice(opened).subscription(operands[0]).id
        let (answer, notifications) = try opened.change { engine in
            try engine.changePlan(id, to: operands[1], offer: offer)
        }
        let report = StoreReport(session: session)
        try report.write(answer)
        try report.write([opened.state.subscription(id)].compactMap { $0 })
        try report.write(notifications)
    }
}
