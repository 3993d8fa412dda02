internal import ReceiptTypes

/// Reads the attributes of an app receipt and writes them as JSON.
///
/// Each known attribute must occur at most once and have its encoding; the others are kept with their bytes. What is
/// read here is signed, so a wrong value is no forgery, but a reader that guessed would show what the store has not
/// signed.
struct AppReceiptReader {
    /// The reason why the content of a receipt is rejected.
    struct Unreadable: Error {
        let code: VerificationFailure.Code
        let expected: String
        let actual: String
    }

    private var members: [UInt8] = []
    private var purchases: [UInt8] = []
    private var purchaseCount = 0
    private var unknown = UnknownAttributes()
    private var seen: Set<Int64> = []
    private var count = 0

    private var receiptType: String?
    private var bundleID: String?
    private var appAppleID: Int64?
    private var creationDate: String?
    private var productIDs: [String] = []
    private var knownProducts: Set<String> = []
    private var opaqueValue: [UInt8]?
    private var bundleIDValue: [UInt8]?
    private var deviceHash: [UInt8]?

    private init() {}

    /// Reads the content of a container.
    static func read(_ content: RawSpan) throws(Unreadable) -> AppReceiptContent {
        var reader = AppReceiptReader()
        guard let place = DER.contents(of: .set, in: content) else {
            throw .malformed("a SET of attributes in DER", "other bytes")
        }
        try reader.readReceipt(content.extracting(place))
        return try reader.finish()
    }

    // MARK: Receipt

    private mutating func readReceipt(_ set: RawSpan) throws(Unreadable) {
        var attributes = AttributeReader(set)
        while let attribute = try Self.next(&attributes, "the receipt") {
            let value = set.extracting(attribute.value)
            if attribute.type == AppReceiptAttribute.inApp.type {
                try readPurchase(value)
                continue
            }
            count += 1
            guard count <= Budget.appReceiptAttributes else {
                throw Unreadable(
                    code: .tooManyAttributes, expected: "at most \(Budget.appReceiptAttributes) attributes",
                    actual: "more attributes of the receipt")
            }
            guard let known = AppReceiptAttribute.ofReceipt(attribute.type) else {
                unknown.append(attribute, value)
                continue
            }
            guard seen.insert(known.type).inserted else { throw .duplicate(known, in: "the receipt") }
            try read(known, value)
        }
    }

    private mutating func read(_ attribute: AppReceiptAttribute, _ value: RawSpan) throws(Unreadable) {
        switch attribute {
        case .receiptType: receiptType = try AttributeValue.text(value, of: attribute)
        case .bundleID:
            bundleID = try AttributeValue.text(value, of: attribute)
            bundleIDValue = value.array
        case .appAppleID: appAppleID = try AttributeValue.integer(value, of: attribute)
        case .receiptCreationDate:
            // The date decides about the certificates, so it is checked with theirs.
            let text = try AttributeValue.asciiText(value, of: attribute)
            creationDate = text.isEmpty ? nil : text
            guard let date = Timestamp(appReceiptDate: text) else { return }
            return Self.append(attribute.name, .integer(date.millisecondsSince1970), to: &members)
        case .opaqueValue: opaqueValue = value.array
        case .deviceHash: deviceHash = value.array
        default: break
        }
        try AttributeValue.append(value, of: attribute, to: &members)
    }

    private mutating func finish() throws(Unreadable) -> AppReceiptContent {
        guard let receiptType, !receiptType.isEmpty else { throw .missing(.receiptType) }
        guard let bundleID, !bundleID.isEmpty else { throw .missing(.bundleID) }
        var json = [UInt8(ascii: "{")]
        json += members.dropFirst()
        json += [UInt8](",\"inApp\":[".utf8) + purchases.dropFirst() + [UInt8]("]".utf8)
        unknown.appendMember(to: &json)
        json.append(UInt8(ascii: "}"))
        var binding: AppReceiptContent.DeviceBinding?
        if let opaqueValue, let bundleIDValue, let deviceHash {
            binding = .init(opaqueValue: opaqueValue, bundleID: bundleIDValue, hash: deviceHash)
        }
        return AppReceiptContent(
            json: json, receiptType: AppReceiptType(rawValue: receiptType), bundleID: bundleID,
            appAppleID: appAppleID == 0 ? nil : appAppleID, productIDs: productIDs, creationDate: creationDate,
            binding: binding)
    }

