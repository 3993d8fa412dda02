import JournalConformance
import PurchaseCore
import ReceiptTypes
import Synchronization
import Testing

// The code of PurchaseCore's page WritingAStoreAndAJournal.md.

actor KioskStore: Store {
    private struct Sale {
        let product: Product
        let transaction: SignedTransaction
        var isFinished = false
    }

    private let assortment: [Product]
    private let sign: @Sendable (_ transactionID: String, Product, PurchaseOptions) throws -> String
    private var sales: [Sale] = []
    private let observers = Mutex<[AsyncStream<StoreUpdate>.Continuation]>([])

    init(
        assortment: [Product],
        sign: @escaping @Sendable (_ transactionID: String, Product, PurchaseOptions) throws -> String
    ) {
        self.assortment = assortment
        self.sign = sign
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        assortment.filter { ids.contains($0.id) }
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        .success(try sell(productID, options))
    }

    /// Delivers a sale that was made outside of the app.
    func deliver(_ productID: String) throws(StoreError) {
        let transaction = try sell(productID, PurchaseOptions())
        for observer in observers.withLock({ $0 }) { observer.yield(.transaction(transaction)) }
    }

    private func sell(_ productID: String, _ options: PurchaseOptions) throws(StoreError) -> SignedTransaction {
        guard let product = assortment.first(where: { $0.id == productID }) else {
            throw StoreError(.productUnavailable, "the kiosk does not sell \(productID)")
        }
        let id = "\(sales.count + 1)"
        let jws: String
        do {
            jws = try sign(id, product, options)
        } catch {
            throw StoreError(.system, "the kiosk cannot sign the sale", underlying: error)
        }
        let transaction = SignedTransaction(jws: jws, transactionID: id, productID: productID)
        sales.append(Sale(product: product, transaction: transaction))
        return transaction
    }

    nonisolated func updates() -> AsyncStream<StoreUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        observers.withLock { $0.append(continuation) }
        return stream
    }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        sales.filter { !$0.isFinished }.map(\.transaction)
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        sales.filter { $0.product.type != .consumable }.map(\.transaction)
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] { [] }

    func history() async throws(StoreError) -> [SignedTransaction] { sales.map(\.transaction) }

    func finish(transactionID: String) async throws(StoreError) {
        for index in sales.indices where sales[index].transaction.transactionID == transactionID {
            sales[index].isFinished = true
        }
    }

    func synchronize() async throws(StoreError) {}
}

