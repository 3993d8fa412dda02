internal import ReceiptTypes

/// Receives the attributes of an app receipt in their order, after each was checked.
protocol AttributeSink {
    mutating func integer(_ value: Int64, of attribute: AppReceiptAttribute)
    /// - Parameter text: UTF-8 without NUL, and not empty.
    mutating func text(_ text: RawSpan, of attribute: AppReceiptAttribute)
    mutating func date(_ date: Timestamp, of attribute: AppReceiptAttribute)
    mutating func bytes(_ bytes: RawSpan, of attribute: AppReceiptAttribute)
    /// Receives an attribute whose meaning is not published.
    mutating func unknown(_ attribute: AttributeReader.Attribute, _ value: RawSpan)
    /// What follows belongs to an in-app purchase.
    mutating func beginPurchase()
    /// What follows belongs to the receipt again.
    mutating func endPurchase()
}

/// Keeps nothing: the attributes are only checked.
struct NoSink: AttributeSink {
    func integer(_ value: Int64, of attribute: AppReceiptAttribute) {}
    func text(_ text: RawSpan, of attribute: AppReceiptAttribute) {}
    func date(_ date: Timestamp, of attribute: AppReceiptAttribute) {}
    func bytes(_ bytes: RawSpan, of attribute: AppReceiptAttribute) {}
    func unknown(_ attribute: AttributeReader.Attribute, _ value: RawSpan) {}
    func beginPurchase() {}
    func endPurchase() {}
}

/// Makes the payload of an app receipt, which has the members of ``AppReceipt``.
struct PayloadSink: AttributeSink {
    private var receipt = Part()
    private var purchases: [JSONValue] = []
    /// The receipt's members while those of a purchase are collected.
    private var enclosing: Part?

    /// The members of the receipt or of a purchase.
    private struct Part {
        var members = JSONObject()
        var unknown: [JSONValue] = []
    }

    var payload: JSONObject {
        var payload = receipt.members
        payload.append(AppReceiptAttribute.inApp.name, .array(purchases))
        Self.append(receipt.unknown, to: &payload)
        return payload
    }

    mutating func integer(_ value: Int64, of attribute: AppReceiptAttribute) {
        receipt.members.append(attribute.name, .integer(value))
    }

    mutating func text(_ text: RawSpan, of attribute: AppReceiptAttribute) {
        receipt.members.append(attribute.name, .string(text.text))
    }

    mutating func date(_ date: Timestamp, of attribute: AppReceiptAttribute) {
        receipt.members.append(attribute.name, .integer(date.millisecondsSince1970))
    }

    mutating func bytes(_ bytes: RawSpan, of attribute: AppReceiptAttribute) {
        receipt.members.append(attribute.name, .string(Base64.standard.encode(bytes.array)))
    }

    mutating func unknown(_ attribute: AttributeReader.Attribute, _ value: RawSpan) {
        receipt.unknown.append(
            .object([
                "type": .integer(attribute.type), "version": .integer(attribute.version),
                "value": .string(Base64.standard.encode(value.array)),
            ]))
    }

    mutating func beginPurchase() {
        enclosing = receipt
        receipt = Part()
    }

    mutating func endPurchase() {
        var purchase = receipt.members
        Self.append(receipt.unknown, to: &purchase)
        purchases.append(.object(purchase))
        receipt = enclosing ?? Part()
        enclosing = nil
    }

    private static func append(_ unknown: [JSONValue], to object: inout JSONObject) {
        if !unknown.isEmpty { object.append("unknownAttributes", .array(unknown)) }
    }
}
