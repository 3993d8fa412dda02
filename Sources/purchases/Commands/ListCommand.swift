internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

/// `list`: lists the recorded purchases.
struct ListCommand {
    let session: Session

    func run() async throws -> ExitCode {
        try session.arguments.requireNoOperands()
        let inspection = try await OpenedData(session).inspection()
        var table = TextTable()
        let user = session.arguments.value(of: .user)
        let purchases = try inspection.purchases(of: user.map { UUIDText($0) })
        for purchase in purchases {
            if session.writesJSON {
                try session.writeLine(purchase.object, as: .purchase)
            } else {
                table.add(purchase.cells)
            }
        }
        try table.write(to: session.output)
        let code = session.reportOmissions(of: inspection)
        guard let user, purchases.isEmpty else { return code }
        session.messages.error(
            UsageError("the database has no purchase of \(Escaped(user).quoted)", hint: "see purchases list"))
        return .negative
    }
}
