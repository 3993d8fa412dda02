public import PurchaseCore
internal import ReceiptTypes
import SQLite

/// The products of the app in a ``PurchaseDatabase``, for the time when the store cannot be reached.
///
/// A row that another program has changed, for example with another price, is not returned and is reported to the
/// database's `onDamage`.
public struct DatabaseProducts: ProductCache {
    /// The database of the products.
    public let database: PurchaseDatabase
    private let environment: PurchaseEnvironment

    /// Creates a cache; the clock of the environment gives the ages of the products.
    public init(_ database: PurchaseDatabase, environment: PurchaseEnvironment = .system) {
        self.database = database
        self.environment = environment
    }

    /// Stores products that the store has returned; a product replaces the cached one with its id.
    public func cacheProducts(_ products: [Product]) async throws(DatabaseError) {
        let now = environment.clock()
        try await database.write { (database) throws(DatabaseError) in
            for product in products {
                try database.connection.execute(
                    "DELETE FROM cached_products WHERE product_id = ?", [.text(product.id)])
                try database.insert(
                    [.text(product.id), .integer(now.millisecondsSince1970)], content: product.fields.bytes,
                    into: Self.table)
            }
        }
    }

    /// Returns the cached products in the order of the bytes of their ids.
    public func getCachedProducts() async throws(DatabaseError) -> [CachedProduct] {
        try await database.read { (database) throws(DatabaseError) in
            try Self.table.rows(
                "ORDER BY product_id", in: database.connection, database.key,
                onDamage: { database.report(Self.table.name, $0) }, make: CachedProduct.init)
        }
    }

    /// Removes all products, for example because the storefront and so the prices have changed.
    public func removeCachedProducts() async throws(DatabaseError) {
        try await database.write { (database) throws(DatabaseError) in
            try database.connection.execute("DELETE FROM cached_products")
            return ()
        }
    }

    static let table = SealedTable("cached_products", ["product_id", "loaded_at"])
}

extension CachedProduct {
    /// Reads a row; nil if a value is not one that this version writes.
    fileprivate init?(_ columns: FieldReader, _ content: RawSpan) {
        var columns = columns
        guard let id = columns.text(), let loadedAt = columns.timestamp(),
            let product = content.readFields(of: Product.fieldsName, Product.init), product.id.isIdentical(to: id)
        else { return nil }
        self.init(product: product, loadedAt: loadedAt)
    }
}
