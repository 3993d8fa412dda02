public import ReceiptTypes

extension VerificationFailure.Code {
    /// The store itself does not believe in the transaction, whatever its signature says.
    public static let storeObjection = Self(rawValue: "store-objection")
    /// The payload is genuine and lacks what no purchase can lack.
    public static let transactionIncomplete = Self(rawValue: "transaction-incomplete")
    /// The transaction is genuine and belongs to another account of the app.
    public static let accountMismatch = Self(rawValue: "account-mismatch")
    /// The transaction is genuine and has the id of another purchase.
    public static let transactionConflict = Self(rawValue: "transaction-conflict")
}

extension RecordConflict {
    /// The conflict as a verdict.
    var failure: VerificationFailure {
        switch self {
        case .belongsToAnotherAccount: VerificationFailure(code: .accountMismatch)
        case .differentPurchase: VerificationFailure(code: .transactionConflict)
        }
    }
}
