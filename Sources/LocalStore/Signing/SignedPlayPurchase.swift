/// A purchase in the form of Google Play: the data as JSON, and the signature over it.
public struct SignedPlayPurchase: Sendable, Hashable {
    /// The purchase data, which verifies byte for byte as it is.
    public let data: String
    /// The signature in base64.
    public let signature: String
}
