package import ReceiptTypes

// Which service may hand a purchase over, and what the ledger knows of it afterwards.
extension LedgerRows {
    /// Claims a purchase for handing it over, for as long as a claim can last; nil if another claim of it is in force.
    ///
    /// A claim whose time is over stays until it is released, granted or replaced by the next one, which then has
    /// ``FulfilmentClaim/followsUnanswered``.
    package mutating func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp = .maximum
    ) throws(LedgerError) -> FulfilmentClaim? {
        let known = try claim(of: key)
        if let known, known.isInForce(at: now) { return nil }
        let claim = FulfilmentClaim(
            key: key, number: try nextClaimNumber(), start: now, end: end, followsUnanswered: known != nil)
        try put(claim)
        return claim
    }

    /// Begins to hand over a purchase that has just been recorded, if nothing of it is known but this delivery.
    ///
    /// Without a fulfiller, there is nothing to carry out, and the delivery moves to ``DeliveryStage/granted`` at once.
    ///
    /// - Returns: The claim under which the fulfiller is called; nil if there is no fulfiller, or if other deliveries,
    ///   an earlier hand-over or another claim have a part in the decision.
    package mutating func beginHandOver(
        of transaction: Transaction, signedText: String, hasFulfiller: Bool, from now: Timestamp
    ) throws(LedgerError) -> FulfilmentClaim? {
        let key = transaction.purchaseKey
        var row = try delivery(signedText, from: .recorded)
        guard row.stage < .granted, try handedOver(of: key) == nil, try claim(of: key) == nil,
            try !deliveries(of: key).contains(where: { $0.text != row.text && $0.stage >= .recorded })
        else { return nil }
        if hasFulfiller { return try claimFulfilment(of: key, from: now) }
        row.stage = .granted
        try replace(row.text, by: row)
        try put(transaction.fulfilledAmount, of: key)
        return nil
    }

    /// Moves the times of a stored claim, in force or not; nil if it was ended, or if a later one has replaced it.
    package mutating func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp = .maximum
    ) throws(LedgerError) -> FulfilmentClaim? {
        guard let renewed = try stored(claim)?.renewed(from: now, until: end) else { return nil }
        try put(renewed)
        return renewed
    }

    /// Replaces a claim whose fulfilment has failed by ``FulfilmentClaim/afterRelease``; a later claim of the same
    /// purchase stays.
    package mutating func release(_ claim: FulfilmentClaim) throws(LedgerError) {
        guard let stored = try stored(claim) else { return }
        if let rest = stored.afterRelease { try put(rest) } else { try deleteClaim(of: claim.key) }
    }

    /// Returns a claim as it is stored; nil if it was ended, released or replaced.
    private func stored(_ claim: FulfilmentClaim) throws(LedgerError) -> FulfilmentClaim? {
        guard let stored = try self.claim(of: claim.key), stored.number == claim.number, !stored.isReleased
        else { return nil }
        return stored
    }

    /// Moves a recorded delivery to ``DeliveryStage/granted``, stores the amount of the claimed purchase, and ends the
    /// claim.
    ///
    /// A service whose claim has ended must not overwrite what a later one does, so it gets
    /// ``LedgerErrorCode/claimLost``. The times of the claim do not matter. A call whose effect is stored already
    /// changes nothing but the end of its own claim, so it can be repeated.
    package mutating func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) throws(LedgerError) {
        try markGranted(delivery(signedText, from: .recorded), fulfilment, under: claim)
    }

    private mutating func markGranted(
        _ recorded: DeliveryRow, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) throws(LedgerError) {
        var row = recorded
        let isHeld = try stored(claim) != nil
        let done = try handedOver(of: claim.key)
        if row.stage < .granted || done != fulfilment {
            guard isHeld else {
                throw LedgerError(.claimLost, "the claim of the purchase has ended, or another one has replaced it")
            }
            if row.stage < .granted {
                row.stage = .granted
                try replace(row.text, by: row)
            }
            try put(fulfilment, of: claim.key)
        }
        if isHeld { try deleteClaim(of: claim.key) }
    }

    /// Moves the recorded version of a purchase to ``DeliveryStage/granted``, even if another signature of its facts
    /// has replaced it; see ``markGranted(signedText:_:under:)``.
    package mutating func markGranted(
        _ version: RecordedDelivery, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) throws(LedgerError) {
        try markGranted(keptDelivery(of: version), fulfilment, under: claim)
    }

    /// Moves the granted version of a purchase to ``DeliveryStage/finished``, even if another signature of its facts
    /// has replaced it.
    package mutating func markFinished(_ version: RecordedDelivery) throws(LedgerError) {
        try advance(keptDelivery(of: version), from: .granted, to: .finished)
    }

    /// Returns the recorded delivery with the text of a version; if it was merged since, the one with its facts.
    private func keptDelivery(of version: RecordedDelivery) throws(LedgerError) -> DeliveryRow {
        if let row = try delivery(digest(of: version.signed.signedText)), row.stage >= .recorded { return row }
        let facts = try digest(of: version.facts.string)
        for row in try deliveries(of: version.key) where row.stage >= .recorded && row.verified?.facts == facts {
            return row
        }
        throw .outOfOrder
    }

    /// Returns what was last handed over of a purchase, also to a user that was erased; nil if there was nothing.
    ///
    /// A purchase of an erased user that the store delivers again is not granted again.
    package func handedOver(of key: PurchaseKey) throws(LedgerError) -> FulfilledAmount? {
        if let fulfilment = try fulfilment(of: key) { return fulfilment }
        return try tombstone(of: key)?.fulfilment
    }
}

extension Transaction {
    /// What the customer has after this state of the purchase was handed over.
    package var fulfilledAmount: FulfilledAmount {
        isRevoked ? .revoked : .granted(productID: productID, quantity: remainingQuantity)
    }
}
