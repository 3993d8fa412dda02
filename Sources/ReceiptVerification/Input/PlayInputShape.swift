internal import ReceiptTypes

/// The JSON member names under which clients and libraries send a Google Play purchase and its signature.
enum PlayInputShape {
    /// The two parts of a purchase.
    enum Part {
        case data
        case signature
    }

    private static let dataNames = [
        "data", "originalJson", "purchaseData", "INAPP_PURCHASE_DATA", "dataAndroid", "receipt", "signedData", "json",
    ]
    /// The names of signatures, and the name that belongs to each and takes precedence among those of the data.
    private static let signatureNames = [
        ("signature", "data"), ("INAPP_DATA_SIGNATURE", "INAPP_PURCHASE_DATA"), ("signatureAndroid", "dataAndroid"),
        ("dataSignature", "purchaseData"),
    ]
    private static let parts = Dictionary(
        (dataNames.map { ([UInt8]($0.utf8), Part.data) } + signatureNames.map { ([UInt8]($0.0.utf8), Part.signature) }),
        uniquingKeysWith: { first, _ in first })

    /// Returns the part of a purchase that a member has under a name; nil if the name is another one.
    static func part(named name: [UInt8]) -> Part? { parts[name] }

    /// Returns the purchases in an object, one for each signature.
    ///
    /// A public key in the object is ignored: a forger could send a key that matches the forged signature. A string
    /// that is a receipt of another format is not the data of a purchase.
    static func purchases(in object: JSONObject) -> [ReceiptInput] {
        var purchases: [ReceiptInput] = []
        for (signatureName, dataName) in signatureNames {
            guard let signature = object[signatureName]?.text, let data = data(preferring: dataName, in: object)
            else { continue }
            let purchase = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](signature.utf8))
            // The same purchase under the names of two libraries is one receipt.
            if !purchases.contains(purchase) { purchases.append(purchase) }
        }
        return purchases
    }

    /// Returns whether an object has the data of a purchase as an object, from which the signed text cannot be made
    /// again.
    static func isDecoded(in object: JSONObject) -> Bool {
        signatureNames.contains { object[$0.0]?.text != nil }
            && dataNames.contains { object[$0]?.object.map(isPurchase) ?? false }
    }

    /// Returns whether an object is what Google Play signs.
    static func isPurchase(_ object: JSONObject) -> Bool {
        ["packageName", "purchaseToken", "purchaseTime"].allSatisfy { object[$0] != nil }
    }

    private static func data(preferring name: String, in object: JSONObject) -> String? {
        for name in [name] + dataNames {
            if let text = object[name]?.text, InputDetector.receipts(inString: text).isEmpty { return text }
        }
        return nil
    }
}
