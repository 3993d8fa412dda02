internal import ReceiptTypes

/// The rows of a ledger as a value.
struct InMemoryRows: LedgerRows {
    /// The deliveries by number; that of a later insertion is higher.
    private var rows: [Int: DeliveryRow] = [:]
    private var lastNumber = 0
    private var numbers: [TextDigest: Int] = [:]
    private var numbersByVersion: [ExactString: [Int]] = [:]
    private var numbersByPurchase: [ExactString: [Int]] = [:]
    private var contents: [TextDigest: SignedContent] = [:]
    /// The purchases with the number of their first insertion.
    private var purchasesByID: [Purchase.ID: (number: Int, row: PurchaseRow)] = [:]
    private var lastPurchase = 0
    private var purchaseEvents: [PurchaseEvent] = []
    private var lastEvent: PurchaseEvent.ID = 0
    private var fulfilments: [PurchaseKey: FulfilledAmount] = [:]
    private var claims: [PurchaseKey: FulfilmentClaim] = [:]
    private var lastClaim = 0
    private var renewalRows: [ExactString: RenewalRow] = [:]
    private var storedMemory = LedgerMemory()
    /// What undoes each change of the present transaction, the last one at the end.
    private var undoing: [(inout InMemoryRows) -> Void] = []
    /// The texts that a row has lost in the present transaction.
    private var released: Set<TextDigest> = []

    func digest(of text: String) -> TextDigest { TextDigest([UInt8](text.utf8)) }

    // MARK: Transactions

    /// The rows after the present transaction.
    var committed: Self {
        var rows = self
        for text in released where rows.numbers[text] == nil {
            let isUsed =
                rows.renewalRows.values.contains { $0.text == text }
                || rows.purchasesByID.values.contains { $0.row.text == text }
            if !isUsed { rows.contents[text] = nil }
        }
        rows.released = []
        rows.undoing = []
        return rows
    }

    /// The rows before the present transaction.
    var undone: Self {
        var rows = self
        for undo in undoing.reversed() { undo(&rows) }
        rows.released = []
        return rows
    }

    // MARK: Deliveries

    func delivery(_ text: TextDigest) -> DeliveryRow? { numbers[text].flatMap { rows[$0] } }
    func deliveries() -> [DeliveryRow] { rows.keys.sorted().compactMap { rows[$0] } }

    func deliveries(ofVersion id: String) -> [DeliveryRow] {
        numbersByVersion[ExactString(id), default: []].sorted().compactMap { rows[$0] }
    }

    func deliveries(of key: PurchaseKey) -> [DeliveryRow] {
        numbersByPurchase[ExactString(key.description), default: []].sorted().compactMap { rows[$0] }
    }

    func content(_ text: TextDigest) -> SignedContent? { contents[text] }

    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) {
        lastNumber += 1
        undoing.append { [before = contents[row.text]] in $0.contents[row.text] = before }
        contents[row.text] = content
        set(row, lastNumber)
    }

    mutating func replace(_ text: TextDigest, by row: DeliveryRow) {
        if let number = numbers[text] { set(row, number) }
    }

    mutating func deleteDelivery(_ text: TextDigest) {
        if let number = numbers[text] { set(nil, number) }
    }

    /// Puts a row in the place of a number.
    private mutating func set(_ row: DeliveryRow?, _ number: Int) {
        let before = rows[number]
        undoing.append { $0.place(before, number) }
        if let before, before.text != row?.text { released.insert(before.text) }
        place(row, number)
    }

    private mutating func place(_ row: DeliveryRow?, _ number: Int) {
        if let before = rows[number] {
            if numbers[before.text] == number { numbers[before.text] = nil }
            if let verified = before.verified {
                numbersByVersion[ExactString(verified.versionID)]?.removeAll { $0 == number }
                numbersByPurchase[ExactString(verified.purchase)]?.removeAll { $0 == number }
            }
        }
        rows[number] = row
        guard let row else { return }
        numbers[row.text] = number
        if let verified = row.verified {
            numbersByVersion[ExactString(verified.versionID), default: []].append(number)
            numbersByPurchase[ExactString(verified.purchase), default: []].append(number)
        }
    }

    // MARK: Purchases and their events

    func purchase(_ id: Purchase.ID) -> PurchaseRow? { purchasesByID[id]?.row }

    func purchases(ofTransaction id: String) -> [PurchaseRow] {
        purchasesByID.values.map(\.row).filter { $0.purchase.id.transactionID.isIdentical(to: id) }
    }

    func purchases(of user: AppUser) -> [PurchaseRow] {
        purchasesByID.values.filter { user.owns($0.row.purchase) }.sorted {
            ($0.row.purchase.purchasedAt, $0.number) > ($1.row.purchase.purchasedAt, $1.number)
        }.map(\.row)
    }

    mutating func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) {
        let id = row.purchase.id
        let before = purchasesByID[id]
        let count = purchaseEvents.count
        undoing.append { rows in
            rows.purchasesByID[id] = before
            rows.purchaseEvents.removeSubrange(count...)
        }
        if let before, before.row.text != row.text { released.insert(before.row.text) }
        if before == nil { lastPurchase += 1 }
        purchasesByID[id] = (before?.number ?? lastPurchase, row)
        for kind in events {
            lastEvent += 1
            purchaseEvents.append(
                PurchaseEvent(id: lastEvent, kind: kind, occurredAt: now, purchase: row.purchase))
        }
    }

    func events(of user: AppUser, since id: PurchaseEvent.ID?) -> [PurchaseEvent] {
        let later = purchaseEvents.drop { $0.id <= id ?? .min }
        return later.filter { $0.purchase.map(user.owns) ?? false }
    }

    // MARK: Hand-overs

    func fulfilment(of key: PurchaseKey) -> FulfilledAmount? { fulfilments[key] }

    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) {
        undoing.append { [before = fulfilments[key]] in $0.fulfilments[key] = before }
        fulfilments[key] = fulfilment
    }

    // No user is erased from a ledger in memory.
    func tombstone(of key: PurchaseKey) -> ErasedPurchase? { nil }
    mutating func deleteTombstone(of key: PurchaseKey) {}

    func claim(of key: PurchaseKey) -> FulfilmentClaim? { claims[key] }
    mutating func put(_ claim: FulfilmentClaim) { set(claim, of: claim.key) }
    mutating func deleteClaim(of key: PurchaseKey) { set(nil, of: key) }

    private mutating func set(_ claim: FulfilmentClaim?, of key: PurchaseKey) {
        undoing.append { [before = claims[key]] in $0.claims[key] = before }
        claims[key] = claim
    }

    mutating func nextClaimNumber() -> Int {
        lastClaim += 1
        return lastClaim
    }

    // MARK: Renewal infos and memory

    func renewals() -> [RenewalRow] { [RenewalRow](renewalRows.values) }
    func renewal(of originalID: String) -> RenewalRow? { renewalRows[ExactString(originalID)] }

    mutating func put(_ renewal: RenewalRow, jws: String) {
        let id = ExactString(renewal.originalID)
        let before = renewalRows[id]
        undoing.append { $0.renewalRows[id] = before }
        if let before, before.text != renewal.text { released.insert(before.text) }
        undoing.append { [content = contents[renewal.text]] in $0.contents[renewal.text] = content }
        contents[renewal.text] = .jws(jws)
        renewalRows[id] = renewal
    }

    func memory() -> LedgerMemory { storedMemory }

    mutating func put(_ memory: LedgerMemory) {
        undoing.append { [before = storedMemory] in $0.storedMemory = before }
        storedMemory = memory
    }
}
