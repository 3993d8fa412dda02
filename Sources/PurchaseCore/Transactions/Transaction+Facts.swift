internal import ReceiptTypes

extension Transaction {
    /// A string that two versions of a transaction share if they differ in nothing but their signing dates.
    ///
    /// A store signs a transaction again whenever it delivers it. A ledger compares the strings byte by byte to
    /// recognize the same state under a new signature; a database can store it in a unique column.
    public var facts: String {
        var fields: [String?] = [
            id, originalID, webOrderLineItemID, productID, type.rawValue, subscriptionGroupID,
            Self.text(purchaseDate), Self.text(expiresDate), "\(quantity)", ownership.rawValue,
            Self.text(revocationDate), "\(isUpgraded)", offerType.map { "\($0.rawValue)" },
            offerPaymentMode?.rawValue, appAccountToken?.rawValue, price.map { "\($0.rawValue)" }, currency,
            environment?.rawValue, Self.text(originalPurchaseDate),
        ]
        if let play {
            // Nothing else distinguishes a cancelled Play purchase: its data has no date of the cancellation.
            fields += [
                play.orderID, "\(play.state.rawValue)", "\(play.isAcknowledged)", play.isAutoRenewing.map { "\($0)" },
                play.obfuscatedAccountID, play.obfuscatedProfileID,
            ]
            // A subscription can get other add-ons under its token.
            fields += play.otherProductIDs
        }
        // Only a partial refund has this field, so the facts of all other transactions stay as they were.
        if let refundedShare { fields.append("\(refundedShare)") }
        var text = ""
        for field in fields {
            // The length keeps two different lists of fields from producing the same string.
            if let field { text += "\(field.utf8.count):\(field);" } else { text += "-;" }
        }
        return text
    }

    private static func text(_ date: Timestamp?) -> String? { date.map { "\($0.millisecondsSince1970)" } }
}
