import Foundation
import PurchaseCore
import ReceiptTypes

/// Rows with a fault over others.
struct FaultyRows: LedgerRows {
    var base: any LedgerRows
    let fault: LedgerFault
    /// The number of times that the storage was opened.
    let number: Int
    /// Whether the memory is not put into the rows, but kept here.
    let delaysMemory: Bool
    private(set) var delayedMemory: LedgerMemory?
    private var dropped: Set<TextDigest> = []

    init(base: any LedgerRows, fault: LedgerFault, number: Int, delaysMemory: Bool) {
        self.base = base
        self.fault = fault
        self.number = number
        self.delaysMemory = delaysMemory
    }

    func digest(of text: String) throws(LedgerError) -> TextDigest {
        try base.digest(of: fault == .normalizesTexts ? text.precomposedStringWithCanonicalMapping : text)
    }

    // MARK: Deliveries

    func delivery(_ text: TextDigest) throws(LedgerError) -> DeliveryRow? { try base.delivery(text).map(faulty) }

    func deliveries() throws(LedgerError) -> [DeliveryRow] {
        let rows = try base.deliveries().map(faulty)
        return fault == .sortsByTime ? rows.sorted { $0.observedAt < $1.observedAt } : rows
    }

    func deliveries(ofVersion id: String) throws(LedgerError) -> [DeliveryRow] {
        try base.deliveries(ofVersion: id).map(faulty)
    }

    func deliveries(of key: PurchaseKey) throws(LedgerError) -> [DeliveryRow] {
        guard fault == .mixesPurchases else { return try base.deliveries(of: key) }
        return try base.deliveries().filter { $0.verified?.purchase.lowercased() == key.description.lowercased() }
    }

    private func faulty(_ row: DeliveryRow) -> DeliveryRow {
        guard fault == .cutsObjection else { return row }
        var row = row
        row.objection = row.objection.map { String($0.prefix { $0 != "\0" }) }
        return row
    }

    func content(_ text: TextDigest) throws(LedgerError) -> SignedContent? {
        if fault == .losesPurchaseContent, try base.delivery(text) == nil,
            try !base.renewals().contains(where: { $0.text == text })
        {
            return nil
        }
        return dropped.contains(text) ? nil : try base.content(text)
    }

    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) throws(LedgerError) {
        try base.insert(row, content)
    }

    mutating func replace(_ text: TextDigest, by row: DeliveryRow) throws(LedgerError) {
        switch fault {
        case .replacesAtEnd:
            guard try base.delivery(text) != nil, let content = try base.content(row.text) else { return }
            try base.deleteDelivery(text)
            try base.insert(row, content)
        case .ignoresEqualRow:
            if try base.delivery(text) != row { try base.replace(text, by: row) }
        case .keepsVersion:
            var row = row
            row.verified = try base.delivery(text)?.verified ?? row.verified
            try base.replace(text, by: row)
        default: try base.replace(text, by: row)
        }
    }

    mutating func deleteDelivery(_ text: TextDigest) throws(LedgerError) {
        if fault == .ignoresDeletion { return }
        if fault == .keepsContent, let content = try base.content(text) {
            // A renewal info that is never found keeps the content.
            if case .jws(let jws) = content {
                try base.put(RenewalRow(originalID: "kept \(jws)", signedDate: .minimum, text: text), jws: jws)
            }
        }
        if fault == .dropsContent { dropped.insert(text) }
        try base.deleteDelivery(text)
    }

    // MARK: Purchases and their events

    func purchase(_ id: Purchase.ID) throws(LedgerError) -> PurchaseRow? { try base.purchase(id) }

    func purchases(ofTransaction id: String) throws(LedgerError) -> [PurchaseRow] {
        try base.purchases(ofTransaction: id)
    }

    func purchases(of user: AppUser) throws(LedgerError) -> [PurchaseRow] {
        try base.purchases(of: fault == .mixesUsers && user == .signedOut ? .noAccounts : user)
    }

    mutating func put(
        _ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp
    ) throws(LedgerError) {
        try base.put(row, fault == .cutsEvents ? Array(events.prefix(1)) : events, at: now)
    }

    func events(of user: AppUser, since id: PurchaseEvent.ID?) throws(LedgerError) -> [PurchaseEvent] {
        try base.events(of: user, since: id)
    }

    // MARK: Hand-overs

    func fulfilment(of key: PurchaseKey) throws(LedgerError) -> FulfilledAmount? {
        let amount = try base.fulfilment(of: key)
        return fault == .swapsAmount && amount == .revoked ? nil : amount
    }

    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) throws(LedgerError) {
        if fault == .forgetsThirdHandOver, try base.claim(of: key) != nil, try !base.renewals().isEmpty { return }
        try base.put(fulfilment, of: key)
    }

    func tombstone(of key: PurchaseKey) throws(LedgerError) -> ErasedPurchase? { try base.tombstone(of: key) }
    mutating func deleteTombstone(of key: PurchaseKey) throws(LedgerError) { try base.deleteTombstone(of: key) }
    func claim(of key: PurchaseKey) throws(LedgerError) -> FulfilmentClaim? { try base.claim(of: key) }

    mutating func put(_ claim: FulfilmentClaim) throws(LedgerError) {
        guard fault == .cutsClaim else { return try base.put(claim) }
        try base.put(FulfilmentClaim(key: claim.key, number: claim.number, start: claim.start, end: claim.end))
    }

    mutating func deleteClaim(of key: PurchaseKey) throws(LedgerError) {
        if fault != .keepsClaim { try base.deleteClaim(of: key) }
    }

    mutating func nextClaimNumber() throws(LedgerError) -> Int {
        switch fault {
        case .repeatsNumber: try base.nextClaimNumber() / 2
        case .restartsNumbers: try base.nextClaimNumber() / number
        default: try base.nextClaimNumber()
        }
    }

    // MARK: Renewal infos and memory

    func renewals() throws(LedgerError) -> [RenewalRow] { try base.renewals() }
    func renewal(of originalID: String) throws(LedgerError) -> RenewalRow? { try base.renewal(of: originalID) }

    mutating func put(_ renewal: RenewalRow, jws: String) throws(LedgerError) {
        if fault == .firstRenewal, try base.renewal(of: renewal.originalID) != nil { return }
        try base.put(renewal, jws: jws)
    }

    func memory() throws(LedgerError) -> LedgerMemory {
        if let delayedMemory { return delayedMemory }
        return try base.memory()
    }

    mutating func put(_ memory: LedgerMemory) throws(LedgerError) {
        var memory = memory
        if fault == .losesToken {
            memory.pending = memory.pending.map {
                PendingPurchase(productID: $0.productID, since: $0.since, account: $0.account)
            }
        }
        if delaysMemory { delayedMemory = memory } else { try base.put(memory) }
    }
}
