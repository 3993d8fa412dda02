internal import ReceiptTypes

/// The port to the step in which the customer confirms a purchase, before the store is asked to sell.
///
/// It is a dialogue or a screen of the app. The store shows its own sheet after it.
@MainActor
public protocol PurchaseConfirming: Sendable {
    /// Shows a proposal, and returns whether the customer wants to buy.
    ///
    /// It must return when the dialogue is closed in any way. An answer after ten minutes counts as no.
    func confirm(_ proposal: PurchaseProposal) async -> Bool
}

/// A purchase that the customer is asked to confirm.
public struct PurchaseProposal: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The product with its source and its age; nil if no source has it while the store cannot be asked.
    public let item: ProductMetadata.Item?
    /// The options of the purchase, such as the quantity.
    public let options: PurchaseOptions
    /// The failure of the store when the product was loaded; nil if the store has answered.
    ///
    /// It is advice and forbids nothing: the store decides when it is asked to sell.
    public let warning: PurchaseError?

    /// Creates a proposal.
    public init(
        productID: String, item: ProductMetadata.Item?, options: PurchaseOptions = PurchaseOptions(),
        warning: PurchaseError? = nil
    ) {
        self.productID = productID
        self.item = item
        self.options = options
        self.warning = warning
    }
}

/// A confirmation that is left to the store's own sheet, for an app without a dialogue before it.
public struct ConfirmedByStore: PurchaseConfirming {
    /// Creates the confirmation.
    public nonisolated init() {}

    /// Returns true.
    public func confirm(_ proposal: PurchaseProposal) async -> Bool { true }
}
