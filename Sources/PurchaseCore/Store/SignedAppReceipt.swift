#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An app receipt (`appStoreReceiptURL`), which the store has signed.
public struct SignedAppReceipt: Sendable, Hashable {
    /// The receipt in base64.
    public let base64: String

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
            // One spelling for each receipt, because a journal recognizes it by its text.
            base64 = der.base64EncodedString()
        } else {
            base64 = String(decoding: bytes, as: UTF8.self)
        }
    }
}
