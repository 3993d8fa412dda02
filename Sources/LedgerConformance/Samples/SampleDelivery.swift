internal import PurchaseCore
internal import ReceiptTypes

/// A delivery with its signed content, before a ledger has given its texts their digests.
struct SampleDelivery: Sendable {
    /// What a verified delivery is found by.
    struct Verified: Sendable {
        var versionID = "1"
        var purchase = PurchaseKey.transaction(id: "1")
        var facts = "facts"
    }

    var content: SignedContent
    var transactionID = "1"
    var productID = "coins"
    var objection: String?
    var source = DeliverySource.update
    var observedAt = at(0)
    var stage = DeliveryStage.observed
    var quarantineReason: VerificationFailure.Code?
    var account: UUIDText?
    var verified: Verified?

    init(_ content: SignedContent, _ stage: DeliveryStage = .observed, _ verified: Verified? = nil) {
        self.content = content
        self.stage = stage
        self.verified = verified
    }

    init(_ jws: String, _ stage: DeliveryStage = .observed, _ verified: Verified? = nil) {
        self.init(.jws(jws), stage, verified)
    }

    /// The text that identifies the delivery.
    var text: String {
        switch content {
        case .jws(let jws): jws
        case .play(let purchase): purchase.json
        case .appReceipt(let receipt): receipt.base64
        }
    }

    /// Returns the row of the delivery in a ledger.
    func row(in rows: any LedgerRows) throws(LedgerError) -> DeliveryRow {
        let isPlay = if case .play = content { true } else { false }
        var row = DeliveryRow(
            text: try rows.digest(of: text), isPlay: isPlay, transactionID: transactionID, productID: productID,
            objection: objection, source: source, observedAt: observedAt, stage: stage,
            quarantineReason: quarantineReason, account: account)
        if let verified {
            row.verified = DeliveryRow.Verified(
                versionID: verified.versionID, commonFacts: try rows.digest(of: "common \(verified.facts)"),
                purchase: verified.purchase.description, facts: try rows.digest(of: verified.facts),
                signedDate: observedAt)
        }
        return row
    }
}
