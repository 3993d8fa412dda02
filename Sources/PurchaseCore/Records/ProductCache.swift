public import ReceiptTypes

/// The port to products that a store has returned, for the time when it cannot be reached.
///
/// The products are those of the app and not of a user. A cached price can be out of date: show it with its age, and
/// let the store present the price at which it sells.
public protocol ProductCache: Sendable {
    /// Stores products that the store has returned; a product replaces the cached one with its id.
    func cacheProducts(_ products: [Product]) async throws(DatabaseError)

    /// Returns the cached products in the order of the bytes of their ids.
    func getCachedProducts() async throws(DatabaseError) -> [CachedProduct]

    /// Removes all products, for example because the storefront and so the prices have changed.
    func removeCachedProducts() async throws(DatabaseError)
}

/// A product with the time at which the store has returned it.
public struct CachedProduct: Sendable, Hashable {
    /// The product.
    public let product: Product
    /// The time at which the store has returned the product, by the device's clock.
    public let loadedAt: Timestamp

    /// Creates a cached product.
    public init(product: Product, loadedAt: Timestamp) {
        self.product = product
        self.loadedAt = loadedAt
    }
}
