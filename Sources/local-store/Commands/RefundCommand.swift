internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
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
        if let flag = flags.first {
            for other in [Flag.reason, .quantity, .percentage] where session.arguments.mentions(other) {
                throw UsageError(
                    "\(other.spelling) cannot be used with \(flag.spelling)",
                    hint: "\(other.spelling) belongs to a refund that is granted")
            }
        }
        let share = try share()
        let reason: RevocationReason = session.arguments.value(of: .reason)?.lowercased() == "issue" ? .issue : .other
        let opened = try OpenedStore(session, forTransactions: operand.map { [$0] })
        let id = try PurchaseSelector(opened).transaction(operand).id
        if flags.first == .request { try opened.store.requireNoSimulatedError(in: .refundRequestSheet) }
        let notifications = try opened.perform { engine in
            switch flags.first {
            case .request: try engine.requestRefund(id)
            case .decline: try engine.declineRefund(id)
            case .reverse: try engine.reverseRefund(id)
            default: try engine.refund(id, reason: reason, share: share)
            }
        }.notifications
        let report = StoreReport(session: session)
        try report.write([opened.state.transaction(id)].compactMap { $0 })
        try report.write(notifications)
    }

    /// Returns the part of the purchase that `--quantity` or `--percentage` names; the whole purchase without them.
    private func share() throws(UsageError) -> RefundShare {
        let count = try session.arguments.positiveNumber(of: .quantity)
        guard let text = session.arguments.value(of: .percentage) else {
            return count.map { .quantity($0) } ?? .whole
        }
        guard count == nil else {
            throw UsageError("--quantity cannot be used with --percentage", hint: "leave one of them out")
        }
        // A percentage in thousandths is written as an amount of money in thousandths is.
        guard let percentage = Milliunits(decimal: text), (1...100_000).contains(percentage.rawValue) else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for --percentage", hint: "give a number up to 100, such as 33.3")
        }
        return .percentage(Int32(clamping: percentage.rawValue))
    }
}