actor RowJournal: PurchaseLedger {
    struct Row: Sendable {
        var entry: JournalEntry
        /// Nil until the entry is verified.
        var transaction: Transaction?
        var isRecorded: Bool { entry.stage >= .recorded }
    }

    struct Content: Sendable {
        var rows: [Row] = []
        var fulfilments: [PurchaseKey: FulfilledAmount] = [:]
        var claims: [FulfilmentClaim] = []
        var lastClaim = 0
        var renewals: [(info: RenewalInfo, jws: String)] = []
        var memory = JournalMemory()
    }

    private var content: Content
    private let write: @Sendable (Content) throws -> Void

    init(content: Content = Content(), write: @escaping @Sendable (Content) throws -> Void) {
        self.content = content
        self.write = write
    }

    /// Makes a change durable before it becomes visible; if the write fails, nothing has changed.
    private func commit(_ changed: Content) throws(JournalError) {
        do {
            try write(changed)
        } catch {
            throw JournalError(.notWritten, "the journal cannot be written", underlying: error)
        }
        content = changed
    }

    private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    private func index(_ signedText: String, from stage: JournalStage) throws(JournalError) -> Int {
        let index = content.rows.firstIndex { isSame($0.entry.transaction.signedText, signedText) }
        guard let index, content.rows[index].entry.stage >= stage else {
            throw JournalError(.outOfOrder, "the entry is missing or has not reached the stage \(stage)")
        }
        return index
    }

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        if let row = content.rows.first(where: { isSame($0.entry.transaction.signedText, transaction.signedText) }) {
            return row.entry
        }
        let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
        var changed = content
        changed.rows.append(Row(entry: entry))
        try commit(changed)
        return entry
    }

    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        let index = try index(signedText, from: .observed)
        var rows = content.rows
        var row = rows[index]
        let twin = rows.indices.first { other in
            other != index && rows[other].transaction.map { isSame($0.facts, transaction.facts) } ?? false
        }
        if let twin { row = merge(row, transaction, into: rows[twin]) }
        row.transaction = row.transaction ?? transaction
        row.entry.stage = max(row.entry.stage, .verified)
        row.entry.quarantineReason = nil
        row.entry.transaction = row.entry.transaction.withoutObjection
        rows[twin ?? index] = row
        if twin != nil { rows.remove(at: index) }
        var changed = content
        changed.rows = rows
        try commit(changed)
        return row.entry
    }

    /// Returns the known row of the same facts, with the new signature unless that is earlier.
    private func merge(_ row: Row, _ transaction: Transaction, into known: Row) -> Row {
        guard let replaced = known.transaction, replaced.signedDate <= transaction.signedDate else { return known }
        var merged = known
        merged.entry.transaction = row.entry.transaction
        merged.transaction = transaction
        guard replaced.signedDate < transaction.signedDate else { return merged }
        let hasReturned = content.rows.contains { other in
            guard other.isRecorded, let version = other.transaction, !isSame(version.facts, replaced.facts)
            else { return false }
            return version.purchaseKey == replaced.purchaseKey && version.signedDate >= replaced.signedDate
        }
        if hasReturned { merged.entry.stage = min(merged.entry.stage, .verified) }
        return merged
    }

    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        let index = try index(signedText, from: .observed)
        guard content.rows[index].entry.stage < .recorded else {
            throw JournalError(.outOfOrder, "a recorded entry cannot be quarantined")
        }
        var changed = content
        changed.rows[index].entry.stage = .observed
        changed.rows[index].entry.quarantineReason = code
        try commit(changed)
    }

    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        let index = try index(signedText, from: .verified)
        let versions = content.rows.indices.filter { row in
            content.rows[row].isRecorded && content.rows[row].transaction?.isVersion(of: transaction) ?? false
        }
        let isOther = versions.contains { content.rows[$0].transaction?.contradicts(transaction) ?? false }
        if isOther { return .conflict(.differentPurchase) }
        let purchase = content.rows.indices.filter { row in
            content.rows[row].isRecorded && content.rows[row].transaction?.purchaseKey == transaction.purchaseKey
        }
        let owner = (versions + purchase + [index]).compactMap { content.rows[$0].entry.account }.first
        if let owner, let account, owner != account { return .conflict(.belongsToAnotherAccount) }
        let isNew = !content.rows[index].isRecorded
        var changed = content
        for row in versions + purchase + [index] { changed.rows[row].entry.account = account ?? owner }
        if isNew { changed.rows[index].entry.stage = .recorded }
        try commit(changed)
        return isNew ? (versions.isEmpty ? .inserted : .merged) : .unchanged
    }

    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        let earlier = content.claims.first { $0.key == key }
        if let earlier, earlier.isInForce(at: now) { return nil }
        var changed = content
        changed.lastClaim += 1
        let claim = FulfilmentClaim(
            key: key, number: changed.lastClaim, start: now, end: end, followsUnanswered: earlier != nil)
        changed.claims.removeAll { $0.key == key }
        changed.claims.append(claim)
        try commit(changed)
        return claim
    }

    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        guard let place = place(of: claim) else { return nil }
        let renewed = content.claims[place].renewed(from: now, until: end)
        var changed = content
        changed.claims[place] = renewed
        try commit(changed)
        return renewed
    }

    func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        guard let place = place(of: claim) else { return }
        var changed = content
        let released = changed.claims.remove(at: place)
        if let rest = released.afterRelease { changed.claims.append(rest) }
        try commit(changed)
    }

    private func place(of claim: FulfilmentClaim) -> Int? {
        content.claims.firstIndex { $0.number == claim.number && !$0.isReleased }
    }

    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        let index = try index(signedText, from: .recorded)
        let stage = content.rows[index].entry.stage
        let isRepeated = stage >= .granted && content.fulfilments[claim.key] == fulfilment
        let place = place(of: claim)
        guard isRepeated || place != nil else {
            throw JournalError(.claimLost, "the claim of the purchase has ended, or another one has replaced it")
        }
        var changed = content
        changed.rows[index].entry.stage = max(stage, .granted)
        changed.fulfilments[claim.key] = fulfilment
        if let place { changed.claims.remove(at: place) }
        try commit(changed)
    }

    func markFinished(signedText: String) async throws(JournalError) {
        let index = try index(signedText, from: .granted)
        var changed = content
        changed.rows[index].entry.stage = .finished
        try commit(changed)
    }

    func entries() async throws(JournalError) -> [JournalEntry] { content.rows.map(\.entry) }

    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        content.rows.filter { $0.isRecorded && $0.transaction?.purchaseKey == key }.map(\.entry)
    }

    func compact() async throws(JournalError) {
        var changed = content
        changed.rows.removeAll { row in
            guard
                let place = content.rows.firstIndex(where: {
                    isSame($0.entry.transaction.signedText, row.entry.transaction.signedText)
                })
            else { return false }
            return content.rows[(place + 1)...].contains { isReplaced(row.entry, by: $0.entry) }
        }
        try commit(changed)
    }

    /// Returns whether two entries are not verified, for the same reason, and seem to be of the same transaction.
    private func isReplaced(_ left: JournalEntry, by right: JournalEntry) -> Bool {
        left.stage == .observed && right.stage == .observed && left.quarantineReason == right.quarantineReason
            && (left.quarantineReason != nil || left.source == right.source)
            && isSame(left.transaction.transactionID, right.transaction.transactionID)
            && isSame(left.transaction.productID, right.transaction.productID)
    }

    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? { content.fulfilments[key] }

    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        var changed = content
        let known = content.renewals.firstIndex {
            isSame($0.info.originalTransactionID, renewalInfo.originalTransactionID)
        }
        if let known {
            guard content.renewals[known].info.signedDate < renewalInfo.signedDate else { return }
            changed.renewals[known] = (renewalInfo, jws)
        } else {
            changed.renewals.append((renewalInfo, jws))
        }
        try commit(changed)
    }

    func renewalInfos() async throws(JournalError) -> [String] { content.renewals.map(\.jws) }

    func memory() async throws(JournalError) -> JournalMemory { content.memory }

    func updateMemory(
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        var changed = content
        change(&changed.memory)
        if changed.memory != content.memory { try commit(changed) }
        return changed.memory
    }
}

