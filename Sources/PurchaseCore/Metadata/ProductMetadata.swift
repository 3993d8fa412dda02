internal import ReceiptTypes

/// The answer of a ``PurchaseRepository``: products, the source and the age of each, and what is missing.
public struct ProductMetadata: Sendable, Hashable {
    /// The source of a product.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// The store, in this session.
        case store
        /// The secondary ``OfferingsDocument``, because the store has failed.
        case offerings
        /// The ``ProductCache``, because the store has failed.
        case cache
    }

    /// A product with its source and its age.
    public struct Item: Sendable, Hashable {
        /// The product.
        public let product: Product
        /// The source of the product.
        public let source: Source
        /// The milliseconds since the store returned the product; nil if the product is from an offerings document.
        public let ageMilliseconds: Int64?

        /// Creates an item.
        public init(product: Product, source: Source, ageMilliseconds: Int64?) {
            self.product = product
            self.source = source
            self.ageMilliseconds = ageMilliseconds
        }
    }

    /// The products that were found, in the order of the requested ids.
    public let items: [Item]
    /// The ids that no source has and that the store has not answered about.
    public let missing: [String]
    /// The ids that the store does not sell.
    public let unknown: [String]
    /// The failure of the store; nil if it has answered about every product.
    ///
    /// Show the products all the same, with a warning that they can be out of date.
    public let error: PurchaseError?
    /// The failures of the other sources: an offerings document that is wrong, a cache that cannot be read or written.
    public let warnings: [PurchaseError]

    /// Creates metadata.
    public init(
        items: [Item], missing: [String] = [], unknown: [String] = [], error: PurchaseError? = nil,
        warnings: [PurchaseError] = []
    ) {
        self.items = items
        self.missing = missing
        self.unknown = unknown
        self.error = error
        self.warnings = warnings
    }

    /// The products, in the order of the requested ids.
    public var products: [Product] { items.map(\.product) }
}
