public import ReceiptTypes

/// A product that belongs to every customer with a purchase of the app before one of its versions.
///
/// An app that was sold once and later became free with in-app purchases keeps its first customers so:
///
/// ```swift
/// let catalog = TemplatePriceCatalog(
///     version: 4, proProductIDs: ["com.example.pro"],
///     grandfathered: [GrandfatheredProduct("com.example.pro", before: AppVersion(3))])
/// ```
///
/// The version is that of the customer's app receipt, see ``AppPurchase/originalAppVersion``: on iOS the build number,
/// on macOS the version. In the sandbox it is always `1.0`, so there the product is granted to every tester whose
/// receipt was restored. A receipt whose version is missing or no ``AppVersion`` grants nothing, nor does one of a
/// volume purchase that is over.
public struct GrandfatheredProduct: Sendable, Hashable, Codable {
    /// The id of the product, which the catalog maps to entitlements; it need not be sold.
    public let productID: String
    /// The first version of the app that no longer has the product.
    public let beforeVersion: AppVersion

    /// Creates a rule.
    public init(_ productID: String, before version: AppVersion) {
        self.productID = productID
        beforeVersion = version
    }

    /// Returns whether a customer owns the product at an instant because of the purchase of the app.
    public func isGranted(by app: AppPurchase, at now: Timestamp) -> Bool {
        if let end = app.expirationDate, end < now { return false }
        guard let version = app.originalAppVersion.flatMap({ AppVersion($0) }) else { return false }
        return version < beforeVersion
    }
}

extension TemplatePriceCatalog {
    /// Returns the purchases that the customer's purchases of the app stand for at an instant.
    func purchases(grantedBy appPurchases: [AppPurchase], at now: Timestamp) -> [Transaction] {
        appPurchases.flatMap { app in
            grandfathered.filter { $0.isGranted(by: app, at: now) }.map { Transaction(app, granting: $0.productID) }
        }
    }
}
