import ReceiptTestAuthority
import ReceiptVerification

/// How large the receipts of a run are, in bytes. Figures for receipts of other sizes than the store's would mean nothing.
struct ReceiptSizes: Codable, CustomStringConvertible {
    let transaction: Int
    let headerSegment: Int
    let transactionPayload: Int
    let renewalInfo: Int
    let notification: Int
    let playPurchase: Int

    /// Looks at one receipt of each kind.
    ///
    /// - Throws: ``Failure`` where one is not as large as those that the stores sign.
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
            throw Failure("\(name) has \(size) bytes, where those of the stores have \(range)")
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
