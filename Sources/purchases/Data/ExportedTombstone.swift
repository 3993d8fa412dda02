internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// A line of `export` that keeps the consumable of a deleted user from being granted again.
///
/// It names no purchase and no user. A forged line grants nothing; it can only keep a purchase from being granted.
struct ExportedTombstone {
    static let kind = "tombstone"

    let tombstone: Tombstone

    init(_ tombstone: Tombstone) {
        self.tombstone = tombstone
    }

    /// Reads a line; nil if it is another one.
    init?(_ line: [UInt8]) {
        guard let object = (try? JSONDocument.value(of: line))?.object, object["kind"]?.text == Self.kind,
            let key = object["key"]?.text.flatMap(SHA256Digest.init(hexadecimal:)),
            let digest = object["digest"]?.text.flatMap(SHA256Digest.init(hexadecimal:))
        else { return nil }
        let fulfilment: FulfilledAmount?
        switch object["fulfilment"]?.text.flatMap(Fulfilment.init(rawValue:)) {
        case .granted:
            guard let product = object["productId"]?.text, case .integer(let quantity)? = object["quantity"] else {
                return nil
            }
            fulfilment = .granted(productID: product, quantity: Int(clamping: quantity))
        case .revoked: fulfilment = .revoked
        case nil: fulfilment = nil
        }
        guard let tombstone = Tombstone(key: key.bytes, digest: digest.bytes, fulfilment: fulfilment) else {
            return nil
        }
        self.tombstone = tombstone
    }

    var object: JSONObject {
        var object: JSONObject = [
            "kind": .string(Self.kind), "key": .optionalString(SHA256Digest(bytes: tombstone.key)),
            "digest": .optionalString(SHA256Digest(bytes: tombstone.digest)),
        ]
        switch tombstone.fulfilment {
        case .granted(let productID, let quantity):
            object["fulfilment"] = .string(Fulfilment.granted.rawValue)
            object["productId"] = .string(productID)
            object["quantity"] = .integer(Int64(quantity))
        case .revoked: object["fulfilment"] = .string(Fulfilment.revoked.rawValue)
        case nil: object["fulfilment"] = .null
        }
        return object
    }
}
