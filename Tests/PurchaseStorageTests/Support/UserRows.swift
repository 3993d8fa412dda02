import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

/// The rows of one user, in every table that can have something of a user.
struct UserRows {
    let user: UUIDText
    /// The ids of the transactions, and of the first one of the subscription.
    private(set) var ids: Set<String> = []
    /// The purchases that are recorded; the server has acknowledged the last one.
    private(set) var purchases: [VerifiedPurchase] = []
    private(set) var quarantinedText = ""
    private(set) var renewalText = ""
    private let database: PurchaseDatabase
    private let firstNumber: Int

    /// Every signed text.
    var receipts: [String] {
        let contents = purchases.compactMap { (purchase) -> String? in
            guard case .jws(let jws) = purchase.content else { return nil }
            return jws
        }
        return contents + [quarantinedText, renewalText]
    }

    private init(_ database: PurchaseDatabase, _ user: UUIDText, _ firstNumber: Int) {
        self.database = database
        self.user = user
        self.firstNumber = firstNumber
    }

    /// Fills the tables for a user.
    ///
    /// - Parameter firstNumber: The ids of the transactions are the numbers after it.
    static func fill(
        _ database: PurchaseDatabase, for user: UUIDText, from firstNumber: Int
    ) async throws -> UserRows {
        var rows = UserRows(database, user, firstNumber)
        let coins = try await rows.fillLedger()
        try await rows.recordPurchases()
        try await rows.fillLog(about: coins)
        return rows
    }

    /// The tables that this fills.
    static var tables: [String] {
        let others: Set = ["cached_products", "recoveries", "tombstones", "tombstone_keys"]
        return (StoredTable.all.map(\.name) + ["claims"]).filter { !others.contains($0) }
    }

    private mutating func id(_ number: Int) -> String {
        let id = "\(firstNumber + number)"
        ids.insert(id)
        return id
    }

    private mutating func purchase(
        _ number: Int, _ productID: String, _ type: ProductType, original: Int? = nil
    ) throws -> (verified: VerifiedPurchase, jws: String) {
        let transactionID = id(number)
        let originalID = original.map { id($0) }
        let jws = SampleReceipt.jws(transactionID, original: originalID, of: user.rawValue)
        let sample = try PurchaseSample.purchase(transactionID, productID) { payload in
            payload.type = type
            payload.originalTransactionId = originalID
            payload.appAccountToken = user
        }
        return (VerifiedPurchase(sample.transaction, .jws(jws)), jws)
    }

    // MARK: Ledger

    /// Records granted coins, a renewal of a subscription and a delivery in quarantine; returns the id of the coins.
    private mutating func fillLedger() async throws -> String {
        let ledger = DatabaseLedger(database)
        let start = PurchaseSample.start
        let coins = try purchase(1, "coins", .consumable)
        let renewal = try purchase(3, "pro.yearly", .autoRenewableSubscription, original: 2)
        for (verified, jws) in [coins, renewal] {
            let transaction = verified.transaction
            let delivery = SignedTransaction(jws: jws, transactionID: transaction.id, productID: transaction.productID)
            _ = try await ledger.observe(delivery, from: .update, at: start)
            _ = try await ledger.markVerified(transaction, signedText: jws)
            let outcome = try await ledger.record(transaction, signedText: jws, for: user)
            #expect(outcome == .inserted)
            purchases.append(verified)
        }
        let key = coins.verified.transaction.purchaseKey
        let claim = try await ledger.claimFulfilment(of: key, from: start, until: start)
        try await ledger.markGranted(
            signedText: coins.jws, .granted(productID: "coins", quantity: 1), under: try #require(claim))
        // The claim of an order that has no answer yet.
        _ = try await ledger.claimFulfilment(of: key, from: start, until: PurchaseSample.at(60))

        var payload = JWSRenewalInfoDecodedPayload()
        payload.originalTransactionId = id(2)
        payload.signedDate = start
        renewalText = SampleReceipt.jws(id(2), of: user.rawValue)
        let info = try #require(RenewalInfo(payload))
        try await ledger.record(info, jws: renewalText)

        let forged = id(4)
        quarantinedText = SampleReceipt.jws(forged, of: user.rawValue)
        let delivery = SignedTransaction(jws: quarantinedText, transactionID: forged, productID: "pro.lifetime")
        _ = try await ledger.observe(delivery, from: .update, at: start)
        try await ledger.quarantine(signedText: quarantinedText, because: .signatureInvalid)

        let pending = PendingPurchase(productID: "coins", since: start, account: user)
        let absence = AbsentPurchase(transactionID: renewal.verified.transaction.id, since: start)
        try await ledger.updateMemory { memory in
            memory.pending.append(pending)
            memory.absences.append(absence)
        }
        return coins.verified.transaction.id
    }

    // MARK: Purchases

    private mutating func recordPurchases() async throws {
        let records = PurchaseRecords(database, user)
        for number in 5...8 {
            let bought = try purchase(number, "pro.lifetime", .nonConsumable)
            purchases.append(bought.verified)
            let outcome = try await records.recordPurchase(bought.verified)
            #expect(outcome == .inserted)
        }
        guard let last = purchases.last else { return }
        try await records.updateSyncStatus(of: last.id, .synced(at: PurchaseSample.at(1)))
    }

    // MARK: Log and analytics

    private func fillLog(about transactionID: String) async throws {
        let start = PurchaseSample.start
        let log = DatabaseLog(database, environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        let event = PurchaseLogEvent(.storeFailed, transactionID: transactionID, detail: "account \(user.rawValue)")
        try await log.append([LogEntry(event, at: start, account: user), LogEntry(event, at: start)])
        let subject = try #require(try await log.unreportedCase(of: transactionID))
        try await log.markReported(subject, at: start)

        let analytics = DatabaseAnalytics(
            database, user: .signedIn(user), environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        let opened = AnalyticsEvent(
            id: "event-\(firstNumber)", name: .init(rawValue: "opened"), occurredAt: start,
            properties: ["account": .text(user.rawValue), "transaction": .text(transactionID)])
        try await analytics.append([opened])
        #expect(try await analytics.waitingEvents(limit: 100).count > 1)
    }
}
