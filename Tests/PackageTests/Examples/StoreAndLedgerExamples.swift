import LedgerConformance
import PurchaseCore
import ReceiptTypes
import Synchronization
import Testing

// The code of PurchaseCore's page WritingAStoreAndALedger.md.

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

/// The rows of a kiosk, as one value.
struct KioskRows: LedgerRows, Sendable {
    private struct Stored {
        /// In the order of insertion.
        var rows: [DeliveryRow] = []
        var contents: [TextDigest: SignedContent] = [:]
        var purchases: [PurchaseRow] = []
        var events: [PurchaseEvent] = []
        var amounts: [PurchaseKey: FulfilledAmount] = [:]
        var claims: [PurchaseKey: FulfilmentClaim] = [:]
        var lastClaim = 0
        var renewals: [RenewalRow] = []
        var memory = LedgerMemory()
    }

    private var stored = Stored() { didSet { isChanged = true } }
    /// Whether a transaction has changed the rows.
    private(set) var isChanged = false

    /// Ends a transaction: deletes the contents that no row has.
    mutating func commit() {
        let used = Set(stored.rows.map(\.text) + stored.purchases.map(\.text) + stored.renewals.map(\.text))
        stored.contents = stored.contents.filter { used.contains($0.key) }
        isChanged = false
    }

    /// Equal strings may have different bytes.
    private func isSame(_ left: String?, _ right: String) -> Bool { left?.utf8.elementsEqual(right.utf8) ?? false }

    func digest(of text: String) -> TextDigest { TextDigest([UInt8](text.utf8)) }

    func delivery(_ text: TextDigest) -> DeliveryRow? { stored.rows.first { $0.text == text } }
    func deliveries() -> [DeliveryRow] { stored.rows }
    func deliveries(ofVersion id: String) -> [DeliveryRow] { stored.rows.filter { isSame($0.verified?.versionID, id) } }
    func deliveries(of key: PurchaseKey) -> [DeliveryRow] {
        stored.rows.filter { isSame($0.verified?.purchase, key.description) }
    }
    func content(_ text: TextDigest) -> SignedContent? { stored.contents[text] }

    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) {
        stored.rows.append(row)
        stored.contents[row.text] = content
    }

    mutating func replace(_ text: TextDigest, by row: DeliveryRow) {
        if let index = stored.rows.firstIndex(where: { $0.text == text }) { stored.rows[index] = row }
    }

    mutating func deleteDelivery(_ text: TextDigest) { stored.rows.removeAll { $0.text == text } }

    func purchase(_ id: Purchase.ID) -> PurchaseRow? { stored.purchases.first { $0.purchase.id == id } }
    func purchases(ofTransaction id: String) -> [PurchaseRow] {
        stored.purchases.filter { isSame($0.purchase.id.transactionID, id) }
    }
    func purchases(of user: AppUser) -> [PurchaseRow] {
        // The latest first; a sort keeps no order of its own.
        let found = stored.purchases.filter { user.owns($0.purchase) }.enumerated()
        return found.sorted {
            ($0.element.purchase.purchasedAt, $0.offset) > ($1.element.purchase.purchasedAt, $1.offset)
        }.map(\.element)
    }
    mutating func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) {
        let index = stored.purchases.firstIndex { $0.purchase.id == row.purchase.id }
        if let index { stored.purchases[index] = row } else { stored.purchases.append(row) }
        for kind in events {
            let id = Int64(stored.events.count + 1)
            stored.events.append(PurchaseEvent(id: id, kind: kind, occurredAt: now, purchase: row.purchase))
        }
    }
    func events(of user: AppUser, since id: PurchaseEvent.ID?) -> [PurchaseEvent] {
        stored.events.filter { event in event.id > id ?? 0 && event.purchase.map(user.owns) ?? false }
    }

    func fulfilment(of key: PurchaseKey) -> FulfilledAmount? { stored.amounts[key] }
    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) { stored.amounts[key] = fulfilment }

    // No user of the kiosk is erased.
    func tombstone(of key: PurchaseKey) -> ErasedPurchase? { nil }
    mutating func deleteTombstone(of key: PurchaseKey) {}

    func claim(of key: PurchaseKey) -> FulfilmentClaim? { stored.claims[key] }
    mutating func put(_ claim: FulfilmentClaim) { stored.claims[claim.key] = claim }
    mutating func deleteClaim(of key: PurchaseKey) { stored.claims[key] = nil }
    mutating func nextClaimNumber() -> Int {
        stored.lastClaim += 1
        return stored.lastClaim
    }

    func renewals() -> [RenewalRow] { stored.renewals }
    func renewal(of originalID: String) -> RenewalRow? { stored.renewals.first { isSame($0.originalID, originalID) } }
    mutating func put(_ renewal: RenewalRow, jws: String) {
        stored.renewals = renewals().filter { !isSame($0.originalID, renewal.originalID) } + [renewal]
        stored.contents[renewal.text] = .jws(jws)
    }

    func memory() -> LedgerMemory { stored.memory }
    mutating func put(_ memory: LedgerMemory) { stored.memory = memory }
}

