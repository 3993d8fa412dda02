@testable import PurchaseCore
@testable import ReceiptTypes

/// Rows that show the product's rules something else than what is stored, or store something else.
struct FaultyRows: LedgerRows {
    var base: ValueRows
    let fault: Fault
    /// What is asked of the rows.
    let request: LedgerRequest

    // MARK: Claims

    func claim(of key: PurchaseKey) throws(LedgerError) -> FulfilmentClaim? {
        let stored = base.claim(of: key)
        switch (fault, request) {
        case (.claimGrantedTwice, .step(.claim)): return stored?.aged
        case (.grantWithoutClaim, .step(.markGranted(_, _, under: let claim))): return claim
        case (.releaseEndsOtherClaim, .step(.release(let claim))): return stored == nil ? nil : claim
        case (.releasedClaimHolds, _):
            guard let stored, stored.isReleased else { return stored }
            return stored.renewed(from: Service.now, until: Service.now)
        case (.expiredClaimHolds, .step(.claim)): return stored?.renewed(from: Service.now, until: Service.now)
        default: return stored
        }
    }

    mutating func put(_ claim: FulfilmentClaim) throws(LedgerError) {
        switch fault {
        case .releaseForgetsUnanswered where claim.isReleased: base.deleteClaim(of: claim.key)
        case .takeOverForgetsUnanswered:
            base.put(FulfilmentClaim(key: claim.key, number: claim.number, start: claim.start, end: claim.end))
        default: base.put(claim)
        }
    }

    mutating func deleteClaim(of key: PurchaseKey) throws(LedgerError) { base.deleteClaim(of: key) }
    mutating func nextClaimNumber() throws(LedgerError) -> Int { base.nextClaimNumber() }

    // MARK: Deliveries

    mutating func replace(_ text: TextDigest, by row: DeliveryRow) throws(LedgerError) {
        var row = row
        switch fault {
        // A delivery has another text only if a later signature of its facts has arrived.
        case .redeliveryStartsAgain where row.text != text: row.stage = .verified
        case .reversalIgnored:
            if let stored = base.delivery(text), row.text != text { row.stage = max(row.stage, stored.stage) }
        case .unverifiedIsRecorded where row.stage == .recorded: row.verified = nil
        default: break
        }
        base.replace(text, by: row)
    }

    func digest(of text: String) throws(LedgerError) -> TextDigest { base.digest(of: text) }
    func delivery(_ text: TextDigest) throws(LedgerError) -> DeliveryRow? { base.delivery(text) }
    func deliveries() throws(LedgerError) -> [DeliveryRow] { base.deliveries() }
    func deliveries(ofVersion id: String) throws(LedgerError) -> [DeliveryRow] { base.deliveries(ofVersion: id) }
    func deliveries(of key: PurchaseKey) throws(LedgerError) -> [DeliveryRow] { base.deliveries(of: key) }
    func content(_ text: TextDigest) throws(LedgerError) -> SignedContent? { base.content(text) }
    mutating func insert(_ row: DeliveryRow, _ content: SignedContent) throws(LedgerError) { base.insert(row, content) }
    mutating func deleteDelivery(_ text: TextDigest) throws(LedgerError) { base.deleteDelivery(text) }

    // MARK: The rest

    func purchase(_ id: Purchase.ID) throws(LedgerError) -> PurchaseRow? { base.purchase(id) }
    func purchases(ofTransaction id: String) throws(LedgerError) -> [PurchaseRow] { base.purchases(ofTransaction: id) }
    func purchases(of user: AppUser) throws(LedgerError) -> [PurchaseRow] { base.purchases(of: user) }
    mutating func put(_ row: PurchaseRow, _ events: [PurchaseEvent.Kind], at now: Timestamp) throws(LedgerError) {
        base.put(row, events, at: now)
    }
    func events(of user: AppUser, since id: PurchaseEvent.ID?) throws(LedgerError) -> [PurchaseEvent] {
        base.events(of: user, since: id)
    }
    func fulfilment(of key: PurchaseKey) throws(LedgerError) -> FulfilledAmount? { base.fulfilment(of: key) }
    mutating func put(_ fulfilment: FulfilledAmount, of key: PurchaseKey) throws(LedgerError) {
        base.put(fulfilment, of: key)
    }
    func tombstone(of key: PurchaseKey) throws(LedgerError) -> ErasedPurchase? { nil }
    mutating func deleteTombstone(of key: PurchaseKey) throws(LedgerError) {}
    func renewals() throws(LedgerError) -> [RenewalRow] { base.renewals() }
    func renewal(of originalID: String) throws(LedgerError) -> RenewalRow? { base.renewal(of: originalID) }
    mutating func put(_ renewal: RenewalRow, jws: String) throws(LedgerError) { base.put(renewal, jws: jws) }
    func memory() throws(LedgerError) -> LedgerMemory { base.memory() }
    mutating func put(_ memory: LedgerMemory) throws(LedgerError) { base.put(memory) }
}
