public import ReceiptTypes

/// The customer's first purchase or download of the app itself, which an app receipt and an app transaction have.
///
/// A catalog can grant products for it, see ``GrandfatheredProduct``.
public struct AppPurchase: Sendable, Hashable, Identifiable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The version of the app that the customer first obtained; nil if the receipt has none.
    ///
    /// On macOS, it is the app's `CFBundleShortVersionString`; on iOS, its build number (`CFBundleVersion`). In the
    /// sandbox, it is always `1.0`.
    public let originalAppVersion: String?
    /// The time at which the customer first obtained the app.
    public let originalPurchaseDate: Timestamp
    /// The store environment that the receipt comes from.
    public let environment: StoreEnvironment?
    /// The time at which the app's licence of a volume purchase ends; nil for every other purchase.
    public let expirationDate: Timestamp?
    /// The time at which the store signed this, which is when it created the receipt.
    public let signedDate: Timestamp

    /// Creates an app purchase.
    public init(
        bundleID: String, originalAppVersion: String?, originalPurchaseDate: Timestamp,
        environment: StoreEnvironment? = nil, expirationDate: Timestamp? = nil, signedDate: Timestamp
    ) {
        self.bundleID = bundleID
        self.originalAppVersion = originalAppVersion
        self.originalPurchaseDate = originalPurchaseDate
        self.environment = environment
        self.expirationDate = expirationDate
        self.signedDate = signedDate
    }

    /// Reads a verified app receipt; nil if it lacks the bundle id or every date.
    public init?(_ receipt: AppReceipt) {
        guard let bundleID = receipt.bundleId, !bundleID.isEmpty,
            let signedDate = receipt.receiptCreationDate ?? receipt.originalPurchaseDate
        else { return nil }
        self.init(
            bundleID: bundleID, originalAppVersion: receipt.originalApplicationVersion,
            originalPurchaseDate: receipt.originalPurchaseDate ?? signedDate, environment: receipt.environment,
            expirationDate: receipt.expirationDate, signedDate: signedDate)
    }

    /// A string that all app receipts of a customer for one app share.
    public var id: String { "app \(bundleID) \(originalPurchaseDate.millisecondsSince1970)" }

    /// Returns the id under which a ledger records an app receipt or an app transaction.
    ///
    /// An app transaction has no in-app purchases, so it does not take the place of a receipt.
    func recordID(isAppTransaction: Bool) -> String { isAppTransaction ? "\(id) transaction" : id }
}

extension AppReceipt {
    /// Creates the receipt that says the same about the app as an app transaction, without in-app purchases.
    package init(_ transaction: JWSAppTransactionDecodedPayload) {
        self.init()
        self.bundleId = transaction.bundleId
        self.originalApplicationVersion = transaction.originalApplicationVersion
        self.receiptCreationDate = transaction.receiptCreationDate
        self.originalPurchaseDate = transaction.originalPurchaseDate
        self.receiptType = transaction.receiptType.map { AppReceiptType($0) }
    }
}
