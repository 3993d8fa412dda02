internal import PurchaseCore
internal import ReceiptTypes

/// A purchase of a text, and the events of its change, before a ledger has given the text its digest.
struct SamplePurchase: Sendable {
    let id: Purchase.ID
    /// The text of a delivery; without one, the purchase is not put.
    var text: String
    var user: UUIDText?
    var productID = "coins"
    var purchasedAt = at(0)
    var state = 0
    var events: [PurchaseEvent.Kind] = [.completed, .verified]

    init(_ id: Purchase.ID, _ text: String, of user: UUIDText? = nil) {
        self.id = id
        self.text = text
        self.user = user
    }

    /// An id in one of four places.
    static func id(_ transactionID: String, _ number: Int = 0) -> Purchase.ID {
        let origin = Purchase.Origin.allCases[number % 2]
        return Purchase.ID(
            transactionID: transactionID, origin: origin, environment: number % 4 < 2 ? nil : .sandbox)
    }

    /// The users whose purchases are looked up.
    static let users: [AppUser] = [
        .noAccounts, .signedOut, .signedIn(UUIDText("anna")), .signedIn(UUIDText("\u{e9}")), .signedIn(UUIDText("")),
    ]

    /// A purchase with unusual values in each field, by number.
    static func unusual(_ number: Int, _ id: Purchase.ID, _ text: String) -> SamplePurchase {
        let users: [UUIDText?] = [nil, UUIDText("anna"), UUIDText("\u{e9}"), UUIDText("")]
        var purchase = SamplePurchase(id, text, of: users[number % 4])
        purchase.productID = UnusualText.all[number % UnusualText.all.count]
        purchase.purchasedAt = [at(Int64(number / 3)), .minimum, .maximum][number % 3]
        purchase.state = number
        purchase.events = Array([PurchaseEvent.Kind.revoked, .synced, .init(rawValue: "\u{e9}")].prefix(number % 4))
        return purchase
    }

    func put(in rows: inout any LedgerRows) throws(LedgerError) {
        let digest = try rows.digest(of: text)
        let other = UnusualText.all[state % UnusualText.all.count]
        guard try rows.delivery(digest) != nil,
            let purchase = Purchase(
                id: id, user: user, productID: productID, otherProductIDs: state % 2 == 0 ? [] : [other, productID],
                type: ProductType(rawValue: productID), purchasedAt: purchasedAt, quantity: 3,
                remainingQuantity: state % 4, refundedShare: [nil, 1, 66_667, 99_999][state % 4], ownership: .purchased,
                price: state % 3 == 0 ? nil : Milliunits(Int64(state)), currency: state % 3 == 0 ? nil : other,
                isRevoked: state % 2 == 1, revocationDate: state % 2 == 0 ? nil : .maximum,
                verification: state % 3 == 0 ? .unverified(.init(rawValue: other)) : .verified(key: other),
                synchronization: state % 2 == 0 ? .unsynced : .synced(at: .minimum))
        else { return }
        let row = PurchaseRow(
            purchase: purchase, text: digest, signedDate: purchasedAt, recordedAt: at(1), changedAt: at(Int64(state)))
        try rows.put(row, events, at: at(Int64(state)))
    }
}