// `WritingAStoreAndAJournal.md`, checking a journal

/// The file of a journal, in memory.
final class JournalFile: Sendable {
    private let content = Mutex(RowJournal.Content())

    /// Opens the file, as a new process does.
    func open() -> RowJournal {
        RowJournal(content: content.withLock { $0 }) { changed in
            self.content.withLock { $0 = changed }
        }
    }
}

func journalViolations() async -> [JournalViolation] {
    let checker = JournalChecker(storage: { JournalFile() }, open: { $0.open() })
    return await checker.violations()
}

// MARK: - Tests of the store and the journal

@Suite("The example store and journal")
struct StoreAndJournalExampleTests {
    /// Accepts `jws-ID-PRODUCT` as a signature.
    private struct Verifier: TransactionVerifying {
        func verifyTransaction(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSTransactionDecodedPayload> {
            let parts = jws.split(separator: "-").map(String.init)
            guard parts.count == 3, parts[0] == "jws" else { return .unverified(.init(code: .signatureInvalid)) }
            var payload = JWSTransactionDecodedPayload()
            payload.transactionId = parts[1]
            payload.productId = parts[2]
            payload.type = parts[2] == "coins" ? .consumable : .nonConsumable
            payload.purchaseDate = .minimum
            return .verified(payload)
        }

        func verifyRenewalInfo(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
            .unverified(.init(code: .signatureInvalid))
        }
    }

    private struct DiskFull: Error {}

    private let store = KioskStore(
        assortment: ["coins", "lifetime"].map {
            Product(
                id: $0, type: $0 == "coins" ? .consumable : .nonConsumable, displayName: $0, description: $0,
                price: Milliunits(990), currency: "EUR", displayPrice: "€0.99")
        }, sign: { id, product, _ in "jws-\(id)-\(product.id)" })

    private func service(_ journal: RowJournal) -> PurchaseService {
        PurchaseService(store: store, journal: journal, verifier: Verifier(), clock: { .minimum })
    }

    @Test("a service over the example store and journal records, finishes and restores a purchase")
    func purchase() async throws {
        let journal = RowJournal(write: { _ in })
        for product in ["coins", "coins", "lifetime"] {
            let result = await service(journal).purchase(productID: product)
            #expect(PurchaseResultMapping.outcome(of: result) == .success)
        }
        let again = await service(journal).purchase(productID: "lifetime")
        #expect(PurchaseResultMapping.outcome(of: again) == .alreadyOwned)
        let missing = await service(journal).purchase(productID: "missing")
        let unavailable = StoreError(.productUnavailable, "")
        #expect(PurchaseResultMapping.outcome(of: missing) == .failed(.storeKitError(unavailable)))
        #expect(try await journal.entries().map(\.stage) == [.finished, .finished, .finished])
        #expect(try await store.unfinishedTransactions().isEmpty)
        #expect(try await service(journal).requestAllPurchaseHistory().known.count == 3)
        let evidence = try await service(journal).evidence()
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["lifetime"], templateProductToID: [:])
        let entitlements = EntitlementProjection(catalog: catalog).entitlements(
            from: evidence.transactions, at: .minimum)
        #expect(entitlements.isPro)
        #expect(entitlements.balances == ["coins": 2])
    }

