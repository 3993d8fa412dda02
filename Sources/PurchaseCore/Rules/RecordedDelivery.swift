internal import ReceiptTypes

/// A delivery with the transaction that it was verified to be, compared by its signed text.
///
/// A class, so that a machine and an effect that refer to one hold no copy of its many fields.
package final class RecordedDelivery: Sendable {
    package let signed: SignedTransaction
    package let transaction: Transaction
    /// The ``Transaction/facts``, which another signature of the same state shares.
    package let facts: ExactString
    /// The identity of the purchase.
    package let key: PurchaseKey

    package init(_ signed: SignedTransaction, _ transaction: Transaction) {
        self.signed = signed
        self.transaction = transaction
        facts = ExactString(transaction.facts)
        key = transaction.purchaseKey
    }
}

extension RecordedDelivery: Hashable {
    package static func == (left: RecordedDelivery, right: RecordedDelivery) -> Bool {
        left === right
            || left.signed.signedText.isIdentical(to: right.signed.signedText) && left.facts == right.facts
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(signed.signedText) }
}
