#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An app receipt (`appStoreReceiptURL`), or an app transaction (StoreKit's `AppTransaction`), signed by the store.
public struct SignedAppReceipt: Sendable, Hashable {
    /// The receipt in base64; of an app transaction, the compact JWS.
    public let base64: String

    /// Whether this is an app transaction. No base64 has a full stop, which separates the parts of a JWS.
    public var isAppTransaction: Bool { base64.utf8.contains(UInt8(ascii: ".")) }

    /// Creates a receipt from its base64, which is kept as it is.
    public init(base64: String) {
        self.base64 = base64
    }

    /// Creates a receipt from the bytes of the receipt file, or from the bytes of its base64.
    public init(_ bytes: [UInt8]) {
        // DER and BER begin with the tag of a SEQUENCE, base64 of it with an M.
        if bytes.first == 0x30 {
            base64 = Data(bytes).base64EncodedString()
        } else if let der = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters), der.first == 0x30 {
            // One spelling for each receipt, because a ledger recognizes it by its text.
            base64 = der.base64EncodedString()
        } else {
            base64 = String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// An app transaction as the store delivers it: the customer's purchase or download of the app itself.
public struct SignedAppTransaction: Sendable, Hashable {
    /// The compact JWS (StoreKit's `jwsRepresentation`).
    public let jws: String
    /// The reason that the store itself rejects the app transaction, for example because it was made for another
    /// device; nil if it accepts it or does not check.
    public let objection: String?

    /// Creates an app transaction.
    public init(jws: String, objection: String? = nil) {
        self.jws = jws
        self.objection = objection
    }
}
