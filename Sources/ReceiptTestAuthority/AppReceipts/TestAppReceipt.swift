public import ReceiptTypes
public import ReceiptVerification

/// The contents of an app receipt for tests: its attributes, correct or not, in the order in which they are written.
///
/// ```swift
/// var receipt = TestAppReceipt(contents)
/// receipt[2] = .integer(7)
/// receipt.attributes.append(.init(26, .text("a new attribute")))
/// let der = try authority.signer().sign(receipt)
/// ```
public struct TestAppReceipt: Sendable, Hashable {
    /// An attribute of a receipt, or of an in-app purchase in it.
    public struct Attribute: Sendable, Hashable {
        /// The number of the attribute.
        public var type: Int64
        /// The version of the attribute: 1, or 2 for some.
        public var version: Int64
        /// The value.
        public var value: Value

        /// Creates an attribute.
        public init(_ type: Int64, version: Int64 = 1, _ value: Value) {
            self.type = type
            self.version = version
            self.value = value
        }
    }

    /// The value inside the OCTET STRING of an attribute.
    public indirect enum Value: Sendable, Hashable {
        /// An INTEGER.
        case integer(Int64)
        /// A UTF8String.
        case text(String)
        /// An IA5String; nothing keeps other characters than ASCII away.
        case asciiText(String)
        /// An IA5String with a date in RFC 3339, rounded down to seconds.
        case date(Timestamp)
        /// Bytes without an encoding.
        case bytes([UInt8])
        /// A SET of attributes: an in-app purchase.
        case attributes([Attribute])
    }

    /// The attributes in their order; the App Store sorts them by their encoding, as DER requires.
    public var attributes: [Attribute]

    /// Creates a receipt with the given attributes.
    public init(attributes: [Attribute] = []) {
        self.attributes = attributes
    }

    /// The value of the first attribute of a type; setting it changes that attribute or appends one, and setting nil
    /// removes all attributes of the type.
    public subscript(type: Int64) -> Value? {
        get { attributes.first { $0.type == type }?.value }
        set {
            guard let newValue else { return attributes.removeAll { $0.type == type } }
            if let index = attributes.firstIndex(where: { $0.type == type }) {
                attributes[index].value = newValue
            } else {
                attributes.append(Attribute(type, newValue))
            }
        }
    }

    /// Returns the attributes as a SET in DER.
    ///
    /// - Parameter isSorted: Whether the attributes are sorted as DER requires (X.690 11.6); Xcode leaves their order.
    func encoded(isSorted: Bool) throws(CryptoFault) -> [UInt8] {
        try Value.attributes(attributes).encoded(isSorted: isSorted)
    }

    // MARK: Binding to a device

    /// Stores the hash that binds the receipt to a device: the SHA-1 of the device's ID, attribute 4 and attribute 2.
    ///
    /// - Parameter deviceID: The 16 bytes of `identifierForVendor`, or the 6 bytes of a Mac's network address.
    /// - Throws: `CryptoFault` when OpenSSL fails.
    public mutating func bind(toDevice deviceID: [UInt8]) throws(CryptoFault) {
        var message = deviceID
        for type in [AppReceiptAttribute.opaqueValue.type, AppReceiptAttribute.bundleID.type] {
            message += try self[type]?.encoded(isSorted: true) ?? []
        }
        self[AppReceiptAttribute.deviceHash.type] = .bytes(try HashAlgorithm.sha1.digest(of: message))
    }
}

extension TestAppReceipt.Value {
    /// Returns the value in DER; the depth of the values, which the program chooses, bounds the recursion.
    func encoded(isSorted: Bool) throws(CryptoFault) -> [UInt8] {
        switch self {
        case .integer(let number): return try ASN1.integer(number)
        case .text(let text): return try ASN1.element(.utf8String, [UInt8](text.utf8), .primitive)
        case .asciiText(let text): return try ASN1.element(.ia5String, [UInt8](text.utf8), .primitive)
        case .date(let time):
            let text = "\(Timestamp(clampingSeconds: time.secondsSince1970))"
            return try ASN1.element(.ia5String, [UInt8](text.utf8), .primitive)
        case .bytes(let bytes): return bytes
        case .attributes(let attributes):
            var elements: [[UInt8]] = []
            for attribute in attributes {
                let value = try ASN1.element(.octetString, attribute.value.encoded(isSorted: isSorted), .primitive)
                elements.append(
                    try ASN1.element(
                        .sequence, ASN1.integer(attribute.type) + ASN1.integer(attribute.version) + value))
            }
            if isSorted { elements.sort { $0.lexicographicallyPrecedes($1) } }
            return try ASN1.element(.set, [UInt8](elements.joined()))
        }
    }
}