    @Test("a service that listens to the example store finishes a sale made outside of the app")
    func update() async throws {
        let (ids, received) = AsyncStream.makeStream(of: String?.self)
        let listener = service(RowJournal(write: { _ in })).listenForTransactions { result in
            received.yield(result.verifiedPayload?.productID)
        }
        try await store.deliver("coins")
        #expect(await ids.first { _ in true } == "coins")
        listener.cancel()
        await listener.value
        #expect(try await store.unfinishedTransactions().isEmpty)
    }

    @Test("a write that fails leaves the example journal unchanged and the transaction unfinished")
    func failedWrite() async throws {
        let journal = RowJournal(write: { content in
            if content.rows.contains(where: { $0.entry.stage == .recorded }) { throw DiskFull() }
        })
        let result = await service(journal).purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notRecorded))
        #expect(try await journal.entries().map(\.stage) == [.verified])
        #expect(try await store.unfinishedTransactions().count == 1)
    }

    @Test("the example journal keeps every rule of the port")
    func journalRules() async {
        for violation in await journalViolations() { Issue.record("\(violation)") }
    }

    @Test("the example journal reports a conflict of accounts and of purchases")
    func conflicts() async throws {
        let journal = RowJournal(write: { _ in })
        func record(_ jws: String, for account: String?) async throws -> RecordOutcome {
            let payload = try #require(await Verifier().verifyTransaction(jws, at: .minimum).verifiedPayload)
            let transaction = try #require(Transaction(payload))
            let signed = SignedTransaction(jws: jws, transactionID: transaction.id, productID: transaction.productID)
            _ = try await journal.observe(signed, from: .update, at: .minimum)
            _ = try await journal.markVerified(transaction, signedText: jws)
            return try await journal.record(transaction, signedText: jws, for: account.map { UUIDText($0) })
        }
        #expect(try await record("jws-1-coins", for: nil) == .inserted)
        #expect(try await record("jws-1-coins", for: "anna") == .unchanged)
        #expect(try await record("jws-1-coins", for: "bert") == .conflict(.belongsToAnotherAccount))
        #expect(try await record("jws-1-lifetime", for: nil) == .conflict(.differentPurchase))
        await #expect(throws: JournalError(.outOfOrder, "")) {
            try await journal.markFinished(signedText: "jws-1-coins")
        }
    }

    @Test(
        "the example journal keeps one entry for each state of a transaction, one claim, and one quarantined delivery")
    func growth() async throws {
        let journal = RowJournal(write: { _ in })
        func version(_ jws: String, signed: Int64, isRevoked: Bool = false) async throws -> JournalEntry {
            var payload = try #require(await Verifier().verifyTransaction("jws-1-coins", at: .minimum).verifiedPayload)
            payload.signedDate = Timestamp(milliseconds: signed)
            if isRevoked { payload.revocationDate = payload.signedDate }
            let transaction = try #require(Transaction(payload))
            let delivery = SignedTransaction(jws: jws, transactionID: "1", productID: "coins")
            _ = try await journal.observe(delivery, from: .update, at: .minimum)
            let entry = try await journal.markVerified(transaction, signedText: jws)
            _ = try await journal.record(transaction, signedText: entry.transaction.signedText, for: nil)
            return entry
        }
        #expect(try await version("a", signed: 1).transaction.signedText == "a")
        #expect(try await version("c", signed: 3).transaction.signedText == "c")
        #expect(try await version("b", signed: 2).transaction.signedText == "c", "an older signature replaces nothing")
        #expect(try await version("c", signed: 3).stage == .recorded)
        #expect(try await version("refund", signed: 4, isRevoked: true).stage == .verified)
        #expect(try await version("d", signed: 5).stage == .verified, "the purchase has returned after its refund")
        #expect(try await version("e", signed: 6).stage == .recorded)
        #expect(try await journal.entries().map(\.transaction.signedText) == ["e", "refund"])

        let key = PurchaseKey.transaction(id: "1")
        let end = Timestamp.minimum
        let claim = try #require(try await journal.claimFulfilment(of: key, from: .minimum, until: end))
        #expect(try await journal.claimFulfilment(of: key, from: .minimum, until: end) == nil)
        try await journal.release(claim)
        #expect(try await journal.claimFulfilment(of: key, from: .minimum, until: end) != nil)

        for jws in ["forged-1", "forged-2"] {
            let delivery = SignedTransaction(jws: jws, transactionID: "2", productID: "coins")
            _ = try await journal.observe(delivery, from: .update, at: .minimum)
            try await journal.quarantine(signedText: jws, because: .signatureInvalid)
        }
        try await journal.compact()
        #expect(try await journal.entries().map(\.transaction.signedText) == ["e", "refund", "forged-2"])
    }
}
