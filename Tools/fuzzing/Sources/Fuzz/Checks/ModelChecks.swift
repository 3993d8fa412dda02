@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Properties of the payload models for any JSON object.
enum ModelChecks {
    /// Checks an object as a payload of a kind: two searches for a claim of the wrong type agree, and if they find
    /// none, every field can be read.
    static func check(_ object: JSONObject, _ node: borrowing JSONNode, _ kind: ReceiptKind) {
        let schema = kind.schema
        let mismatch = schema.firstMismatch(in: object)
        requireEqual(schema.firstMismatch(in: node), mismatch, "the first claim of a wrong type")
        for line in schema.listing(of: object) {
            requireHarmless(line.name + line.text, "a listing contains a control character")
        }
        switch kind {
        case .transaction: read(JWSTransactionDecodedPayload(members: object), isFitting: mismatch == nil)
        case .renewalInfo: read(JWSRenewalInfoDecodedPayload(members: object), isFitting: mismatch == nil)
        case .notification: read(ResponseBodyV2DecodedPayload(members: object), isFitting: mismatch == nil)
        case .appTransaction: read(JWSAppTransactionDecodedPayload(members: object), isFitting: mismatch == nil)
        case .realtimeRequest: read(DecodedRealtimeRequestBody(members: object), isFitting: mismatch == nil)
        case .playPurchase: read(PlayPurchase(members: object), isFitting: mismatch == nil)
        case .appReceipt: read(AppReceipt(members: object), isFitting: mismatch == nil)
        }
    }

    /// Checks that members are found by name, in the document and in the tree.
    static func checkMembers(of object: JSONObject, _ node: borrowing JSONNode) {
        requireEqual(node.count, object.members.count, "the number of members")
        for member in object.members {
            require(object[member.name] == member.value, "a member is not found by its name")
            require(node.member(named: member.name)?.value == member.value, "a member is not found in the document")
        }
    }

    private static func read<Model: PayloadModel>(_ model: Model, isFitting: Bool) {
        for child in Mirror(reflecting: Model.fields).children {
            guard let field = child.value as? any ReadableField else { continue }
            field.check(model.members, isFitting: isFitting)
        }
        require(model.unknownMembers.allSatisfy { Model.schema[$0.name] == nil }, "a known member is listed as unknown")
        requireEqual(Model(json: model.json)?.members, model.members, "a model, written and read back")
    }
}

/// A field of any type.
private protocol ReadableField {
    func check(_ members: JSONObject, isFitting: Bool)
}

extension Field: ReadableField {
    fileprivate func check(_ members: JSONObject, isFitting: Bool) {
        guard let json = members[name], json != .null else { return }
        guard let value = Value(json: json) else {
            require(!isFitting, "\(name) has the right type but cannot be read: \(json)")
            return
        }
        // The value is compared and not its JSON, because times are truncated to milliseconds.
        requireEqual(Value(json: value.json), value, "\(name), written and read back")
        requireHarmless(value.displayText, "\(name) is displayed with a control character")
    }
}

/// Properties of dates and amounts for any value.
enum ValueChecks {
    static func check(_ value: JSONValue) {
        switch value {
        case .integer(let number): check(number)
        case .decimal(let number): if let time = Timestamp(decimalMilliseconds: number) { check(time) }
        case .string(let text):
            if let time = Timestamp(rfc3339: text) { check(time) }
            _ = UUIDText(text).isUUID
        case .array(let elements): for element in elements { check(element) }
        case .object(let object): for member in object.members { check(member.value) }
        case .null, .boolean: break
        }
    }

    private static func check(_ number: Int64) {
        if let time = Timestamp(milliseconds: number) { check(time) }
        let parts = Milliunits(number).description.split(separator: ".")
        let places = (parts.last ?? "") + String(repeating: "0", count: 3 - (parts.last?.count ?? 0))
        requireEqual(Int64((parts.first ?? "") + places), number, "the description of an amount")
    }

    private static func check(_ time: Timestamp) {
        requireEqual(Timestamp(rfc3339: time.description), time, "a time, written and read back")
    }
}
