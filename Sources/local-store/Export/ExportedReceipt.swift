internal import LocalStore
internal import ReceiptTypes

/// One text that a store has signed, and whom it is about.
struct ExportedReceipt {
    enum Content {
        case jws(String)
        case play(data: String, signature: String)
    }

    /// As `verify-receipt` calls it.
    let kind: ReceiptKind
    let account: String
    var transactionID: String?
    var productID: String?
    /// What tells it from others of its kind.
    let id: String
    let content: Content

    /// The receipt with what is told beside it, as one object.
    var object: JSONObject {
        var object: JSONObject = [
            "kind": .string(kind.rawValue), "account": .string(account),
            "transactionId": StoreReport.text(transactionID), "productId": StoreReport.text(productID),
        ]
        switch content {
        case .jws(let text): object["receipt"] = .string(text)
        case .play(let data, let signature):
            object["data"] = .string(data)
            object["signature"] = .string(signature)
        }
        return object
    }

    /// The file that holds it and nothing else.
    var file: (name: String, text: String) {
        switch content {
        case .jws(let text): ("\(kind.rawValue)-\(id).jws", text + "\n")
        case .play(let data, let signature):
            (
                "\(kind.rawValue)-\(id).json",
                (["data": .string(data), "signature": .string(signature)] as JSONObject).description + "\n"
            )
        }
    }
}
