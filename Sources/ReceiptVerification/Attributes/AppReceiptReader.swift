internal import ReceiptTypes

/// Reads the attributes of an app receipt: checks each one and passes it to a sink.
///
/// Each known attribute must occur at most once and have its encoding; the others are kept with their bytes. What is
/// read here is signed, so a wrong value is no forgery, but a reader that guessed would show what the store has not
/// signed.
///
/// A receipt is read twice if its payload is asked for: the first time it is only checked, without a string for each
/// value.
struct AppReceiptReader<Sink: AttributeSink> {
    private(set) var sink: Sink
    private(set) var claims = AppReceiptContent.Claims()

    private var purchaseCount = 0
    private var seen = SeenAttributes()
    private var count = 0
    private var knownProducts: Set<String> = []
    /// The last product ID; most purchases of a customer are of the same product as the one before.
    private var lastProduct: [UInt8] = []
    private let attributes = AttributeReader.Buffer()
    private let purchaseAttributes = AttributeReader.Buffer()

    /// Reads the content of a container.
    init(reading content: RawSpan, to sink: Sink) throws(UnreadableAppReceipt) {
        self.sink = sink
        guard let place = DER.contents(of: .set, in: content) else {
            throw .malformed("a SET of attributes in DER", "other bytes")
        }
        try readReceipt(content.extracting(place))
        guard let receiptType = claims.receiptType, !receiptType.rawValue.isEmpty else { throw .missing(.receiptType) }
        guard let bundleID = claims.bundleID, !bundleID.isEmpty else { throw .missing(.bundleID) }
    }

    // MARK: Receipt

    private mutating func readReceipt(_ set: RawSpan) throws(UnreadableAppReceipt) {
        var reader = AttributeReader(set, attributes)
        while let attribute = try Self.next(&reader, "the receipt") {
            let value = set.extracting(attribute.value)
            if attribute.type == AppReceiptAttribute.inApp.type {
                try readPurchase(attribute, in: set)
                continue
            }
            count += 1
            guard count <= Budget.appReceiptAttributes else {
                throw .tooManyAttributes(Budget.appReceiptAttributes, of: "the receipt")
            }
            guard let known = AppReceiptAttribute.ofReceipt(attribute.type) else {
                sink.unknown(attribute, value)
                continue
            }
            guard seen.insert(known) else { throw .duplicate(known, in: "the receipt") }
            try read(known, attribute, in: set)
        }
    }

    private mutating func read(
        _ known: AppReceiptAttribute, _ attribute: AttributeReader.Attribute, in set: RawSpan
    ) throws(UnreadableAppReceipt) {
        switch known {
        case .receiptType:
            claims.receiptType = AppReceiptType(rawValue: set.extracting(try attribute.text(known, in: set)).text)
        case .bundleID:
            claims.bundleID = set.extracting(try attribute.text(known, in: set)).text
            claims.bundleIDValue = set.extracting(attribute.value).array
        case .appAppleID: claims.appAppleID = try attribute.integer(known, in: set)
        case .receiptCreationDate:
            // The date decides about the certificates, so it is checked with theirs.
            let text = set.extracting(try attribute.asciiText(known, in: set))
            guard text.byteCount > 0 else { return }
            claims.creationDate = text.text
            claims.creationTime = Timestamp(rfc3339: text, allowsBasicOffset: true)
            if let date = claims.creationTime { sink.date(date, of: known) }
            return
        case .opaqueValue: claims.opaqueValue = set.extracting(attribute.value).array
        case .deviceHash: claims.deviceHash = set.extracting(attribute.value).array
        default: break
        }
        try pass(known, attribute, in: set)
    }

    // MARK: In-app purchases

    private mutating func readPurchase(
        _ attribute: AttributeReader.Attribute, in receipt: RawSpan
    ) throws(UnreadableAppReceipt) {
        purchaseCount += 1
        guard purchaseCount <= Budget.appReceiptPurchases else { throw .tooManyPurchases() }
        guard let place = attribute.contents(of: .set) else {
            throw UnreadableAppReceipt(
                code: .attributeInvalid,
                expected: "a SET of attributes in attribute \(AppReceiptAttribute.inApp.type) (an in-app purchase)",
                actual: "other bytes")
        }
        let set = receipt.extracting(place)
        var reader = AttributeReader(set, purchaseAttributes)
        var seen = SeenAttributes()
        var count = 0
        sink.beginPurchase()
        while let attribute = try Self.next(&reader, "an in-app purchase") {
            count += 1
            guard count <= Budget.purchaseAttributes else {
                throw .tooManyAttributes(Budget.purchaseAttributes, of: "an in-app purchase")
            }
            guard let known = AppReceiptAttribute.ofPurchase(attribute.type) else {
                sink.unknown(attribute, set.extracting(attribute.value))
                continue
            }
            guard seen.insert(known) else { throw .duplicate(known, in: "an in-app purchase") }
            if known == .productID { keepProduct(set.extracting(try attribute.text(known, in: set))) }
            try pass(known, attribute, in: set)
        }
        sink.endPurchase()
    }

