internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `list`: lists transactions, subscriptions, pending purchases or notifications.
struct ListCommand {
    let session: Session

    func run() throws {
        let subject = try session.arguments.checkedOperands(atMost: 1).first ?? "transactions"
        let opened = try OpenedStore(session, forWriting: false)
        let customer = try opened.namedCustomer()
        func isSelected(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }
        let (state, report) = (opened.state, StoreReport(session: session))
        switch subject {
        case "transactions": try report.write(state.transactions.lazy.filter { isSelected($0.account) })
        case "unfinished": try report.write(state.transactions.lazy.filter { isSelected($0.account) && !$0.isFinished })
        case "subscriptions": try report.write(state.subscriptions.lazy.filter { isSelected($0.account) })
        case "pending": try report.write(state.pending.lazy.filter { isSelected($0.account) })
        case "notifications": try report.write(state.notifications.lazy.filter { isSelected($0.account) })
        default:
            let words = Command.list.definition.actions
            throw UsageError(
                "cannot list \(Escaped(subject).quoted)",
                hint: WordSearch.nearest(to: subject, in: words).map { "did you mean \($0)" }
                    ?? "use one of \(words.joined(separator: ", "))"
            )
        }
    }
}
