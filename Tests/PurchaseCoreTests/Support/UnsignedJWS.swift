import Foundation
import PurchaseCore
import ReceiptTypes

/// A compact JWS with a payload and no valid signature, for a verifier that takes the platform's verdict.
enum UnsignedJWS {
    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    static func text(_ members: JSONObject) -> String { "e30.\(base64URL(members.description)).c2ln" }
}

extension SignedTransaction {
    /// Creates a delivery with an unsigned JWS of a payload.
    init(unsigned payload: JWSTransactionDecodedPayload, objection: String? = nil) {
        self.init(
            jws: UnsignedJWS.text(payload.members), transactionID: payload.transactionId ?? "",
            productID: payload.productId ?? "", objection: objection)
    }
}
