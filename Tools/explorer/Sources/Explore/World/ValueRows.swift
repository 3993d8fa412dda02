import ReceiptTypes

@testable import PurchaseCore

/// The rows of a ledger as a value that can be compared: equal rows are equal in every answer.
///
/// It has few rows, so it looks for them one after the other. A transaction that fails is undone by taking the value
/// from before it.
struct ValueRows: LedgerRows, Hashable {
    private var rows: [DeliveryRow] = []
    private var contents: [TextDigest: SignedContent] = [:]
    private var purchaseRows: [PurchaseRow] = []
    private var purchaseEvents: [PurchaseEvent] = []
    private var fulfilments: [PurchaseKey: FulfilledAmount] = [:]
    private var claims: [PurchaseKey: FulfilmentClaim] = [:]
    /// By the bytes of the subscription's first transaction id.
    private var renewalRows: [TextDigest: RenewalRow] = [:]
    private var storedMemory = LedgerMemory()
    /// The number of the latest claim. An exploration chooses it before each transaction, see ``Service/claimNumbers``.
    var lastClaim = 0

    func digest(of text: String) -> TextDigest { TextDigest([UInt8](text.utf8)) }

    /// The rows at the end of a transaction: without contents that no row has, and sorted by purchase.
    ///
    /// The order of deliveries matters within a purchase only.
    var committed: Self {
        var rows = self
        let used = Set(self.rows.map(\.text)).union(renewalRows.values.map(\.text)).union(purchaseRows.map(\.text))
        rows.contents = contents.filter { used.contains($0.key) }
        return rows
    }

    /// The same rows, with the deliveries of each purchase one after the other, and without the number of the latest
    /// claim: no rule depends on either.
    var canonical: Self {
        var rows = committed
        rows.rows = Dictionary(grouping: self.rows, by: \.transactionID).sorted { $0.key < $1.key }.flatMap(\.value)
        rows.lastClaim = 0
        // What the app shows follows from the deliveries, and no rule of a hand-over reads it.
        rows.purchaseRows = []
        rows.purchaseEvents = []
        return rows
    }

    // MARK: Deliveries

    func delivery(_ text: TextDigest) -> DeliveryRow? { rows.first { $0.text == text } }
    func deliveries() -> [DeliveryRow] { rows }
    func deliveries(ofVersion id: String) -> [DeliveryRow] {
        rows.filter { $0.verified?.versionID.utf8.elementsEqual(id.utf8) ?? false }
    }

    func deliveries(of key: PurchaseKey) -> [DeliveryRow] {
        let purchase = key.description
        return rows.filter { $0.verified?.purchase.utf8.elementsEqual(purchase.utf8) ?? false }
    }

    func content(_ text: TextDigest) -> SignedContent? { contents[text] }

    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) {
        rows.append(row)
        contents[row.text] = content
    }

    mutating func replace(_ text: TextDigest, by row: DeliveryRow) {
        if let index = rows.firstIndex(where: { $0.text == text }) { rows[index] = row }
    }

    mutating func deleteDelivery(_ text: TextDigest) { rows.removeAll { $0.text == text } }

    // MARK: Purchases and their events

    func purchase(_ id: Purchase.ID) -> PurchaseRow? { purchaseRows.first { $0.purchase.id == id } }

    func purchases(ofTransaction id: String) -> [PurchaseRow] {
        purchaseRows.filter { $0.purchase.id.transactionID.utf8.elementsEqual(id.utf8) }
    }

    func purchases(of user: AppUser) -> [PurchaseRow] {
        let owned = purchaseRows.filter { user.owns($0.purchase) }.enumerated()
        return owned.sorted { left, right in
            (left.element.purchase.purchasedAt, left.offset) > (right.element.purchase.purchasedAt, right.offset)
        }.map(\.element)
    }

    mutating func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) {
        if let index = purchaseRows.firstIndex(where: { $0.purchase.id == row.purchase.id }) {
            purchaseRows[index] = row
        } else {
            purchaseRows.append(row)
        }
        for kind in events {
            let id = (purchaseEvents.last?.id ?? 0) + 1
            purchaseEvents.append(PurchaseEvent(id: id, kind: kind, occurredAt: now, purchase: row.purchase))
        }
    }

    func events(of user: AppUser, since id: PurchaseEvent.ID?) -> [PurchaseEvent] {
        purchaseEvents.filter { $0.id > id ?? .min && ($0.purchase.map(user.owns) ?? false) }
    }

    // MARK: Hand-overs

    func fulfilment(of key: PurchaseKey) -> FulfilledAmount? { fulfilments[key] }
    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) { fulfilments[key] = fulfilment }

    // No user is erased.
    func tombstone(of key: PurchaseKey) -> ErasedPurchase? { nil }
    mutating func deleteTombstone(of key: PurchaseKey) {}

    func claim(of key: PurchaseKey) -> FulfilmentClaim? { claims[key] }
    mutating func put(_ claim: FulfilmentClaim) { claims[claim.key] = claim }
    mutating func deleteClaim(of key: PurchaseKey) { claims[key] = nil }

    mutating func nextClaimNumber() -> Int {
        lastClaim += 1
        return lastClaim
    }

    // MARK: Renewal infos and memory

    func renewals() -> [RenewalRow] { Array(renewalRows.values) }

    func renewal(of originalID: String) -> RenewalRow? { renewalRows[digest(of: originalID)] }

    mutating func put(_ renewal: RenewalRow, jws: String) {
        contents[renewal.text] = .jws(jws)
        renewalRows[digest(of: renewal.originalID)] = renewal
    }

    func memory() -> LedgerMemory { storedMemory }
    mutating func put(_ memory: LedgerMemory) { storedMemory = memory }
}
