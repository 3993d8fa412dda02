package import ReceiptTypes

// What becomes of a delivery before it is recorded, and after it was handed over.
extension LedgerRows {
    /// Returns a delivery with its signed content; nil if the content is missing or was changed.
    func entry(of row: DeliveryRow) throws(LedgerError) -> LedgerEntry? {
        try content(row.text).map { row.entry($0) }
    }

    /// Returns all deliveries with their signed contents, in the order in which they first arrived.
    package func entries() throws(LedgerError) -> [LedgerEntry] { try entries(of: deliveries()) }

    /// Returns the recorded deliveries of one purchase with their signed contents.
    package func recordedEntries(of key: PurchaseKey) throws(LedgerError) -> [LedgerEntry] {
        try entries(of: deliveries(of: key).filter { $0.stage >= .recorded })
    }

    private func entries(of rows: [DeliveryRow]) throws(LedgerError) -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        entries.reserveCapacity(rows.count)
        for row in rows {
            if let entry = try entry(of: row) { entries.append(entry) }
        }
        return entries
    }

    /// Returns the delivery of a signed text that has reached a stage.
    func delivery(
        _ signedText: String, from stage: DeliveryStage
    ) throws(LedgerError) -> DeliveryRow {
        guard let row = try delivery(digest(of: signedText)), row.stage >= stage else { throw .outOfOrder }
        return row
    }

    /// Stores a delivery before it is processed, and returns its entry: a new one, or the existing one.
    package mutating func observe(
        _ delivery: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) throws(LedgerError) -> LedgerEntry {
        let text = try digest(of: delivery.signedText)
        if let row = try self.delivery(text), let known = try entry(of: row) { return known }
        // A row that cannot be read is in the way.
        try deleteDelivery(text)
        let row = DeliveryRow(delivery, text, from: source, at: now)
        try insert(row, delivery.content)
        return row.entry(delivery.content)
    }

    /// Moves a delivery to ``DeliveryStage/verified`` and out of quarantine, deletes the store's objection, and merges
    /// it with the one of the same facts.
    ///
    /// A store signs a transaction again whenever it delivers it. If another delivery has the same
    /// ``Transaction/facts``, the two become one: with the source, the time, the stage and the account of the other
    /// one, and with the given text unless the other one was signed later. At equal dates the given text is the better
    /// one: it has just been verified, and the other one may no longer be. If a later text replaces the other one and
    /// another recorded version of the purchase was signed at the time of the replaced one or after it, the purchase
    /// has returned to an earlier state, for example because a refund was reversed; then the delivery goes back to
    /// ``DeliveryStage/verified``, so that it is recorded and granted again.
    ///
    /// - Returns: The entry, which may have another text than the given one.
    package mutating func markVerified(
        _ transaction: Transaction, signedText: String
    ) throws(LedgerError) -> LedgerEntry {
        let row = try delivery(signedText, from: .observed)
        let verified = try DeliveryRow.Verified(transaction, in: self)
        let twin = try deliveries(ofVersion: verified.versionID).first {
            $0.text != row.text && $0.verified?.facts == verified.facts
        }
        var kept = twin ?? row
        let text = kept.text
        if let twin {
            try deleteDelivery(row.text)
            if let known = twin.verified, known.signedDate <= verified.signedDate {
                kept.take(row, verified)
                if try hasReturned(transaction, since: known.signedDate, otherThan: text) {
                    kept.stage = min(kept.stage, .verified)
                }
            }
        } else if kept.verified == nil {
            kept.verified = verified
        }
        kept.stage = max(kept.stage, .verified)
        kept.quarantineReason = nil
        kept.objection = nil
        try replace(text, by: kept)
        guard let entry = try entry(of: kept) else { throw .outOfOrder }
        return entry
    }

    /// Returns whether a purchase was in another state between an earlier signature and a later one, for example
    /// refunded, and returns to the state that both have.
    private func hasReturned(
        _ transaction: Transaction, since earlier: Timestamp, otherThan text: TextDigest
    ) throws(LedgerError) -> Bool {
        guard earlier < transaction.signedDate else { return false }
        return try deliveries(of: transaction.purchaseKey).contains { row in
            guard row.text != text, row.stage >= .recorded, let verified = row.verified else { return false }
            return verified.signedDate >= earlier
        }
    }

    /// Moves a delivery that is not recorded into quarantine, and back to ``DeliveryStage/observed``.
    package mutating func quarantine(
        signedText: String, because code: VerificationFailure.Code
    ) throws(LedgerError) {
        var row = try delivery(signedText, from: .observed)
        guard row.stage <= .verified else { throw .outOfOrder }
        row.quarantineReason = code
        row.stage = .observed
        try replace(row.text, by: row)
    }

    /// Moves a granted delivery to ``DeliveryStage/finished``.
    package mutating func markFinished(signedText: String) throws(LedgerError) {
        try advance(signedText, from: .granted, to: .finished)
    }

    /// Moves a delivery that has reached a stage to a later one.
    package mutating func advance(
        _ signedText: String, from earlier: DeliveryStage, to stage: DeliveryStage
    ) throws(LedgerError) {
        try advance(delivery(signedText, from: earlier), from: earlier, to: stage)
    }

    /// Moves a delivery that has reached a stage to a later one.
    mutating func advance(
        _ known: DeliveryRow, from earlier: DeliveryStage, to stage: DeliveryStage
    ) throws(LedgerError) {
        guard known.stage >= earlier else { throw .outOfOrder }
        guard known.stage < stage else { return }
        var row = known
        row.stage = stage
        try replace(row.text, by: row)
    }

    /// Deletes deliveries that no decision needs.
    ///
    /// Of the deliveries in quarantine with the same transaction id, product id and reason, only the latest is needed.
    /// Of those that are neither verified nor in quarantine, it is the latest with the same transaction id, product id
    /// and source: a store signs again what it delivers again.
    package mutating func compact() throws(LedgerError) {
        var kept: Set<UndecidedDelivery> = []
        for row in try deliveries().reversed() where row.stage == .observed {
            if !kept.insert(UndecidedDelivery(row)).inserted { try deleteDelivery(row.text) }
        }
    }
}

/// What deliveries have in common of which only the latest is needed.
private struct UndecidedDelivery: Hashable {
    private let transactionID: ExactString
    private let productID: ExactString
    private let quarantineReason: VerificationFailure.Code?
    /// Nil for a delivery in quarantine.
    private let source: DeliverySource?

    init(_ row: DeliveryRow) {
        transactionID = ExactString(row.transactionID)
        productID = ExactString(row.productID)
        quarantineReason = row.quarantineReason
        source = row.quarantineReason == nil ? row.source : nil
    }
}

extension LedgerError {
    static var outOfOrder: LedgerError {
        LedgerError(.outOfOrder, "the entry is missing or has not reached the required stage")
    }
}
