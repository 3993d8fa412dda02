@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// What is signed in an app receipt: its attributes are read as a second reader reads them, and nothing else is.
final class AttributesTarget: FuzzTarget {
    static let name = "attributes"
    static let summary = "attributes of app receipts, compared with a second reader"
    static let maximumLength = 4096

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        VectorSeeds.contents(in: "attributes") + VectorSeeds.contents(in: "claims")
    }

    func run(_ input: [UInt8]) throws {
        guard let receipt = try? AppReceiptContent(reading: input) else { return }
        let attributes = must(PlainAttributes(input)?.list, "attributes that a second reader rejects")
        let payload = must(receipt.payload, "the attributes are not written as JSON")
        requireEqual(AppReceipt.schema.firstMismatch(in: payload)?.path, nil, "a member of a wrong type")
        for name in Set(payload.members.map(\.name)) {
            requireEqual(payload.members.count { $0.name == name }, 1, "the members \(name)")
        }
        checkKnown(attributes, payload, { AppReceiptAttribute.ofReceipt($0) })
        requireEqual(receipt.claims.bundleID, payload["bundleId"]?.text, "the bundle ID")
        requireEqual(receipt.claims.receiptType?.rawValue, payload["receiptType"]?.text, "the receipt type")
        let purchases = attributes.filter { $0.type == AppReceiptAttribute.inApp.type }
        let read = payload["inApp"]?.elements?.compactMap(\.object) ?? []
        requireEqual(read.count, purchases.count, "the number of purchases")
        for (purchase, members) in zip(purchases, read) {
            let attributes = must(PlainAttributes(purchase.value)?.list, "a purchase that a second reader rejects")
            checkKnown(attributes, members, { AppReceiptAttribute.ofPurchase($0) })
        }
        for line in AppReceipt.schema.listing(of: payload) {
            requireHarmless(line.name + line.text, "a listing contains a control character")
        }
    }

    /// Checks that each known attribute stands once, with its value, and that the others are kept in their order.
    private func checkKnown(
        _ attributes: [PlainAttributes.Attribute],
        _ members: JSONObject,
        _ find: (Int64) -> AppReceiptAttribute?
    ) {
        var unknown: [[String]] = []
        var seen: Set<Int64> = []
        for attribute in attributes where attribute.type != AppReceiptAttribute.inApp.type || find(17) == nil {
            guard let known = find(attribute.type) else {
                unknown.append([
                    "\(attribute.type)", "\(attribute.version)",
                    String(decoding: PlainBase64.standard.encode(attribute.value), as: UTF8.self),
                ])
                continue
            }
            require(seen.insert(known.type).inserted, "accepted with two attributes \(known.type)")
            let member = members[known.name]
            switch known.encoding {
            case .integer: requireEqual(member?.integer, PlainAttributes.integer(attribute.value), known.name)
            case .text: checkText(member, PlainAttributes.text(attribute.value, 0x0C), known.name)
            case .asciiText: checkText(member, PlainAttributes.text(attribute.value, 0x16), known.name)
            case .date:
                let text = must(PlainAttributes.text(attribute.value, 0x16), "\(known.name) that is no text")
                require(member != nil || text.isEmpty || known == .receiptCreationDate, "\(known.name) was lost")
            case .bytes:
                let text = String(decoding: PlainBase64.standard.encode(attribute.value), as: UTF8.self)
                requireEqual(member?.text, text, known.name)
            case .purchase: break
            }
        }
        let kept = (members["unknownAttributes"]?.elements ?? []).compactMap(\.object).map { object in
            [
                "\(object["type"]?.integer ?? 0)", "\(object["version"]?.integer ?? 0)", object["value"]?.text ?? "",
            ]
        }
        requireEqual(kept, unknown, "the unknown attributes")
    }

    private func checkText(_ member: JSONValue?, _ text: String?, _ name: String) {
        let text = must(text, "\(name) that is no text")
        require((member?.text ?? "").isIdentical(to: text), "\(name) with another text")
    }
}
