package import ReceiptTypes

/// The certificates under which a receipt is signed, in the forms that results need.
///
/// All receipts of one signer share the object, so the text for the rows of a batch is made once for each signer.
final class SignerFacts {
    let anchor: ReceiptReport.Anchor
    let leaf: ReceiptReport.Leaf
    /// The time in which all certificates of the chain are valid; nil if there is none.
    let validity: ClosedRange<Timestamp>?

    init(anchor: ReceiptReport.Anchor, leaf: ReceiptReport.Leaf, validity: ClosedRange<Timestamp>?) {
        self.anchor = anchor
        self.leaf = leaf
        self.validity = validity
    }

    /// The members `anchor` and `leaf` of a JSON object, with a comma before each.
    private(set) lazy var jsonMembers: [UInt8] = {
        let object: JSONObject = ["anchor": anchor.json, "leaf": leaf.json]
        return object.members.flatMap { member in
            var text = [UInt8](",".utf8)
            JSONText.append(member.name, to: &text)
            text.append(UInt8(ascii: ":"))
            JSONText.append(member.value, to: &text)
            return text
        }
    }()

    /// The fingerprints of the root and of the leaf in hexadecimal.
    private(set) lazy var fingerprints = (
        anchor: anchor.fingerprint.description, leaf: leaf.fingerprint.description
    )

    /// The same members of a receipt without a verified signer.
    static let absentMembers = [UInt8](",\"anchor\":null,\"leaf\":null".utf8)
}

extension ReceiptReport.Anchor {
    /// The anchor as a JSON object.
    package var json: JSONValue {
        .object([
            "subject": .string(subject), "sha256": .string(fingerprint.description),
            "builtIn": .boolean(isBuiltIn),
        ])
    }
}

extension ReceiptReport.Leaf {
    /// The leaf as a JSON object.
    package var json: JSONValue {
        .object(["serialNumber": .string(serialNumber), "sha256": .string(fingerprint.description)])
    }
}