    // MARK: In-app purchases

    private mutating func readPurchase(_ value: RawSpan) throws(Unreadable) {
        purchaseCount += 1
        guard purchaseCount <= Budget.appReceiptPurchases else {
            throw Unreadable(
                code: .tooManyPurchases, expected: "at most \(Budget.appReceiptPurchases) in-app purchases",
                actual: "more in-app purchases")
        }
        guard let place = DER.contents(of: .set, in: value) else {
            throw Unreadable(
                code: .attributeInvalid,
                expected: "a SET of attributes in attribute \(AppReceiptAttribute.inApp.type) (an in-app purchase)",
                actual: "other bytes")
        }
        let set = value.extracting(place)
        var attributes = AttributeReader(set)
        var unknown = UnknownAttributes()
        var seen: UInt64 = 0
        var count = 0
        let start = purchases.count
        while let attribute = try Self.next(&attributes, "an in-app purchase") {
            count += 1
            guard count <= Budget.purchaseAttributes else {
                throw Unreadable(
                    code: .tooManyAttributes, expected: "at most \(Budget.purchaseAttributes) attributes",
                    actual: "more attributes of an in-app purchase")
            }
            let value = set.extracting(attribute.value)
            guard let known = AppReceiptAttribute.ofPurchase(attribute.type) else {
                unknown.append(attribute, value)
                continue
            }
            // The types of the known attributes are less than 64 apart.
            let bit = UInt64(1) << UInt64(truncatingIfNeeded: known.type & 63)
            guard seen & bit == 0 else { throw .duplicate(known, in: "an in-app purchase") }
            seen |= bit
            if known == .productID { keepProduct(try AttributeValue.text(value, of: known)) }
            try AttributeValue.append(value, of: known, to: &purchases)
        }
        unknown.appendMember(to: &purchases)
        Self.close(&purchases, from: start)
    }

    private mutating func keepProduct(_ id: String) {
        guard !id.isEmpty, knownProducts.insert(id).inserted else { return }
        productIDs.append(id)
    }

    /// Makes an element of an array of the members from an index on, each of which follows a comma.
    private static func close(_ json: inout [UInt8], from start: Int) {
        if start < json.count {
            // ",a:1,b:2" becomes ",{a:1,b:2}".
            json.insert(UInt8(ascii: "{"), at: start + 1)
        } else {
            json += [UInt8](",{".utf8)
        }
        json.append(UInt8(ascii: "}"))
    }

    private static func next(
        _ attributes: inout AttributeReader,
        _ place: String
    ) throws(Unreadable) -> AttributeReader.Attribute? {
        switch attributes.next() {
        case .attribute(let attribute): return attribute
        case .end: return nil
        case .malformed(let offset):
            throw .malformed(
                "attributes of type, version and value in DER", "other bytes at offset \(offset) in \(place)")
        }
    }

    fileprivate static func append(_ name: String, _ value: JSONValue, to json: inout [UInt8]) {
        json.append(UInt8(ascii: ","))
        JSONText.append(name, to: &json)
        json.append(UInt8(ascii: ":"))
        JSONText.append(value, to: &json)
    }
}

extension AppReceiptReader.Unreadable {
    fileprivate static func malformed(_ expected: String, _ actual: String) -> Self {
        Self(code: .attributesMalformed, expected: expected, actual: actual)
    }

    fileprivate static func duplicate(_ attribute: AppReceiptAttribute, in place: String) -> Self {
        Self(
            code: .attributeDuplicate, expected: "attribute \(attribute.type) (\(attribute.name)) at most once",
            actual: "twice in \(place)")
    }

    fileprivate static func missing(_ attribute: AppReceiptAttribute) -> Self {
        Self(
            code: .attributeMissing, expected: "attribute \(attribute.type) (\(attribute.name))",
            actual: "no such attribute")
    }
}

