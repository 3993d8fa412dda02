package import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a signed delivery says about itself. Its signature is not checked, so nothing may be granted because of it.
package struct UnverifiedDelivery: Sendable {
    /// The app's account that the delivery names, in comparable form; nil if it names none.
    package let account: UUIDText?
    /// The id of the first transaction of the subscription; nil if there is none.
    package let originalTransactionID: String?

    /// Decodes a delivery; one that cannot be decoded says nothing.
    package init(_ content: SignedContent) {
        let members: JSONObject?
        let accountName: String
        switch content {
        case .jws(let jws):
            members = JWSPayloadDecoder.members(of: jws).verifiedPayload
            accountName = "appAccountToken"
        case .play(let purchase):
            members = (try? DecodedJSON.value(of: Data(purchase.data.utf8)))?.object
            accountName = "obfuscatedAccountId"
        case .appReceipt:
            // It names no account, and the chain of each subscription in it is known only after its verification.
            (account, originalTransactionID) = (nil, nil)
            return
        }
        account = members?[accountName]?.text.map { UUIDText($0).lowercased }
        originalTransactionID = members?["originalTransactionId"]?.text
    }
}
