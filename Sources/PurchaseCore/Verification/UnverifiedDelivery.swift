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

extension SignedTransaction {
    /// Returns whether another delivery of the transaction has the same ``Transaction/facts``, under any signature.
    ///
    /// The signatures are not checked.
    package func isSameVersion(as other: SignedTransaction) -> Bool {
        guard transactionID.isIdentical(to: other.transactionID) else { return false }
        if signedText.isIdentical(to: other.signedText) { return true }
        guard let payload = statedPayload, let otherPayload = other.statedPayload,
            let facts = Transaction(payload)?.facts, let otherFacts = Transaction(otherPayload)?.facts
        else { return false }
        return facts.isIdentical(to: otherFacts)
    }

    /// The signing date that the JWS states, not verified; nil if it states none.
    package var statedSigningDate: Timestamp? { statedPayload?.signedDate }

    private var statedPayload: JWSTransactionDecodedPayload? {
        guard case .jws(let jws) = content else { return nil }
        return JWSPayloadDecoder.members(of: jws).verifiedPayload.map { JWSTransactionDecodedPayload(members: $0) }
    }
}
