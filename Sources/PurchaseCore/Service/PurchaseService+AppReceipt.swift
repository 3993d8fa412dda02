public import ReceiptTypes

// The ledger keeps an app receipt as one entry, whose facts are those of the app's purchase: a receipt may list
// thousands of purchases in a megabyte. What it says is read from the signed bytes in each run, once verified.
extension PurchaseService {
    /// Verifies an app receipt and records it, so that the app and the in-app purchases in it count from here on.
    ///
    /// For purchases from before the app used StoreKit 2, and for an app that was itself sold
    /// (``GrandfatheredProduct``). The signature, the app and the device are checked now and again in each run, with
    /// ``TransactionVerifying/verifyAppReceipt(_:at:)``. It needs no store and no network, and it can be repeated.
    ///
    /// - The receipt belongs to the account that is signed in. For another one, it is unverified with the code
    ///   `account-mismatch`, as for every purchase; so it is while no account is signed in.
    /// - Consumables are not granted: they were when they were bought. The fulfiller is not called.
    /// - The store's own transaction of a purchase takes the place of the receipt's. A store that answers and does not
    ///   list an in-app purchase ends it as every other one; see ``AbsentPurchase``. The purchase of the app itself is
    ///   in no list, so it does not end.
    /// - A later receipt of the app takes the place of an earlier one, so a purchase that was refunded since is gone.
    ///
    /// A receipt that is not verified leaves no trace but the event in the log.
    ///
    /// An app with an ``EntitlementStore`` calls ``EntitlementStore/restore(appReceipt:)``, which also refreshes it.
    ///
    /// - Parameter bytes: The receipt file at `appStoreReceiptURL`, or its base64.
    /// - Returns: What the receipt has, or the reason that nothing was recorded.
    /// - Throws: ``LedgerError`` if the receipt could not be recorded.
    public func restore(
        appReceipt bytes: [UInt8]
    ) async throws(LedgerError) -> VerificationResult<RestoredAppReceipt> {
        let receipt = SignedAppReceipt(bytes)
        // A receipt is bound to the device. An app transaction could be another customer's: StoreKit alone checks it.
        guard !receipt.isAppTransaction else {
            return .unverified(
                VerificationFailure(
                    code: .receiptBindingUnchecked, expected: "an app receipt",
                    actual: "an app transaction, which counts only if the store delivers it"))
        }
        return try await restore(receipt)
    }

    /// Asks the store for the app transaction and records it, so that the purchase of the app itself counts from here
    /// on (``GrandfatheredProduct``).
    ///
    /// It has the version that the customer first obtained, as an app receipt has, and no in-app purchases. It stands
    /// beside an app receipt, and neither replaces the other. The rules for accounts and for later ones are those of
    /// ``restore(appReceipt:)``. The store may ask for a password if it has none yet; otherwise it shows nothing.
    ///
    /// - Returns: What it says, or the reason that nothing was recorded; nil if the store has no app transaction.
    /// - Throws: ``StoreError`` if the store has failed, and ``LedgerError`` if it could not be recorded.
    public func restoreAppTransaction() async throws -> VerificationResult<RestoredAppReceipt>? {
        guard let transaction = try await store.signedAppTransaction() else { return nil }
        if let objection = transaction.objection {
            let failure = VerificationFailure(code: .storeObjection, actual: objection)
            logEvent(.unverified, context: "app transaction", error: failure)
            return .unverified(failure)
        }
        let receipt = SignedAppReceipt(base64: transaction.jws)
        // What is no JWS would be taken for an app receipt.
        guard receipt.isAppTransaction else { return .unverified(VerificationFailure(code: .segmentCount)) }
        return try await restore(receipt)
    }

    private func restore(
        _ receipt: SignedAppReceipt
    ) async throws(LedgerError) -> VerificationResult<RestoredAppReceipt> {
        while true {
            let (user, changes) = (user, userChanges)
            guard user.mayOwn(user.account) else {
                return .unverified(VerificationFailure(code: .accountMismatch))
            }
            switch await contents(of: receipt) {
            case .unverified(let failure):
                logEvent(.unverified, context: "app receipt", error: failure)
                return .unverified(failure)
            case .verified(let contents):
                let before = try await ledgerContent()
                // The user may have changed while the receipt was verified; the receipt is not the former one's then.
                guard changes == userChanges else { continue }
                return try await record(receipt, contents, before, for: user)
            }
        }
    }

