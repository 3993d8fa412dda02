public import ReceiptTypes

/// A promotional offer, signed as an app's server signs it for the device.
public struct SignedOffer: Sendable, Hashable {
    /// The id of the key that signs offers.
    public let keyID: String
    /// A value that is used once.
    public let nonce: UUIDText
    /// When it was signed.
    public let timestamp: Timestamp
    /// The signature in base64, over the fields with U+2063 between them.
    public let signature: String
    /// The same offer as compact JWS.
    public let jws: String
}
