internal import PurchaseCore
internal import ReceiptTypes

/// A change of rows, in words and as a function.
struct Operation: Sendable {
    let description: String
    let body: @Sendable (inout any LedgerRows) throws(LedgerError) -> Void

    private init(
        _ description: String, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Void
    ) {
        self.description = description
        self.body = body
    }

    /// Inserts a delivery, or replaces the one of the same text.
    static func put(_ delivery: SampleDelivery) -> Operation {
        Operation("put \(exactText(of: delivery))") { (rows) throws(LedgerError) in
            let row = try delivery.row(in: rows)
            if try rows.delivery(row.text) == nil {
                try rows.insert(row, delivery.content)
            } else {
                try rows.replace(row.text, by: row)
            }
        }
    }

    /// Replaces a delivery, which may be missing.
    static func replace(_ text: String, by delivery: SampleDelivery) -> Operation {
        Operation("replace \(exactText(of: text)) by \(exactText(of: delivery))") { (rows) throws(LedgerError) in
            try rows.replace(rows.digest(of: text), by: delivery.row(in: rows))
        }
    }

    /// Deletes a delivery, and puts its row in the place of another one; nothing happens if one of both is missing.
    static func merge(_ text: String, into other: String) -> Operation {
        Operation("merge \(exactText(of: text)) into \(exactText(of: other))") { (rows) throws(LedgerError) in
            let place = try rows.digest(of: other)
            guard let row = try rows.delivery(rows.digest(of: text)), row.text != place,
                try rows.delivery(place) != nil
            else { return }
            try rows.deleteDelivery(row.text)
            try rows.replace(place, by: row)
        }
    }

    static func delete(_ text: String) -> Operation {
        Operation("delete \(exactText(of: text))") { (rows) throws(LedgerError) in
            try rows.deleteDelivery(rows.digest(of: text))
        }
    }

    /// Puts a purchase with its events, unless its delivery is missing.
    static func purchase(_ purchase: SamplePurchase) -> Operation {
        Operation("put the purchase \(exactText(of: purchase))") { (rows) throws(LedgerError) in
            try purchase.put(in: &rows)
        }
    }

    static func handOver(_ amount: FulfilledAmount, of key: PurchaseKey) -> Operation {
        Operation("put \(exactText(of: amount)) as the hand-over of \(exactText(of: key))") {
            (rows) throws(LedgerError) in
            try rows.put(amount, of: key)
        }
    }

    static func claim(_ key: PurchaseKey, _ start: Timestamp, _ end: Timestamp, follows: Bool) -> Operation {
        Operation("claim \(exactText(of: key)) from \(exactText(of: start)), follows: \(follows)") {
            (rows) throws(LedgerError) in
            try rows.put(
                FulfilmentClaim(
                    key: key, number: rows.nextClaimNumber(), start: start, end: end, followsUnanswered: follows))
        }
    }

    static func deleteClaim(_ key: PurchaseKey) -> Operation {
        Operation("delete the claim of \(exactText(of: key))") { (rows) throws(LedgerError) in
            try rows.deleteClaim(of: key)
        }
    }

    static func renewal(_ originalID: String, _ signedDate: Timestamp, _ jws: String) -> Operation {
        Operation("put the renewal info \(exactText(of: jws)) of \(exactText(of: originalID))") {
            (rows) throws(LedgerError) in
            let text = try rows.digest(of: jws)
            try rows.put(RenewalRow(originalID: originalID, signedDate: signedDate, text: text), jws: jws)
        }
    }

    static func memory(_ memory: LedgerMemory) -> Operation {
        Operation("put the memory \(exactText(of: memory))") { (rows) throws(LedgerError) in try rows.put(memory) }
    }
}

extension Operation {
    /// Changes of each kind, which follow one another, and the names that they use.
    static let samples: [Operation] = {
        let verified = SampleDelivery.Verified(facts: "bought")
        var owned = SampleDelivery("first", .recorded, verified)
        owned.account = UUIDText("anna")
        return [
            .put(SampleDelivery("first")), .put(SampleDelivery("first", .verified, verified)),
            .put(SampleDelivery("second", .verified, .init(facts: "refunded"))), .put(owned),
            .purchase(SamplePurchase(SamplePurchase.id("1"), "first")),
            .purchase(.unusual(1, SamplePurchase.id("1"), "second")),
            .put(SampleDelivery("third")), .merge("third", into: "first"), .delete("second"),
            .handOver(.granted(productID: "coins", quantity: 1), of: key), .handOver(.revoked, of: key),
            .claim(key, at(1), at(2), follows: false), .claim(key, at(2), at(3), follows: true), .deleteClaim(key),
            .renewal("1", at(1), "renewal"), .renewal("1", at(2), "later renewal"),
            .memory(SampleMemory.unusual), .memory(LedgerMemory()),
        ]
    }()

    private static let key = PurchaseKey.transaction(id: "1")

    static let sampleNames = Snapshot.Names(
        texts: ["first", "second", "third", "renewal", "later renewal"], facts: ["bought", "refunded"],
        versions: ["1"], purchases: [key], purchaseIDs: [SamplePurchase.id("1")], subscriptions: ["1"])
}
