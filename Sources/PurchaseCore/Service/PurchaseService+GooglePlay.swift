internal import ReceiptTypes

// What Google Play does not sign: a pending purchase is not a transaction yet, and a subscription has no end.
extension PurchaseService {
    /// Verifies a Play purchase, and remembers it if it is verified.
    func verify(
        _ purchase: SignedPlayPurchase, _ text: String, at now: Timestamp
    ) async -> VerificationResult<Transaction> {
        let result = await verifier.verifyPlayPurchase(purchase, at: now)
        if let transaction = result.verifiedPayload, verifier.hasLastingVerdicts { intake.keep(transaction, of: text) }
        return result
    }

    /// Reports a delivered purchase whose payment is not complete as pending.
    ///
    /// The entry goes into quarantine, because the completed purchase is another delivery: the entry itself can never
    /// be recorded, and a launch does not process it again unless the store still delivers it.
    ///
    /// - Parameter isWritten: Whether the delivery is in the ledger. One that is not is reported again when an account
    ///   signs in.
    func hold(
        _ delivery: SignedTransaction, _ failure: VerificationFailure, from source: DeliverySource, by buyer: AppUser?,
        isWritten: Bool
    ) async throws(LedgerError) -> Intake.Outcome {
        guard isWritten else { return .unverified(failure) }
        logEvent(.pending, delivery.productID, transactionID: delivery.transactionID, detail: failure.code.rawValue)
        let signed = failure.untrustedPayload?["obfuscatedAccountId"]?.text.map { UUIDText($0).lowercased }
        let account = signed ?? (buyer ?? user).account
        let now = environment.clock()
        try await changeEntries(of: delivery) { ledger throws(LedgerError) in
            try await ledger.transact(.quarantine) { (rows: inout any LedgerRows) throws(LedgerError) in
                if try rows.observe(delivery, from: source, at: now).stage < .recorded {
                    try rows.quarantine(signedText: delivery.signedText, because: failure.code)
                }
                // A list can be older than the delivery of the completed purchase.
                let versions = try rows.deliveries(of: .playPurchase(token: delivery.transactionID))
                guard !versions.contains(where: { $0.stage >= .recorded }) else { return }
                _ = try rows.updateMemory { memory in
                    memory.recordPending(
                        delivery.productID, of: account, token: delivery.transactionID, byClock: now)
                }
            }
        }
        return .unverified(failure)
    }

    // MARK: Listings

    /// Remembers that the store lists a Play subscription now, so that its paid time is known while the store is not.
    ///
    /// - Parameter question: The number of the question that the list answers.
    func recordListing(of transaction: Transaction, in question: Int) async {
        guard transaction.isPlaySubscription, !transaction.isRevoked else { return }
        guard !questions.isReplaced(transaction, since: question) else { return }
        let now = await currentTime()
        await updateMemory { $0.recordListing(of: transaction, at: now) }
    }

    /// Remembers the subscription with which the store has answered a purchase, and the product that it changes to.
    ///
    /// The store sells a customer one subscription of a group, so the purchase replaces every other one.
    private func recordSale(of transaction: Transaction, changingTo productID: String?) async {
        let now = await currentTime()
        let recorded = await logFailure(transaction.productID) { () throws(LedgerError) in
            try await recordedTransactions().latestVersions()
        }
        let replaced = (recorded ?? []).replacedPlaySubscriptions { $0.id.isIdentical(to: transaction.id) }
        questions.noteReplacement(of: replaced, in: questions.last)
        await updateMemory {
            $0.recordSale(of: transaction, changingTo: productID, replacing: replaced, at: now)
        }
    }

    /// Remembers the recorded subscriptions that the store has replaced; returns false if there is none.
    func recordReplaced(_ replaced: [Transaction], in question: Int) async -> Bool {
        guard !replaced.isEmpty else { return false }
        for transaction in replaced {
            logEvent(
                .notListed, transaction.productID, transactionID: transaction.id,
                detail: "the store lists another subscription of the group instead")
        }
        questions.noteReplacement(of: replaced, in: question)
        await updateMemory { $0.markReplaced(replaced) }
        return true
    }

    // MARK: Plan changes

    /// Returns the reason that a purchase of another subscription is pending, if the store answers it with a Play
    /// subscription.
    ///
    /// Google Play answers a change with the next renewal with the purchase that replaces the present one, which has
    /// the present product until then. Nothing signed says so, so the change is remembered. An answer with the product
    /// itself changes it at once, and ends a planned change.
    func planChange(
        to productID: String, answeredBy transaction: Transaction
    ) async -> Result<PendingReason?, StoreError> {
        guard !transaction.includes(productID) else {
            await recordSale(of: transaction, changingTo: nil)
            return .success(nil)
        }
        do throws(StoreError) {
            let product = try await store.products(for: [productID]).first { $0.id.isIdentical(to: productID) }
            guard let terms = product?.subscription, !transaction.isRevoked,
                transaction.subscriptionGroupID?.isIdentical(to: terms.groupID) ?? true
            else { return .success(nil) }
        } catch {
            logEvent(.storeFailed, productID, error: error)
            // The store sold another product than it was asked for, which it only does for a planned change. What it
            // has accepted must not be forgotten because the products could not be loaded afterwards.
            guard !transaction.isRevoked else { return .failure(error) }
        }
        await recordSale(of: transaction, changingTo: productID)
        return .success(.changesAtRenewal(productID: productID, date: transaction.expiresDate))
    }

    // MARK: Completion

    /// Returns transactions with what the data of Play subscriptions does not say.
    func withPaidPeriods(_ transactions: [Transaction]) async throws(LedgerError) -> [Transaction] {
        guard transactions.contains(where: \.isPlaySubscription) else { return transactions }
        let memory = try await ledger.memory()
        return transactions.completed(
            by: memory.playListings, at: memory.clock.time(byClock: environment.clock()))
    }

    /// Returns a transaction with the end of the paid time; of the first period only, if the ledger cannot be read.
    func withPaidPeriod(_ transaction: Transaction) async -> Transaction {
        let paid = await logFailure(transaction.productID, transactionID: transaction.id) { () throws(LedgerError) in
            try await withPaidPeriods([transaction]).first
        }
        return (paid ?? nil) ?? transaction.completed(by: nil, at: transaction.purchaseDate)
    }

    /// Returns the renewal state of each Play subscription, as the store listed it last.
    func playRenewalInfos(_ transactions: [Transaction], _ listings: [PlayListing]) -> [RenewalInfo] {
        guard transactions.contains(where: { $0.play?.isAutoRenewing != nil }) else { return [] }
        let now = environment.clock()
        return transactions.latestVersions().compactMap { RenewalInfo($0, listed: listings[of: $0.id], at: now) }
    }
}