    private func record(
        _ receipt: SignedAppReceipt, _ contents: AppReceiptContents, _ before: LedgerContent, for user: AppUser
    ) async throws(LedgerError) -> VerificationResult<RestoredAppReceipt> {
        let id = try await recordID(of: contents.app, in: receipt)
        let delivery = SignedTransaction(
            appReceipt: receipt, transactionID: id, bundleID: contents.app.bundleID)
        let recording = try await record(
            Transaction(contents.app, recordedAs: id), delivery, from: .appReceipt, for: user.account,
            handsOver: false)
        let (entry, outcome) = (recording.entry, recording.outcome)
        if case .conflict(let reason) = outcome {
            logEvent(.conflict, contents.app.bundleID, detail: reason.rawValue)
            return .unverified(reason.failure)
        }
        // A later receipt that was recorded before stays.
        var recorded = contents
        if case .appReceipt(let kept) = entry.transaction.content, kept != receipt,
            let known = await self.contents(of: kept).verifiedPayload
        {
            recorded = known
        }
        for purchase in recorded.purchases { questions.noteRecording(of: purchase.id) }
        await updateMemory { [date = recorded.app.signedDate, environment] in
            $0.clock.recordSignature(date, clock: environment.clock(), uptime: environment.uptime())
        }
        if outcome != .unchanged {
            logEvent(
                .recorded, recorded.app.bundleID, transactionID: id,
                detail: "an app receipt with \(recorded.purchases.count) purchases")
        }
        let after = try await ledgerContent()
        return .verified(
            RestoredAppReceipt(recorded, recorded: before.recorded, foreign: after.purchasesOfOthers))
    }

    /// Returns the id under which a receipt of an app is recorded.
    ///
    /// A recorded receipt that does not verify here, such as that of the device from which the app's files were copied,
    /// does not give way to an earlier one, and must not be in the way of this one. So it keeps its id, and this one
    /// gets the next.
    private func recordID(
        of app: AppPurchase, in receipt: SignedAppReceipt
    ) async throws(LedgerError) -> String {
        let first = app.recordID(isAppTransaction: receipt.isAppTransaction)
        var failing: Set<String> = []
        for entry in try await ledger.entries() where entry.stage >= .recorded {
            guard case .appReceipt(let receipt) = entry.transaction.content else { continue }
            if case .unverified(let failure) = await contents(of: receipt), failure.verdict == .unverified {
                failing.insert(entry.transaction.transactionID)
            }
        }
        var id = first
        var number = 1
        while failing.contains(id) {
            number += 1
            id = "\(first) \(number)"
        }
        return id
    }

    // MARK: Verification

    /// Verifies a receipt, unless this run has done so.
    ///
    /// - Parameter time: The present time; read from the ledger by default.
    func contents(
        of receipt: SignedAppReceipt, at time: Timestamp? = nil
    ) async -> VerificationResult<AppReceiptContents> {
        if let known = intake.contents(of: receipt) { return .verified(known) }
        let now = if let time { time } else { await currentTime() }
        switch await verifier.verifyAppReceipt(receipt, at: now) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            guard let contents = AppReceiptContents(payload) else {
                return .unverified(VerificationFailure(code: .transactionIncomplete))
            }
            if verifier.hasLastingVerdicts { intake.keep(contents, of: receipt) }
            return .verified(contents)
        }
    }

    /// Adds the app receipts in the ledger to what it has for a user.
    ///
    /// - Parameters:
    ///   - entries: All entries of the ledger.
    ///   - transactions: The store's own transactions of the user, which take the place of those of receipts.
    func addReceipts(
        in entries: [LedgerEntry], beside transactions: [Transaction], to content: inout LedgerContent
    ) async {
        var recorded: [(receipt: SignedAppReceipt, account: UUIDText?)] = []
        for entry in entries where entry.stage >= .recorded {
            if case .appReceipt(let receipt) = entry.transaction.content { recorded.append((receipt, entry.account)) }
        }
        intake.dropReceipts(notIn: recorded.map(\.receipt))
        let accounts = recorded.isEmpty ? [:] : entries.accountsOfTransactions
        var receiptAccounts: [ExactString: UUIDText] = [:]
        var purchases: [Transaction] = []
        for (receipt, account) in recorded {
            let contents: AppReceiptContents
            switch await self.contents(of: receipt) {
            case .verified(let verified): contents = verified
            case .unverified(let failure):
                if failure.mayCountLater { content.isDecided = false }
                if failure.isTimeout { content.hasTimedOut = true }
                continue
            }
            purchases += content.add(contents, of: account, beside: accounts)
            for id in contents.purchases.map({ ExactString($0.id) }) where accounts[id] == nil {
                if let account { receiptAccounts[id] = account }
            }
        }
        intake.noteReceiptAccounts(receiptAccounts)
        content.recorded += transactions.purchasesBeside(purchases)
    }

    /// Returns the account whose app receipt has a transaction that names no account; nil if there is none.
    func accountOfReceipt(with transaction: Transaction) async throws(LedgerError) -> UUIDText? {
        guard Intake.mayBelongToReceipt(transaction, user) else { return nil }
        if !intake.knowsReceiptAccounts { _ = try await ledgerContent() }
        return intake.receiptAccount(of: transaction)
    }

    /// Returns the purchases in the recorded app receipts of all users.
    func receiptPurchases(_ entries: [LedgerEntry]) async -> [Transaction] {
        var purchases: [Transaction] = []
        for entry in entries where entry.stage >= .recorded {
            guard case .appReceipt(let receipt) = entry.transaction.content else { continue }
            purchases += await contents(of: receipt).verifiedPayload?.purchases ?? []
        }
        return purchases
    }
}
