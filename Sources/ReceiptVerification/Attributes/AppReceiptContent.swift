internal import ReceiptTypes

/// The content of an app receipt, read after its signature has verified.
///
/// It is a class so that the copies of a checked receipt share it.
final class AppReceiptContent {
    let claims: Claims
    /// Bytes that contain the attributes, and their place; the payload is made from them for the first reader.
    private let bytes: [UInt8]
    private let place: Range<Int>

    /// What the claims of a receipt are checked with.
    struct Claims {
        var receiptType: AppReceiptType?
        var bundleID: String?
        /// 0 in the sandbox.
        var appAppleID: Int64?
        /// The different product IDs of the in-app purchases, in the order of the receipt.
        var productIDs: [String] = []
        /// The text of the creation date; nil if it is absent or empty.
        var creationDate: String?
        /// The creation date; nil if its text is not a date.
        var creationTime: Timestamp?
        /// The bytes of attribute 4.
        var opaqueValue: [UInt8]?
        /// The value of attribute 2 with its identifier and length.
        var bundleIDValue: [UInt8]?
        /// The bytes of attribute 5.
        var deviceHash: [UInt8]?
    }

    /// What binds a receipt to a device: a SHA-1 over the device ID and two attributes of the receipt.
    struct DeviceBinding: Hashable {
        var opaqueValue: [UInt8]
        var bundleID: [UInt8]
        var hash: [UInt8]

        /// Returns whether the hash is that of a device.
        func isBound(to device: DeviceID) throws(CryptoFault) -> Bool {
            try HashAlgorithm.sha1.digest(of: device.bytes + opaqueValue + bundleID) == hash
        }
    }

    /// Reads the content of a container.
    ///
    /// - Parameter place: The place of the content in the bytes; all of them by default.
    init(reading bytes: [UInt8], at place: Range<Int>? = nil) throws(UnreadableAppReceipt) {
        let place = place ?? bytes.indices
        claims = try bytes.withRawSpan { (span) throws(UnreadableAppReceipt) in
            try AppReceiptReader(reading: span.extracting(place), to: NoSink()).claims
        }
        self.bytes = bytes
        self.place = place
    }

    /// The number of bytes of the attributes.
    var size: Int { place.count }

    /// Nil if the receipt has 0, which the sandbox writes.
    var appAppleID: Int64? { claims.appAppleID == 0 ? nil : claims.appAppleID }

    /// Nil unless the receipt has all that a binding needs.
    var binding: DeviceBinding? {
        guard let opaqueValue = claims.opaqueValue, let bundleID = claims.bundleIDValue, let hash = claims.deviceHash
        else { return nil }
        return DeviceBinding(opaqueValue: opaqueValue, bundleID: bundleID, hash: hash)
    }

    /// The payload as a tree, which has the members of ``AppReceipt``.
    private(set) lazy var payload: JSONObject? = Self.payload(of: bytes, at: place)

    /// The payload in its own type, whose members are made when they are first read.
    var receipt: AppReceipt {
        AppReceipt(
            DeferredMembers { [bytes, place] in
                // The same bytes were read before, so they can be read.
                Self.payload(of: bytes, at: place) ?? JSONObject()
            })
    }

    private static func payload(of bytes: [UInt8], at place: Range<Int>) -> JSONObject? {
        bytes.withRawSpan { span in
            try? AppReceiptReader(reading: span.extracting(place), to: PayloadSink()).sink.payload
        }
    }

    /// The payload as a document.
    private(set) lazy var document: JSONDocument? = payload.flatMap { payload in
        var text: [UInt8] = []
        JSONText.append(.object(payload), to: &text)
        return text.withRawSpan { try? JSONDocument(parsing: $0, maximumDepth: Self.depth) }
    }

    /// The nesting of the payload: receipt, purchases, purchase, unknown attributes, attribute.
    private static let depth = 5
}