// MARK: - Values

/// Reads the values of known attributes.
private enum AttributeValue {
    typealias Unreadable = AppReceiptReader.Unreadable

    /// Appends a value as a member of an object, after a comma; nothing for an empty text or date.
    static func append(
        _ value: RawSpan,
        of attribute: AppReceiptAttribute,
        to json: inout [UInt8]
    ) throws(Unreadable) {
        let member: JSONValue
        switch attribute.encoding {
        case .integer: member = .integer(try integer(value, of: attribute))
        case .bytes: member = .string(Base64.standard.encode(value.array))
        case .text, .asciiText:
            let text =
                try attribute.encoding == .text ? self.text(value, of: attribute) : asciiText(value, of: attribute)
            guard !text.isEmpty else { return }
            member = .string(text)
        case .date:
            let text = try asciiText(value, of: attribute)
            guard !text.isEmpty else { return }
            guard let date = Timestamp(appReceiptDate: text) else {
                throw invalid(attribute, "a date in RFC 3339", text)
            }
            member = .integer(date.millisecondsSince1970)
        case .purchase: return
        }
        AppReceiptReader.append(attribute.name, member, to: &json)
    }

    static func integer(_ value: RawSpan, of attribute: AppReceiptAttribute) throws(Unreadable) -> Int64 {
        switch DER.integer(in: value) {
        case .value(let number): return number
        case .tooLong: throw invalid(attribute, "an INTEGER of at most 8 bytes", "a longer one")
        case .malformed: throw invalid(attribute, "an INTEGER in DER", found(value))
        }
    }

    static func text(_ value: RawSpan, of attribute: AppReceiptAttribute) throws(Unreadable) -> String {
        guard let place = DER.contents(of: .utf8String, in: value),
            let text = value.extracting(place).validText, !text.utf8.contains(0)
        else { throw invalid(attribute, "a UTF8String in DER", found(value)) }
        return text
    }

    static func asciiText(_ value: RawSpan, of attribute: AppReceiptAttribute) throws(Unreadable) -> String {
        guard let place = DER.contents(of: .ia5String, in: value),
            let text = value.extracting(place).validText, text.utf8.allSatisfy({ 0 < $0 && $0 < 0x80 })
        else { throw invalid(attribute, "an IA5String in DER", found(value)) }
        return text
    }

    private static func invalid(_ attribute: AppReceiptAttribute, _ expected: String, _ actual: String) -> Unreadable {
        Unreadable(
            code: .attributeInvalid, expected: "\(expected) in attribute \(attribute.type) (\(attribute.name))",
            actual: actual)
    }

    /// The beginning of a value in hexadecimal.
    private static func found(_ value: RawSpan) -> String {
        guard value.byteCount > 0 else { return "no bytes" }
        let shown = 16
        let beginning = Hexadecimal.encode(value.extracting(0..<min(value.byteCount, shown)).array)
        return "\(value.byteCount) bytes, \(beginning)\(value.byteCount > shown ? "…" : "")"
    }
}

extension RawSpan {
    /// The bytes as text; nil unless they are valid UTF-8.
    fileprivate var validText: String? {
        unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
}

/// The attributes without a field, as JSON.
private struct UnknownAttributes {
    private var elements: [UInt8] = []

    mutating func append(_ attribute: AttributeReader.Attribute, _ value: RawSpan) {
        let object: JSONObject = [
            "type": .integer(attribute.type), "version": .integer(attribute.version),
            "value": .string(Base64.standard.encode(value.array)),
        ]
        elements.append(UInt8(ascii: ","))
        JSONText.append(.object(object), to: &elements)
    }

    /// Appends the attributes as a member of an object, after a comma; nothing if there are none.
    func appendMember(to json: inout [UInt8]) {
        guard !elements.isEmpty else { return }
        json += [UInt8](",\"unknownAttributes\":[".utf8)
        json += elements.dropFirst()
        json.append(UInt8(ascii: "]"))
    }
}
