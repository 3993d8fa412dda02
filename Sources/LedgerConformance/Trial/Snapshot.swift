internal import PurchaseCore

/// Everything that rows return for the texts, ids and keys of the samples, as a text.
enum Snapshot {
    /// The texts, ids and keys that are looked up.
    struct Names: Sendable {
        var texts: [String] = []
        var facts: [String] = []
        var versions: [String] = []
        var purchases: [PurchaseKey] = []
        var purchaseIDs: [Purchase.ID] = []
        var subscriptions: [String] = []
    }

    /// Returns the content of the rows.
    ///
    /// - Parameter isOpen: Whether the transaction is still open, so that contents without a row may be there.
    static func text(of rows: any LedgerRows, _ names: Names, isOpen: Bool = false) throws -> String {
        // Each ledger has digests of its own.
        var digests: [TextDigest: TextDigest] = [:]
        for text in names.texts + names.facts + names.facts.map({ "common \($0)" }) {
            digests[try rows.digest(of: text)] = TextDigest([UInt8](text.utf8))
        }
        func named(_ row: DeliveryRow) -> DeliveryRow {
            var row = row
            row.text = digests[row.text] ?? row.text
            row.verified = row.verified.map { verified in
                DeliveryRow.Verified(
                    versionID: verified.versionID, commonFacts: digests[verified.commonFacts] ?? verified.commonFacts,
                    purchase: verified.purchase, facts: digests[verified.facts] ?? verified.facts,
                    signedDate: verified.signedDate)
            }
            return row
        }
        var lines = ["deliveries \(exactText(of: try rows.deliveries().map(named)))"]
        for id in names.versions {
            let found = try rows.deliveries(ofVersion: id).map(named)
            lines.append("deliveries of the version \(exactText(of: id)) \(exactText(of: found))")
        }
        for key in names.purchases {
            lines.append("deliveries of \(key) \(exactText(of: try rows.deliveries(of: key).map(named)))")
            lines.append("hand-over of \(key) \(exactText(of: try rows.fulfilment(of: key) as Any))")
            // A ledger chooses the numbers of its claims.
            let claim = try rows.claim(of: key).map { claim in
                FulfilmentClaim(
                    key: claim.key, number: 0, start: claim.start, end: claim.end,
                    followsUnanswered: claim.followsUnanswered)
            }
            lines.append("claim of \(key) \(exactText(of: claim as Any))")
        }
        var used: [TextDigest] = []
        lines += try purchases(of: rows, names) { row in
            used.append(row.text)
            var row = row
            row.text = digests[row.text] ?? row.text
            return row
        }
        for id in names.subscriptions {
            let renewal = try rows.renewal(of: id)
            let text = renewal.map { digests[$0.text] ?? $0.text }
            lines.append("renewal info of \(exactText(of: id)) \(exactText(of: text as Any))")
            lines.append("  signed \(exactText(of: renewal?.signedDate as Any)) of \(renewal?.originalID ?? "none")")
            if let renewal { used.append(renewal.text) }
        }
        lines.append("number of renewal infos \(try rows.renewals().count)")
        for text in names.texts {
            let digest = try rows.digest(of: text)
            let row = try rows.delivery(digest)
            lines.append("delivery \(exactText(of: text)) \(exactText(of: row.map(named) as Any))")
            guard row != nil || used.contains(digest) || !isOpen else { continue }
            lines.append("content \(exactText(of: text)) \(exactText(of: try rows.content(digest) as Any))")
        }
        lines.append("memory \(exactText(of: try rows.memory()))")
        return lines.joined(separator: "\n")
    }

    /// Returns the purchases and events; a ledger chooses the ids of its events.
    private static func purchases(
        of rows: any LedgerRows, _ names: Names, _ named: (PurchaseRow) -> PurchaseRow
    ) throws -> [String] {
        var lines: [String] = []
        for id in names.purchaseIDs {
            lines.append("purchase \(exactText(of: id)) \(exactText(of: try rows.purchase(id).map(named) as Any))")
        }
        for (number, id) in names.purchaseIDs.map(\.transactionID).enumerated() where number.isMultiple(of: 4) {
            let found = try rows.purchases(ofTransaction: id).map { exactText(of: named($0)) }
            lines.append("purchases of the transaction \(exactText(of: id)) \(found.sorted())")
        }
        let ids = try rows.events(of: .noAccounts, since: nil).map(\.id)
        lines.append("the ids of the events ascend: \(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })")
        for user in SamplePurchase.users {
            let found = try rows.purchases(of: user).map(named)
            lines.append("purchases of \(exactText(of: user)) \(exactText(of: found))")
            for first in [nil, ids.dropFirst(ids.count / 2).first] {
                let events = try rows.events(of: user, since: first).map { event in
                    PurchaseEvent(
                        id: Int64(ids.firstIndex(of: event.id) ?? -1), kind: event.kind,
                        occurredAt: event.occurredAt, purchase: event.purchase)
                }
                lines.append("events of \(exactText(of: user)) \(exactText(of: events))")
            }
        }
        return lines
    }
}