    private mutating func keepProduct(_ id: RawSpan) {
        guard id.byteCount > 0, !lastProduct.withRawSpan({ id.isEqual(to: $0) }) else { return }
        lastProduct = id.array
        let text = id.text
        if knownProducts.insert(text).inserted { claims.productIDs.append(text) }
    }

    // MARK: Attributes

    private static func next(
        _ attributes: inout AttributeReader,
        _ place: String
    ) throws(UnreadableAppReceipt) -> AttributeReader.Attribute? {
        switch attributes.next() {
        case .attribute(let attribute): return attribute
        case .end: return nil
        case .malformed(let offset):
            throw .malformed(
                "attributes of type, version and value in DER", "other bytes at offset \(offset) in \(place)")
        }
    }

    /// Checks the value of a known attribute and passes it to the sink, unless it is an empty text or date.
    private mutating func pass(
        _ known: AppReceiptAttribute, _ attribute: AttributeReader.Attribute, in set: RawSpan
    ) throws(UnreadableAppReceipt) {
        switch known.encoding {
        case .integer: sink.integer(try attribute.integer(known, in: set), of: known)
        case .bytes: sink.bytes(set.extracting(attribute.value), of: known)
        case .text:
            let place = try attribute.text(known, in: set)
            if !place.isEmpty { sink.text(set.extracting(place), of: known) }
        case .asciiText:
            let place = try attribute.asciiText(known, in: set)
            if !place.isEmpty { sink.text(set.extracting(place), of: known) }
        case .date:
            let text = set.extracting(try attribute.asciiText(known, in: set))
            guard text.byteCount > 0 else { return }
            guard let date = Timestamp(rfc3339: text, allowsBasicOffset: true) else {
                throw .invalid(known, "a date in RFC 3339", text.text)
            }
            sink.date(date, of: known)
        case .purchase: return
        }
    }
}

/// The attributes that a part of a receipt has had.
private struct SeenAttributes {
    private var bits: UInt64 = 0

    /// Adds an attribute; returns false if it was there.
    mutating func insert(_ attribute: AppReceiptAttribute) -> Bool {
        // The numbers of all known attributes differ in these six bits.
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: attribute.type & 63)
        defer { bits |= bit }
        return bits & bit == 0
    }
}

extension AttributeReader.Attribute {
    fileprivate func integer(_ known: AppReceiptAttribute, in set: RawSpan) throws(UnreadableAppReceipt) -> Int64 {
        if let integer { return integer }
        let value = set.extracting(value)
        guard contents(of: .integer) != nil else { throw .invalid(known, "an INTEGER in DER", found: value) }
        throw .invalid(known, "an INTEGER of at most 8 bytes", "a longer one")
    }

    /// Returns the place of a text.
    fileprivate func text(_ known: AppReceiptAttribute, in set: RawSpan) throws(UnreadableAppReceipt) -> Range<Int> {
        guard let place = contents(of: .utf8String), set.extracting(place).isText else {
            throw .invalid(known, "a UTF8String in DER", found: set.extracting(value))
        }
        return place
    }

    /// Returns the place of a text in ASCII.
    fileprivate func asciiText(
        _ known: AppReceiptAttribute, in set: RawSpan
    ) throws(UnreadableAppReceipt) -> Range<Int> {
        guard let place = contents(of: .ia5String), set.extracting(place).isASCIIText else {
            throw .invalid(known, "an IA5String in DER", found: set.extracting(value))
        }
        return place
    }
}

extension RawSpan {
    /// Whether the bytes are ASCII without NUL.
    fileprivate var isASCIIText: Bool {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var offset = 0
        while byteCount - offset >= 8 {
            let word = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // The sum with 0x7F has the high bit for every byte of ASCII but NUL, and no byte overflows.
            guard word & highBits == 0, (word + ~highBits) & highBits == highBits else { return false }
            offset += 8
        }
        while offset < byteCount {
            let byte = unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            guard 0 < byte, byte < 0x80 else { return false }
            offset += 1
        }
        return true
    }

    /// Whether the bytes are UTF-8 without NUL.
    fileprivate var isText: Bool {
        if isASCIIText { return true }
        guard let text = unsafe withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else { return false }
        return !text.utf8.contains(0)
    }
}
