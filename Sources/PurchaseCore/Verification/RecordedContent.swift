package import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What the signed content of a recorded purchase says beyond its record.
///
/// Nothing is verified here: the records keep only content whose signature was verified.
package struct RecordedContent: Sendable, Hashable {
    /// The id of the first transaction in a chain of renewals, which the App Store calls the original one.
    package let originalTransactionID: String?
    /// The id of the order in Google Play, which support finds the purchase by; absent in test purchases.
    package let orderID: String?
    /// The end of the paid period.
    package let expiresDate: Timestamp?
    /// The reason for a refund.
    package let revocationReason: RevocationReason?

    /// Reads signed content; nil if it is malformed.
    package init?(_ content: SignedContent) {
        switch content {
        case .jws(let jws):
            let result = JWSPayloadDecoder.decode(jws, as: JWSTransactionDecodedPayload.self)
            guard let payload = result.verifiedPayload else { return nil }
            originalTransactionID = payload.originalTransactionId
            orderID = nil
            expiresDate = payload.expiresDate
            revocationReason = payload.revocationReason
        case .play(let purchase):
            guard let members = try? DecodedJSON.value(of: Data(purchase.data.utf8)).object else { return nil }
            originalTransactionID = nil
            orderID = PlayPurchase(members: members).orderId
            expiresDate = nil
            revocationReason = nil
        // It is not the content of one purchase.
        case .appReceipt: return nil
        }
    }
}
