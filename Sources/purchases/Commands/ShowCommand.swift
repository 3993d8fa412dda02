internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

/// `show`: shows a purchase with its receipts and events.
struct ShowCommand {
    let session: Session

    func run() async throws -> ExitCode {
        let id = try session.arguments.operand("the ID of a transaction")
        let inspection = try await OpenedData(session).inspection()
        let purchases = try inspection.purchases().filter { $0.purchase.id.transactionID.isIdentical(to: id) }
        var receipts: [DatabaseInspection.StoredReceipt] = []
        try inspection.forEachReceipt { receipt in
            if receipt.transactionID?.isIdentical(to: id) ?? false { receipts.append(receipt) }
        }
        guard !purchases.isEmpty || !receipts.isEmpty else {
            _ = session.reportOmissions(of: inspection)
            session.messages.error(
                UsageError("the database has no purchase \(Escaped(id).quoted)", hint: "see purchases list"))
            return .negative
        }
        for purchase in purchases {
            let events = try inspection.events(of: purchase.purchase)
            if session.writesJSON {
                var object = purchase.object
                object["receipts"] = .array(receipts.map { .object(Self.object($0)) })
                object["events"] = .array(events.map { .object(Self.object($0)) })
                try session.writeLine(object, as: .purchase)
            } else {
                var table = TextTable()
                for (name, value) in Self.lines(purchase) where !value.isEmpty { table.add([name, value]) }
                for event in events { table.add(["event", "\(event.occurredAt) \(event.kind.rawValue)"]) }
                try table.write(to: session.output)
            }
        }
        if !session.writesJSON {
            var table = TextTable()
            for receipt in receipts { table.add(["receipt", Self.text(receipt)]) }
            try table.write(to: session.output)
        } else if purchases.isEmpty {
            let object: JSONObject = [
                "type": .string("purchase"), "transactionId": .string(id),
                "receipts": .array(receipts.map { .object(Self.object($0)) }),
            ]
            try session.writeLine(object, as: .purchase)
        }
        return session.reportOmissions(of: inspection)
    }

    private static func lines(_ stored: PurchaseRow) -> [(String, String)] {
        let purchase = stored.purchase
        let state = stored.cells.last ?? ""
        return [
            ("transaction", purchase.id.transactionID), ("user", purchase.user?.rawValue ?? ""),
            ("product", purchase.productID),
            ("type", purchase.type.rawValue), ("store", purchase.id.origin.rawValue), ("state", state),
            ("purchased", "\(purchase.purchasedAt)"),
            ("price", [purchase.price.map { "\($0)" }, purchase.currency].compactMap { $0 }.joined(separator: " ")),
            ("revoked", purchase.revocationDate.map { "\($0)" } ?? ""),
            ("recorded", "\(stored.recordedAt)"), ("changed", "\(stored.changedAt)"),
        ]
    }

    private static func text(_ receipt: DatabaseInspection.StoredReceipt) -> String {
        let content = receipt.content == nil ? ["missing or changed"] : []
        let date = receipt.entry.map { ["\($0.observedAt)"] } ?? []
        return (date + [receipt.kind] + receipt.places + content).joined(separator: ", ")
    }

    private static func object(_ receipt: DatabaseInspection.StoredReceipt) -> JSONObject {
        [
            "kind": .string(receipt.kind), "places": .array(receipt.places.map(JSONValue.string)),
            "stage": .optionalString(receipt.entry.map { "\($0.stage)" }),
            "source": .optionalString(receipt.entry?.source.rawValue),
            "observedAt": .optionalString(receipt.entry?.observedAt), "readable": .boolean(receipt.content != nil),
        ]
    }

    private static func object(_ event: PurchaseEvent) -> JSONObject {
        ["kind": .string(event.kind.rawValue), "date": .string("\(event.occurredAt)")]
    }
}
