internal import ReceiptTypes

// What is to be handed over of a purchase, as all its recorded versions say.

/// A recorded version of a purchase, verified again.
package struct RecordedVersion: Sendable, Hashable {
    package let entry: LedgerEntry
    /// The transaction; nil if the signature is not verified now.
    package let transaction: Transaction?

    package init(_ entry: LedgerEntry, _ transaction: Transaction?) {
        self.entry = entry
        self.transaction = transaction
    }
}

/// What the ledger has of one purchase in one state of its rows.
package struct PurchaseVersions: Sendable, Hashable {
    /// The recorded versions in the order in which they first arrived.
    package let versions: [RecordedVersion]
    /// The amount after the last order that the ledger has recorded; nil if it has recorded none.
    package let handedOver: FulfilledAmount?
    /// The claim of the purchase, in force or not.
    package let claim: FulfilmentClaim?

    package init(versions: [RecordedVersion], handedOver: FulfilledAmount?, claim: FulfilmentClaim?) {
        self.versions = versions
        self.handedOver = handedOver
        self.claim = claim
    }

    /// Returns the stage of a delivery, or of the one that has its facts since they were merged; nil if neither is
    /// recorded.
    package func stage(of delivery: RecordedDelivery) -> DeliveryStage? {
        let entry =
            versions.first { $0.entry.transaction.signedText.isIdentical(to: delivery.signed.signedText) }
            ?? versions.first { $0.transaction.map { ExactString($0.facts) } == delivery.facts }
        return entry?.entry.stage
    }

    /// Returns the order that follows from all recorded versions and a delivery, which was verified when it was
    /// recorded; nil if no version is recorded.
    ///
    /// Only the ledger knows the owner; its entries may have been erased, or lost with the database.
    package func requiredOrder(for delivery: RecordedDelivery) -> RequiredOrder? {
        guard !versions.isEmpty else { return nil }
        var latest = delivery
        var amounts: Set<FulfilledAmount> = [delivery.transaction.fulfilledAmount]
        for version in versions {
            guard let transaction = version.transaction else { continue }
            amounts.insert(transaction.fulfilledAmount)
            if transaction.isLater(than: latest.transaction) {
                latest = RecordedDelivery(version.entry.transaction, transaction)
            }
        }
        let order = FulfilmentOrder(
            fulfilment: latest.transaction.isRevoked ? .revoked : .granted, transaction: latest.transaction,
            key: delivery.key, account: versions.lazy.compactMap(\.entry.account).first)
        return RequiredOrder(
            order: order, version: latest, hasOtherAmounts: amounts.count > 1, recorded: handedOver)
    }
}

/// The order that follows from all recorded versions of a purchase.
package struct RequiredOrder: Sendable, Hashable {
    package let order: FulfilmentOrder
    /// The version that the order is for.
    package let version: RecordedDelivery
    /// Whether another version asks for another amount, for which an order may have been carried out too.
    package let hasOtherAmounts: Bool
    /// The amount after the last order that the ledger has recorded; nil if it has recorded none.
    package let recorded: FulfilledAmount?

    /// Whether the ledger has recorded what is required.
    package var isRecorded: Bool { recorded == order.amount }

    /// Returns whether the order is still to be carried out.
    ///
    /// A refund is due even if no grant is recorded: the ledger may have been lost since, or a process may have been
    /// killed while it granted the purchase.
    ///
    /// - Parameters:
    ///   - carriedOut: The order that this service has carried out and the ledger has not recorded.
    ///   - claim: The claim under which the purchase was read.
    package func isDue(after carriedOut: CarriedOutOrder?, under claim: FulfilmentClaim) -> Bool {
        if let carriedOut { return carriedOut.isContested(recorded) || carriedOut.amount != order.amount }
        // A process that was killed may have carried out the order for another version after the recorded one.
        return !isRecorded || claim.followsUnanswered && hasOtherAmounts
    }
}

/// An order that the fulfiller has carried out and the ledger has not recorded.
package struct CarriedOutOrder: Sendable, Hashable {
    package let amount: FulfilledAmount
    /// The claim under which the order was carried out. It is kept, so that no other service repeats the order.
    package var claim: FulfilmentClaim
    /// Whether another service has had the claim since, so that its order may have been the last one.
    package var wasReplaced = false

    package init(amount: FulfilledAmount, claim: FulfilmentClaim) {
        self.amount = amount
        self.claim = claim
    }

    /// Returns whether another service has recorded a different amount, so that either order may have been the last.
    package func isContested(_ recorded: FulfilledAmount?) -> Bool {
        wasReplaced && recorded != nil && recorded != amount
    }
}

extension LedgerRows {
    /// Returns what is stored of one purchase: its recorded deliveries, what was handed over, and its claim.
    package func purchase(
        _ key: PurchaseKey
    ) throws(LedgerError) -> (entries: [LedgerEntry], handedOver: FulfilledAmount?, claim: FulfilmentClaim?) {
        (try recordedEntries(of: key), try handedOver(of: key), try claim(of: key))
    }
}
