internal import CommandLineInterface
internal import LocalStore

/// `change-plan`: upgrades, downgrades or crossgrades a subscription.
struct ChangePlanCommand {
    let session: Session

    func run() throws {
        let operands = try session.arguments.checkedOperands(atMost: 2)
        guard operands.count == 2 else {
            throw UsageError(
                "change-plan needs a subscription and a product", hint: "write local-store change-plan ID PRODUCT")
        }
        let (offer, plan) = (try session.arguments.requestedOffer(), session.arguments.requestedBillingPlan())
        let opened = try OpenedStore(session, forSubscription: operands[0])
        let id = try PurchaseSelector(opened).subscription(operands[0]).id
        let (answer, notifications) = try opened.perform { engine in
            try engine.changePlan(id, to: operands[1], offer: offer, billingPlan: plan)
        }
        let report = StoreReport(session: session)
        try report.write(answer)
        try report.write([opened.state.subscription(id)].compactMap { $0 })
        try report.write(notifications)
    }
}
