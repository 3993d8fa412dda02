internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `list`: what the store knows.
struct ListCommand {
    let session: Session

    func run() throws {
        let subject = try Operands.upTo(1, session).first ?? "transactions"
        let opened = try OpenStore(session, toChange: false)
        let customer = try opened.namedCustomer()
        func isMeant(_ account: String) -> Bool { customer.map { $0.isIdentical(to: account) } ?? true }
        let (state, report) = (opened.state, StoreReport(session: session))
        switch subject {
        case "transactions": try report.write(state.transactions.lazy.filter { isMeant($0.account) })
        case "unfinished": try report.write(state.transactions.lazy.filter { isMeant($0.account) && !$0.isFinished })
        case "subscriptions": try report.write(state.subscriptions.lazy.filter { isMeant($0.account) })
        case "pending": try report.write(state.pending.lazy.filter { isMeant($0.account) })
        case "notifications": try report.write(state.notifications.lazy.filter { isMeant($0.account) })
        default:
            let words = Command.list.definition.actions
            throw UsageError(
                "list does not take \(Escaped(subject).quoted)",
                hint: WordSearch.nearest(to: subject, in: words).map { "did you mean \($0)" }
                    ?? "it takes \(words.joined(separator: ", "))"
            )
        }
    }
}
