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
        for purchase in try inspection.purchases(of: session.arguments.value(of: .user).map { UUIDText($0) }) {
            if session.writesJSON {
                try session.writeLine(purchase.object, as: .purchase)
            } else {
                table.add(purchase.cells)
            }
        }
        try table.write(to: session.output)
        return session.reportOmissions(of: inspection)
    }
}
