/// The platform of a receipt.
public enum ReceiptPlatform: String, Sendable, Hashable, CaseIterable {
    /// The App Store, whose receipts are JWS.
    case ios
    /// Google Play, whose receipts are purchase data with a signature.
    case android
}
