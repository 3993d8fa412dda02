internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

/// `export`: prints the signed payloads, one receipt a line.
struct ExportCommand {
    let session: Session

    func run() async throws -> ExitCode {
        try session.arguments.requireNoOperands()
        let inspection = try await OpenedData(session).inspection()
        try inspection.forEachReceipt { receipt in
            guard let content = receipt.content else { return }
            let account = (receipt.entry?.account ?? receipt.purchase?.user)?.rawValue
            var object: JSONObject = [
                "kind": .string(receipt.kind), "transactionId": .optionalString(receipt.transactionID),
                "productId": .optionalString(receipt.productID),
                "account": .optionalString(account),
            ]
            switch content {
            case .jws(let jws): object["receipt"] = .string(jws)
            case .play(let purchase):
                object["data"] = .string(purchase.data)
                object["signature"] = .string(purchase.signature)
            case .appReceipt(let receipt): object["appReceipt"] = .string(receipt.base64)
            }
            object["stage"] = .optionalString(receipt.entry.map { "\($0.stage)" })
            object["source"] = .optionalString(receipt.entry?.source.rawValue)
            object["quarantine"] = .optionalString(receipt.entry?.quarantineReason)
            object["observedAt"] = .optionalString(receipt.entry?.observedAt)
            object["productType"] = .optionalString(receipt.purchase?.type.rawValue)
            try session.writeLine(object, as: .receipt)
        }
        try writeTombstones(of: inspection)
        return session.reportOmissions(of: inspection)
    }

    /// Writes what is left of the purchases of deleted users, or says that it is left out.
    private func writeTombstones(of inspection: DatabaseInspection) throws {
        let tombstones = try inspection.tombstones()
        guard session.arguments.has(.tombstones) else {
            if tombstones.isEmpty { return }
            return session.messages.note("hint: before an import, export with --tombstones: users have been deleted")
        }
        for tombstone in tombstones { try session.writeLine(ExportedTombstone(tombstone).object, as: .tombstone) }
    }
}
