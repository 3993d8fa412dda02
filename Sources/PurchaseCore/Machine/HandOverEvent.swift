internal import ReceiptTypes

extension HandOvers {
    /// What has happened outside of the machine.
    package enum Event: Sendable {
        /// A delivery is recorded for the present user.
        case recorded(Recorded)
        /// A delivery was not verified or not recorded, and is to be ingested again after a pause.
        case notRecorded(SignedTransaction, from: DeliverySource, by: AppUser?)
        /// An effect has ended. It comes at most once for an effect, and may never come.
        case ended(EffectID, Answer)
        /// Another user is signed in, or none.
        case userChanged(AppUser)
        /// Deliveries wait for ``resumed`` instead of being ingested again.
        case suspended
        /// Deliveries that wait are ingested again at once.
        case resumed
        /// The caller of a purchase was told that it is not handed over.
        case reported(Transaction)
        /// A caller waits; the number is its own.
        case waits(Int, for: Target, within: PurchaseKey?)
        /// A caller waits no more.
        case stopsWaiting(Int)
    }

    /// A recorded delivery.
    package struct Recorded: Sendable, Hashable {
        /// The delivery that has arrived.
        package let delivery: SignedTransaction
        /// The delivery that the ledger keeps of its facts.
        package let version: RecordedDelivery
        package let source: DeliverySource
        /// The stage before the delivery was recorded.
        package let stage: DeliveryStage
        /// The claim that was made in the commit that has recorded the delivery.
        package let claim: FulfilmentClaim?

        package init(
            _ delivery: SignedTransaction, keptAs version: RecordedDelivery, from source: DeliverySource,
            stage: DeliveryStage, claim: FulfilmentClaim?
        ) {
            self.delivery = delivery
            self.version = version
            self.source = source
            self.stage = stage
            self.claim = claim
        }
    }

    /// The purchases that a caller waits for.
    package enum Target: Sendable, Hashable {
        /// The running attempts to hand a purchase over. For the customer that has just bought, an attempt also waits
        /// for another service that hands the purchase over.
        case attempts(PurchaseKey, isBuyer: Bool)
        /// The purchases of a product, or the given one of them, with all their attempts.
        case purchases(ExactString, PurchaseKey?)
    }

    /// The result of an effect.
    package enum Answer: Sendable {
        /// The step of the ledger, or the store's `finish`, is done; a timer has fired.
        case done
        /// The ledger has read the purchase, and its texts are verified.
        case read(PurchaseVersions)
        /// The claim that was made or renewed; nil if another one is in force, or has replaced it.
        case claim(FulfilmentClaim?)
        /// The ledger has failed. It may have made the change if it has not answered in time.
        case ledgerFailed(LedgerError)
        /// The fulfiller has failed, with this text.
        case notFulfilled(String)
        /// The store has failed.
        case notFinished(StoreError)
        /// The delivery to ingest again is rejected.
        case rejected
    }
}
