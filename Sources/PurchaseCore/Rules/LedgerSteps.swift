package import ReceiptTypes

// Each rule that changes or reads rows as a transaction of its own.
extension PurchaseLedger {
    /// Stores a delivery before it is processed; see `LedgerRows.observe`.
    @discardableResult
    package func observe(
        _ delivery: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(LedgerError) -> LedgerEntry {
        try await transact(.observe) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.observe(delivery, from: source, at: now)
        }
    }

    /// Moves a delivery to ``DeliveryStage/verified``; see `LedgerRows.markVerified`.
    @discardableResult
    package func markVerified(
        _ transaction: Transaction, signedText: String
    ) async throws(LedgerError) -> LedgerEntry {
        try await transact(.verify) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.markVerified(transaction, signedText: signedText)
        }
    }

    /// Moves a delivery into quarantine; see `LedgerRows.quarantine`.
    package func quarantine(
        signedText: String, because code: VerificationFailure.Code
    ) async throws(LedgerError) {
        try await transact(.quarantine) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.quarantine(signedText: signedText, because: code)
        }
    }

    /// Records a verified delivery; see `LedgerRows.record`.
    @discardableResult
    package func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?,
        at now: Timestamp = PurchaseEnvironment.deviceTime()
    ) async throws(LedgerError) -> RecordOutcome {
        try await transact(.record) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.record(transaction, signedText: signedText, for: account, at: now)
        }
    }

    /// Claims a purchase; see `LedgerRows.claimFulfilment`.
    package func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(LedgerError) -> FulfilmentClaim? {
        try await transact(.claim) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.claimFulfilment(of: key, from: now, until: end)
        }
    }

    /// Moves the times of a claim; see `LedgerRows.renew`.
    @discardableResult
    package func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(LedgerError) -> FulfilmentClaim? {
        try await transact(.renewClaim) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.renew(claim, from: now, until: end)
        }
    }

    /// Ends a claim whose order has failed; see `LedgerRows.release`.
    package func release(_ claim: FulfilmentClaim) async throws(LedgerError) {
        try await transact(.releaseClaim) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.release(claim)
        }
    }

    /// Notes what was handed over; see `LedgerRows.markGranted`.
    package func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(LedgerError) {
        try await transact(.grant) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.markGranted(signedText: signedText, fulfilment, under: claim)
        }
    }

    /// Moves a granted delivery to ``DeliveryStage/finished``.
    package func markFinished(signedText: String) async throws(LedgerError) {
        try await transact(.finish) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.markFinished(signedText: signedText)
        }
    }

    /// Deletes deliveries that no decision needs; see `LedgerRows.compact`.
    package func compact() async throws(LedgerError) {
        try await transact(.compact) { (rows: inout any LedgerRows) throws(LedgerError) in try rows.compact() }
    }

    /// Stores a renewal info unless a later one is stored, and returns whether it is.
    @discardableResult
    package func record(_ renewalInfo: RenewalInfo, jws: String) async throws(LedgerError) -> Bool {
        try await transact(.recordRenewal) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.record(renewalInfo, jws: jws)
        }
    }

    /// Applies a change to the memory, and returns the memory with the change.
    @discardableResult
    package func updateMemory(
        _ change: @escaping @Sendable (inout LedgerMemory) -> Void
    ) async throws(LedgerError) -> LedgerMemory {
        try await transact(.remember) { (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.updateMemory(change)
        }
    }

    // MARK: Reading

    /// Returns all deliveries in the order in which they first arrived.
    public func entries() async throws(LedgerError) -> [LedgerEntry] {
        try await read(.readDeliveries) { (rows) throws(LedgerError) in try rows.entries() }
    }

    /// Returns the recorded deliveries of one purchase.
    public func recordedEntries(of key: PurchaseKey) async throws(LedgerError) -> [LedgerEntry] {
        try await read(.readPurchase) { (rows) throws(LedgerError) in try rows.recordedEntries(of: key) }
    }

    /// Returns what was last handed over of a purchase; nil if there was nothing.
    public func fulfilment(of key: PurchaseKey) async throws(LedgerError) -> FulfilledAmount? {
        try await read(.readFulfilment) { (rows) throws(LedgerError) in try rows.handedOver(of: key) }
    }

    /// Returns the JWS of each stored renewal info, one for each subscription, in any order.
    public func renewalInfos() async throws(LedgerError) -> [String] {
        try await read(.readRenewals) { (rows) throws(LedgerError) in try rows.renewalInfos() }
    }

    /// Returns the stored clock marks, pending purchases, absences and listings.
    public func memory() async throws(LedgerError) -> LedgerMemory {
        try await read(.readMemory) { (rows) throws(LedgerError) in try rows.memory() }
    }
}