actor KioskLedger: PurchaseLedger {
    private var rows: KioskRows
    private let write: @Sendable (KioskRows) throws -> Void

    /// Creates a ledger of the stored rows, and a function that replaces them by others in one step.
    init(rows: KioskRows = KioskRows(), write: @escaping @Sendable (KioskRows) throws -> Void) {
        self.rows = rows
        self.write = write
    }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        // A copy: after an error, the rows are as before.
        var changed: any LedgerRows = rows
        let value = try body(&changed)
        guard var changed = changed as? KioskRows, changed.isChanged else { return value }
        changed.commit()
        do {
            try write(changed)
        } catch {
            throw LedgerError(.notWritten, "the ledger cannot be written", underlying: error)
        }
        rows = changed
        return value
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try body(rows)
    }
}

// `WritingAStoreAndALedger.md`, checking a ledger

/// The file of a ledger, in memory.
final class KioskFile: Sendable {
    private let rows = Mutex(KioskRows())

    /// Opens the file, as a new process does.
    func open() -> KioskLedger {
        KioskLedger(rows: rows.withLock { $0 }) { changed in
            self.rows.withLock { $0 = changed }
        }
    }
}

func ledgerViolations() async -> [LedgerViolation] {
    let checker = LedgerChecker(storage: { KioskFile() }, open: { $0.open() })
    return await checker.violations()
}

// MARK: - Tests of the store and the ledger

@Suite("The example store and ledger")
struct StoreAndLedgerExampleTests {
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

    private func service(_ ledger: KioskLedger) -> PurchaseService {
        PurchaseService(
            store: store, ledger: ledger, verifier: Verifier(), environment: PurchaseEnvironment(clock: { .minimum }))
    }

    @Test("a service over the example store and ledger records, finishes and restores a purchase")
    func purchase() async throws {
        let ledger = KioskLedger(write: { _ in })
        for product in ["coins", "coins", "lifetime"] {
            let result = await service(ledger).purchase(productID: product)
            #expect(PurchaseResultMapping.outcome(of: result) == .success)
        }
        let again = await service(ledger).purchase(productID: "lifetime")
        #expect(PurchaseResultMapping.outcome(of: again) == .alreadyOwned)
        let missing = await service(ledger).purchase(productID: "missing")
        let unavailable = StoreError(.productUnavailable, "")
        #expect(PurchaseResultMapping.outcome(of: missing) == .failed(.storeKitError(unavailable)))
        #expect(try await ledger.entries().map(\.stage) == [.finished, .finished, .finished])
        #expect(try await store.unfinishedTransactions().isEmpty)
        #expect(try await service(ledger).requestAllPurchaseHistory().known.count == 3)
        let evidence = try await service(ledger).evidence()
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["lifetime"], templateProductToID: [:])
        let entitlements = EntitlementProjection(catalog: catalog).entitlements(
            from: evidence.transactions, at: .minimum)
        #expect(entitlements.isPro)
        #expect(entitlements.balances == ["coins": 2])
    }

    @Test("a service that listens to the example store finishes a sale made outside of the app")
    func update() async throws {
        let (ids, received) = AsyncStream.makeStream(of: String?.self)
        let listener = service(KioskLedger(write: { _ in })).listenForTransactions { result in
            received.yield(result.verifiedPayload?.productID)
        }
        try await store.deliver("coins")
        #expect(await ids.first { _ in true } == "coins")
        listener.cancel()
        await listener.value
        #expect(try await store.unfinishedTransactions().isEmpty)
    }

    @Test("a write that fails leaves the example ledger unchanged and the transaction unfinished")
    func failedWrite() async throws {
        let ledger = KioskLedger(write: { rows in
            if rows.deliveries().contains(where: { $0.stage >= .recorded }) { throw DiskFull() }
        })
        let result = await service(ledger).purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notRecorded))
        #expect(try await ledger.entries().allSatisfy { $0.stage < .recorded })
        #expect(try await store.unfinishedTransactions().count == 1)
    }

    @Test("the example ledger keeps every rule of the port")
    func ledgerRules() async {
        for violation in await ledgerViolations() { Issue.record("\(violation)") }
    }
}
