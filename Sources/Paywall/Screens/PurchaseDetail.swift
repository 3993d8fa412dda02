public import PurchaseCore
internal import ReceiptTypes

/// Everything about one purchase that a customer and support need.
public struct PurchaseDetail: Sendable, Hashable, Identifiable {
    /// A line of the screen: a label and a value.
    public struct Field: Sendable, Hashable, Identifiable {
        /// What a line is about.
        public enum Name: String, Sendable, Hashable, CaseIterable {
            /// The last known name of the product.
            case product
            /// The kind of the product.
            case kind
            /// What has become of the purchase.
            case state
            /// The date on which the customer was charged.
            case purchased
            /// The price that was paid.
            case price
            /// The number of items, if it is more than one.
            case quantity
            /// The end of the period, paid or free.
            case periodEnds = "period-ends"
            /// Whether the customer bought the product or a family member shares it.
            case ownership
            /// The date of a refund.
            case refunded
            /// The reason for a refund.
            case refundReason = "refund-reason"
            /// Whether the signature is verified.
            case verification
            /// The id of the transaction in the App Store.
            case transaction
            /// The id of the first transaction of a subscription.
            case originalTransaction = "original-transaction"
            /// The id of the order in Google Play.
            case order
            /// The store, and its environment.
            case store
        }

        /// What the line is about.
        public let id: Name
        /// The label in the customer's language.
        public let label: String
        /// The value in the customer's language.
        public let value: String
    }

    /// The purchase as a row of the history.
    public let item: PurchaseItem
    /// The lines in the order of display; one without a value is left out.
    public let fields: [Field]
    /// The id that support finds the purchase by: the order in Google Play, otherwise the transaction.
    ///
    /// Nil for a purchase in Google Play without an order. Its transaction id is the purchase token, which is not
    /// shown.
    public let reference: String?
    /// The label of the button that contacts support; nil unless the signature of the purchase is not valid.
    ///
    /// Attach ``PurchaseHistoryViewModel/supportLog(for:)``. Offer no retry: the signature stays what it is.
    public let contactSupport: String?

    /// The identity of the purchase.
    public var id: Purchase.ID { item.id }
    /// The reference with an ellipsis in place of its middle, for a narrow row; a short one stays whole.
    public var shortReference: String? {
        reference.map { $0.count > 12 ? "\($0.prefix(4))…\($0.suffix(6))" : $0 }
    }

    /// Returns the value of a line; nil if the purchase has none.
    public func value(_ name: Field.Name) -> String? { fields.first { $0.id == name }?.value }

    init(_ purchase: Purchase, _ item: PurchaseItem, _ content: RecordedContent?, _ texts: PaywallTexts) {
        self.item = item
        let isPlay = purchase.id.origin == .googlePlay
        reference = isPlay ? content?.orderID : purchase.id.transactionID
        contactSupport = item.offersSupport ? texts.text(DetailMessage.contactSupport) : nil
        let original = content?.originalTransactionID
        let isShared = purchase.ownership == .familyShared
        let values: [(Field.Name, DetailMessage, String?)] = [
            (.product, .labelProduct, item.name),
            (.kind, .labelKind, item.kind),
            (.state, .labelState, item.state),
            (.purchased, .labelPurchased, texts.day(of: purchase.purchasedAt)),
            (.price, .labelPrice, item.price),
            (.quantity, .labelQuantity, purchase.quantity > 1 ? "\(purchase.quantity)" : nil),
            // A refund has ended the period before its date.
            (.periodEnds, .labelPeriodEnds, purchase.isRevoked ? nil : content?.expiresDate.map(texts.day)),
            (.ownership, .labelOwnership, texts.text(isShared ? DetailMessage.shared : .owned)),
            (.refunded, .labelRefunded, isShared ? nil : purchase.revocationDate.map(texts.day)),
            (.refundReason, .labelRefundReason, isShared ? nil : content?.revocationReason.map(texts.reason)),
            (
                .verification, .labelVerification,
                texts.text(purchase.isVerified ? DetailMessage.verified : .unverified)
            ),
            (.transaction, .labelTransaction, isPlay ? nil : purchase.id.transactionID),
            (
                .originalTransaction, .labelOriginalTransaction,
                original.flatMap { $0.isIdentical(to: purchase.id.transactionID) ? nil : $0 }
            ),
            (.order, .labelOrder, content?.orderID),
            (.store, .labelStore, purchase.storeName),
        ]
        fields = values.compactMap { name, label, value in
            value.map { Field(id: name, label: texts.text(label), value: $0) }
        }
    }
}

extension PaywallTexts {
    fileprivate func reason(_ reason: RevocationReason) -> String {
        text(reason == .issue ? DetailMessage.reasonIssue : .reasonOther)
    }
}

extension Purchase {
    /// The store, with the environment unless that is the production one.
    fileprivate var storeName: String {
        let store = id.origin == .googlePlay ? "Google Play" : "App Store"
        guard let environment = id.environment, environment != .production else { return store }
        return "\(store) (\(environment.rawValue))"
    }
}
