import ReceiptTestAuthority
import ReceiptVerification

/// The sizes of the receipts in bytes. Figures are only meaningful for receipts as large as the stores'.
struct ReceiptSizes: Codable, CustomStringConvertible {
    let transaction: Int
    let headerSegment: Int
    let transactionPayload: Int
    let renewalInfo: Int
    let notification: Int
    let playPurchase: Int

    /// Measures one receipt of each kind.
    ///
    /// - Throws: ``Failure`` if one is smaller or larger than the stores' receipts.
    init(of material: Material, playKey: TestPlayKey) throws {
        let transaction = try material.authority.signer.sign(payload: Payloads.transaction(0))
        self.transaction = transaction.count
        headerSegment = transaction.prefix { $0 != UInt8(ascii: ".") }.count
        transactionPayload = Payloads.transaction(0).count
        renewalInfo = try material.authority.signer.sign(payload: Payloads.renewalInfo(0)).count
        notification = try material.notifications(1).count - 1
        playPurchase = try Material.playPurchases(1, by: playKey).count - 1
        for (name, size, range) in [
            ("a transaction", self.transaction, 5000...5400), ("its header segment", headerSegment, 4000...4400),
            ("its payload", transactionPayload, 700...900), ("a renewal info", renewalInfo, 4800...5100),
            ("a notification", notification, 17_500...18_800), ("a Play purchase", playPurchase, 700...1000),
        ] where !range.contains(size) {
            throw Failure("\(name) has \(size) bytes; those of the stores have \(range)")
        }
    }

    var description: String {
        """
        Receipts as large as the stores': transactions of \(transaction) bytes (header segment \(headerSegment), payload \
        \(transactionPayload)), renewal infos of \(renewalInfo),
        notifications of \(notification) with two receipts in each, Play purchases of \(playPurchase).
        """
    }
}
