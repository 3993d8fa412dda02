internal import ReceiptTypes

// What Google Play does not sign: a pending purchase is not a transaction yet, and a subscription has no end.
extension PurchaseService {
    /// Verifies a Play purchase, and remembers it if it is verified.
    func verify(_ purchase: SignedPlayPurchase, _ text: ExactString) async -> VerificationResult<Transaction> {
        let result = await verifier.verifyPlayPurchase(purchase, at: await currentTime())
        if let transaction = result.verifiedPayload { verified[text] = transaction }
        return result
    }

    /// Reports a delivered purchase whose payment is not complete as pending.
    ///
    /// The entry goes into quarantine, because the completed purchase is another delivery: the entry itself can never be
    /// recorded, and a launch does not process it again unless the store still delivers it.
    func hold(
        _ delivery: SignedTransaction, _ failure: VerificationFailure, by buyer: AppUser?
    ) async throws(JournalError) -> IngestOutcome {
        logEvent(.pending, delivery.productID, transactionID: delivery.transactionID, detail: failure.code.rawValue)
        try await quarantine(delivery, failure.code)
        await recordPendingPurchase(delivery.productID, of: buyer ?? user)
        return .unverified(failure)
    }

    /// Remembers that the store lists a Play subscription now, so that its paid time is known while the store is not.
    func recordListing(of transaction: Transaction) async {
        guard transaction.hasUnsignedEnd, !transaction.isRevoked else { return }
        let listing = PlayListing(
            transactionID: transaction.id, date: await currentTime(),
            willAutoRenew: transaction.play?.isAutoRenewing ?? false)
        await updateMemory { memory in
            memory.playListings.removeAll { $0.transactionID.isIdentical(to: listing.transactionID) }
            memory.playListings.append(listing)
        }
    }

    /// Returns transactions with the end of the paid time of each Play subscription.
    func withPaidPeriods(_ transactions: [Transaction]) async throws(JournalError) -> [Transaction] {
        guard transactions.contains(where: \.hasUnsignedEnd) else { return transactions }
        let listings = try await journal.memory().playListings
        return transactions.map { $0.paid(listed: listings.listing(of: $0)) }
    }

    /// Returns a transaction with the end of the paid time; of the first period only, if the journal cannot be read.
    func withPaidPeriod(_ transaction: Transaction) async -> Transaction {
        let paid = await logFailure(transaction.productID, transactionID: transaction.id) { () throws(JournalError) in
            try await withPaidPeriods([transaction]).first
        }
        return (paid ?? nil) ?? transaction.paid(listed: nil)
    }

    /// Returns the renewal state of each Play subscription, as the store listed it last.
    func playRenewalInfos(_ transactions: [Transaction], _ listings: [PlayListing]) -> [RenewalInfo] {
        guard transactions.contains(where: { $0.play?.isAutoRenewing != nil }) else { return [] }
        return transactions.latestVersions().compactMap { RenewalInfo($0, listed: listings.listing(of: $0)) }
    }
}

extension [PlayListing] {
    fileprivate func listing(of transaction: Transaction) -> PlayListing? {
        first { $0.transactionID.isIdentical(to: transaction.id) }
    }
}
