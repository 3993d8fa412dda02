public import ReceiptTypes
internal import ReceiptVerification

extension TestAppReceipt {
    /// Creates a receipt with the attributes of a payload.
    ///
    /// A member of another JSON type than the store's is encoded by its JSON type. A member without a field becomes an
    /// attribute if its name is a number; other unknown members have no place in a receipt, nor has one that is null.
    public init(_ receipt: AppReceipt) {
        self.init(attributes: Self.attributes(of: receipt.members) { AppReceiptAttribute.ofReceipt(named: $0) })
    }

    private static func attributes(
        of members: JSONObject, named find: (String) -> AppReceiptAttribute?
    ) -> [Attribute] {
        var attributes: [Attribute] = []
        for member in members.members where member.value != .null {
            if let attribute = find(member.name) {
                attributes += Self.attributes(of: member.value, attribute)
            } else if member.name == "unknownAttributes" {
                attributes += (member.value.elements ?? []).compactMap { $0.object.map(unknownAttribute) }
            } else if let number = Int64(member.name) {
                attributes.append(Attribute(number, value(of: member.value)))
            }
        }
        return attributes
    }

    /// Returns the attributes that a member stands for: one, or one for each in-app purchase.
    private static func attributes(of json: JSONValue, _ attribute: AppReceiptAttribute) -> [Attribute] {
        if attribute.encoding == .purchase, let purchases = json.elements {
            return purchases.map { Attribute(attribute.type, value(of: $0, attribute.encoding)) }
        }
        // Genuine receipts have version 2 of this attribute only.
        let version: Int64 = attribute == .opaqueValue ? 2 : 1
        return [Attribute(attribute.type, version: version, value(of: json, attribute.encoding))]
    }

    private static func unknownAttribute(_ members: JSONObject) -> Attribute {
        let attribute = UnknownReceiptAttribute(members: members)
        let value = attribute.value.map { text in Base64.standard.decode(text) ?? [UInt8](text.utf8) }
        return Attribute(attribute.type ?? 0, version: attribute.version ?? 1, .bytes(value ?? []))
    }

    /// Returns the value of a JSON value in the encoding of an attribute, or by its own type if that does not fit.
    private static func value(of json: JSONValue, _ encoding: AppReceiptAttribute.Encoding) -> Value {
        switch (encoding, json) {
        case (.date, .integer(let milliseconds)): .date(Timestamp(clamping: milliseconds))
        case (.date, .string(let text)), (.asciiText, .string(let text)): .asciiText(text)
        case (.bytes, .string(let text)): .bytes(Base64.standard.decode(text) ?? [UInt8](text.utf8))
        case (.purchase, .object(let members)):
            .attributes(attributes(of: members) { AppReceiptAttribute.ofPurchase(named: $0) })
        default: value(of: json)
        }
    }

    private static func value(of json: JSONValue) -> Value {
        switch json {
        case .integer(let number): .integer(number)
        case .boolean(let isTrue): .integer(isTrue ? 1 : 0)
        case .string(let text): .text(text)
        case .null, .decimal, .array, .object: .text("\(json)")
        }
    }
}
