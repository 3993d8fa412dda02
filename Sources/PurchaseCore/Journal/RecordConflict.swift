/// Why a transaction cannot be recorded beside what is.
public enum RecordConflict: String, Sendable, Hashable {
    /// Another account of the app has the purchase.
    case belongsToAnotherAccount = "belongs-to-another-account"
    /// The same id stands for a purchase of something else.
    case differentPurchase = "different-purchase"
}
