internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `refund`: refunds a purchase, requests or declines a refund, or reverses one.
struct RefundCommand {
    let session: Session

    func run() throws {
        let operand = try session.arguments.checkedOperands(atMost: 1).first
        let flags = [Flag.request, .decline, .reverse].filter(session.arguments.has)
        guard flags.count < 2 else {
            throw UsageError(
                "\(flags[0].spelling) cannot be used with \(flags[1].spelling)", hint: "leave one of them out")
        }
        if let flag = flags.first, session.arguments.mentions(.reason) {
            throw UsageError(
                "--reason cannot be used with \(flag.spelling)", hint: "--reason is the reason for a refund")
        }
        let reason: RevocationReason = session.arguments.value(of: .reason)?.lowercased() == "issue" ? .issue : .other
        let opened = try OpenedStore(session, forWriting: true)
        let id = try PurchaseSelector(opened).transaction(operand).id
        let notifications = try opened.perform { engine in
            switch flags.first {
            case .request: try engine.requestRefund(id)
            case .decline: try engine.declineRefund(id)
            case .reverse: try engine.reverseRefund(id)
            default: try engine.refund(id, reason: reason)
            }
        }.notifications
        let report = StoreReport(session: session)
        try report.write([opened.state.transaction(id)].compactMap { $0 })
        try report.write(notifications)
    }
}
