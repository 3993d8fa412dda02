internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `refund`: money back, asked for, given, refused or taken back.
struct RefundCommand {
    let session: Session

    func run() throws {
        let operand = try Operands.upTo(1, session).first
        let flags = [Flag.request, .decline, .reverse].filter(session.arguments.has)
        guard flags.count < 2 else {
            throw UsageError(
                "\(flags[0].spelling) does not go with \(flags[1].spelling)", hint: "leave one of them out")
        }
        if let flag = flags.first, session.arguments.mentions(.reason) {
            throw UsageError("--reason does not go with \(flag.spelling)", hint: "it says why money is paid back")
        }
        let reason: RevocationReason = session.arguments.value(of: .reason)?.lowercased() == "issue" ? .issue : .other
        let opened = try OpenStore(session, toChange: true)
        let id = try Choice(opened).transaction(operand).id
        let notifications = try opened.change { engine in
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
