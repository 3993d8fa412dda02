internal import ReceiptTypes

/// The content of an app receipt, read after its signature has verified.
///
/// It is a class so that the copies of a checked receipt share it.
final class AppReceiptContent {
    /// The payload as a JSON object, which has the members of ``AppReceipt``.
    let json: [UInt8]
    let receiptType: AppReceiptType?
    let bundleID: String?
    /// Nil if the receipt has 0, which the sandbox writes.
    let appAppleID: Int64?
    /// The different product IDs of the in-app purchases, in the order of the receipt.
    let productIDs: [String]
    /// The text of the creation date; nil if it is absent or empty.
    let creationDate: String?
    let binding: DeviceBinding?

    /// What binds a receipt to a device: a SHA-1 over the device ID and two attributes of the receipt.
    struct DeviceBinding: Hashable {
        /// The bytes of attribute 4.
        var opaqueValue: [UInt8]
        /// The value of attribute 2 with its identifier and length.
        var bundleID: [UInt8]
        /// The bytes of attribute 5.
        var hash: [UInt8]

        /// Returns whether the hash is that of a device.
        func isBound(to device: DeviceID) throws(CryptoFault) -> Bool {
            try HashAlgorithm.sha1.digest(of: device.bytes + opaqueValue + bundleID) == hash
        }
    }

    /// The payload as a document, which is made for the first reader: most receipts of a batch have none.
    private(set) lazy var document = json.withRawSpan { text in
        try? JSONDocument(parsing: text, maximumDepth: Self.depth)
    }

    /// The payload as a tree.
    var payload: JSONObject? {
        guard let document else { return nil }
        return document.root.object
    }

    /// The nesting of the payload: receipt, purchases, purchase, unknown attributes, attribute.
    private static let depth = 5

    init(
        json: [UInt8], receiptType: AppReceiptType?, bundleID: String?, appAppleID: Int64?, productIDs: [String],
        creationDate: String?, binding: DeviceBinding?
    ) {
        self.json = json
        self.receiptType = receiptType
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.productIDs = productIDs
        self.creationDate = creationDate
        self.binding = binding
    }
}
