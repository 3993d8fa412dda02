internal import ReceiptTypes

extension HandOvers {
    /// Something that the machine asks its shell to do.
    package struct Effect: Sendable, Hashable {
        package let id: EffectID
        package let work: Work
    }

    /// The identity of an effect, with which its result comes back.
    package struct EffectID: Sendable, Hashable {
        /// A number that no other effect of the machine has.
        package let number: Int
        package let subject: Subject
    }

    /// What an effect belongs to.
    package enum Subject: Sendable, Hashable {
        case purchase(PurchaseKey)
        case retry(RetryKey)
        /// Nothing that waits for a result.
        case none
    }

    /// The work of an effect. Only the comments that begin with "Ends" name a result.
    package enum Work: Sendable, Hashable {
        /// A transaction over the ledger.
        case ledger(LedgerWork)
        /// The fulfiller's order. Ends with ``Answer/done`` or ``Answer/notFulfilled(_:)``, however late.
        case fulfil(FulfilmentOrder)
        /// The fulfiller may end its call early now.
        case cancelOrder(EffectID)
        /// The store's `finish`. Ends with ``Answer/done`` or ``Answer/notFinished(_:)``.
        case finish(transactionID: String)
        /// A timer. Ends with ``Answer/done`` when it fires.
        case startTimer(milliseconds: Int64)
        case cancelTimer(EffectID)
        /// Ingests a delivery again. Ends with ``Answer/rejected``, or else with another event about the delivery.
        case ingest(SignedTransaction, from: DeliverySource, by: AppUser?)
        /// Answers a caller that waits: whether nothing is left to do of what it has waited for.
        case answer(waiter: Int, Bool)
        case log(PurchaseLogEvent)
    }

    /// A step over the rows of the ledger. Each can end with ``Answer/ledgerFailed(_:)``.
    ///
    /// A transaction can wait in a queue for longer than a claim lasts, so it reads the clock itself: a claim begins
    /// when it is made, and not when it is asked for.
    package enum LedgerWork: Sendable, Hashable {
        /// Reads a purchase, `LedgerRows.purchase`, and verifies its versions. Ends with ``Answer/read(_:)``.
        case read(PurchaseKey)
        /// `LedgerRows.claimFulfilment`. Ends with ``Answer/claim(_:)``.
        case claim(PurchaseKey)
        /// `LedgerRows.renew`. Ends with ``Answer/claim(_:)``.
        case renew(FulfilmentClaim)
        /// `LedgerRows.release`. Ends with ``Answer/done``.
        case release(FulfilmentClaim)
        /// `LedgerRows.markGranted`. Ends with ``Answer/done``.
        case markGranted(RecordedDelivery, FulfilledAmount, under: FulfilmentClaim)
        /// `LedgerRows.markFinished`. Ends with ``Answer/done``.
        case markFinished(RecordedDelivery)
    }
}
