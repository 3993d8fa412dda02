internal import ReceiptTypes

/// The JSON member names under which clients and libraries send a Google Play purchase and its signature.
enum PlayInputShape {
    private static let dataNames = [
        "data", "originalJson", "purchaseData", "INAPP_PURCHASE_DATA", "dataAndroid", "receipt", "signedData",
    ]
    private static let signatureNames = ["signature", "INAPP_DATA_SIGNATURE", "signatureAndroid"]

    /// Returns the purchase in an object that has both members under any of these names.
    ///
    /// A public key in the object is ignored: a forger could send a key that matches the forged signature.
    static func purchase(in object: JSONObject) -> ReceiptInput? {
        guard let data = text(dataNames, in: object), let signature = text(signatureNames, in: object) else {
            return nil
        }
        return .play(data: [UInt8](data.utf8), signature: [UInt8](signature.utf8))
    }

    private static func text(_ names: [String], in object: JSONObject) -> String? {
        for name in names {
            if let text = object[name]?.text { return text }
        }
        return nil
    }
}
