internal import ReceiptTypes

/// An offerings document in RevenueCat's shape: the metadata of one-time products from another source than the store.
///
/// It has an `identifier` and `packages`, each with an `identifier` and a `product`. A product has `id`, `type`
/// (`non_consumable` or `consumable`), `title`, `price`, `currencyCode`, `priceString`, and, if it has them, `description`,
/// `features` and `entitlements`. The last one is empty for a one-time product. Packages with products of other types, such
/// as subscriptions, are skipped, and unknown fields are ignored.
///
/// A document is not signed. It unlocks nothing and decides no price: it is shown while the store cannot be asked.
public struct OfferingsDocument: Sendable, Hashable {
    /// A package of an offering: a product under a name that does not depend on the store.
    public struct Package: Sendable, Hashable {
        /// The name of the package, such as `$rc_lifetime`.
        public let identifier: String
        /// The product.
        public let product: Product
        /// The features that the product unlocks according to the document, for display.
        ///
        /// What a purchase unlocks is in the ``TemplatePriceCatalog`` alone.
        public let features: [FeatureID]
    }

    /// The name of the offering, such as `premium_tier`.
    public let identifier: String
    /// The packages with one-time products, in the order of the document.
    public let packages: [Package]
    /// The names of the packages that were skipped, because their products are not one-time products.
    public let skippedPackages: [String]

    /// The largest document in bytes.
    public static let maximumSize = 1_048_576
    /// The largest number of packages, and of features of one product.
    public static let maximumCount = 1_000
    /// The largest number of nested arrays and objects, unknown fields included.
    public static let maximumDepth = 32
    /// The longest string in bytes of UTF-8.
    public static let maximumStringSize = 4_096

    /// Reads a document.
    ///
    /// - Parameter json: The document in UTF-8.
    /// - Throws: ``OfferingsError`` with the first place that is wrong. Nothing of such a document is used.
    public init(json: [UInt8]) throws(OfferingsError) {
        guard json.count <= Self.maximumSize else {
            throw OfferingsError(
                .tooLarge, expected: "at most \(Self.maximumSize) bytes", found: "\(json.count) bytes")
        }
        // Before the parser, whose recursion could use up the stack.
        guard DecodedJSON.depth(of: json) <= Self.maximumDepth else {
            throw OfferingsError(.tooLarge, expected: "at most \(Self.maximumDepth) nested levels", found: "more")
        }
        let value: JSONValue
        do {
            value = try DecodedJSON.value(of: json)
        } catch {
            throw OfferingsError(
                .malformed, expected: "a JSON object", found: "text that is not JSON", underlying: error)
        }
        let document = try OfferingsFields(value, at: "")
        identifier = try document.name("identifier")
        var packages: [Package] = []
        var skipped: [String] = []
        var products: Set<ExactString> = []
        for (value, path) in try document.list("packages") {
            let fields = try OfferingsFields(value, at: path)
            let name = try fields.name("identifier")
            let product = try fields.object("product")
            guard let type = try product.oneTimeType() else {
                skipped.append(name)
                continue
            }
            let package = try product.package(name, of: type)
            guard products.insert(ExactString(package.product.id)).inserted else {
                throw OfferingsError(
                    .wrongValue, at: "\(path).product.id", expected: "a product that no other package has",
                    found: package.product.id)
            }
            packages.append(package)
        }
        self.packages = packages
        skippedPackages = skipped
    }
}

/// The fields of an object of a document, with the path of the object.
private struct OfferingsFields {
    private let members: JSONObject
    private let path: String

    init(_ value: JSONValue, at path: String) throws(OfferingsError) {
        guard case .object(let members) = value else {
            throw OfferingsError(.wrongType, at: path, expected: "an object", found: value.kind.detail)
        }
        self.members = members
        self.path = path
    }

    // MARK: Products

    /// Returns the type of a one-time product; nil for any other type.
    func oneTimeType() throws(OfferingsError) -> ProductType? {
        switch try name("type") {
        case "non_consumable": .nonConsumable
        case "consumable": .consumable
        default: nil
        }
    }

    func package(_ name: String, of type: ProductType) throws(OfferingsError) -> OfferingsDocument.Package {
        if let entitlements = try optional("entitlements", OfferingsFields.list), !entitlements.isEmpty {
            throw OfferingsError(
                .wrongValue, at: place("entitlements"),
                expected: "an empty array, because the product is a one-time product",
                found: "\(entitlements.count) elements")
        }
        var features: [FeatureID] = []
        for (value, path) in try optional("features", OfferingsFields.list) ?? [] {
            features.append(FeatureID(rawValue: try Self.text(value, at: path)))
        }
        let product = Product(
            id: try self.name("id"), type: type, displayName: try self.name("title"),
            description: try optional("description", OfferingsFields.text) ?? "", price: try price(),
            currency: try self.name("currencyCode"), displayPrice: try self.name("priceString"))
        return OfferingsDocument.Package(identifier: name, product: product, features: features)
    }

    /// Returns the price, a number or a string with a decimal.
    ///
    /// The shortest text of a binary number is the decimal that it was read from, up to 15 digits. With a thousandth as the
    /// last digit, that is every price below 10¹².
    private func price() throws(OfferingsError) -> Milliunits {
        let value = try required("price")
        let text: String
        switch value {
        case .integer(let integer): text = "\(integer)"
        case .decimal(let decimal) where decimal.magnitude < 1e12: text = "\(decimal)"
        case .string(let string): text = string
        case .decimal: text = ""
        default:
            throw OfferingsError(
                .wrongType, at: place("price"), expected: "a number or a string with a decimal",
                found: value.kind.detail)
        }
        guard let price = Milliunits(decimal: text), price.rawValue >= 0 else {
            throw OfferingsError(
                .wrongValue, at: place("price"), expected: "a price of at least 0 with at most three decimal places",
                found: value.description)
        }
        return price
    }

    // MARK: Fields

    private func place(_ field: String) -> String { path.isEmpty ? field : "\(path).\(field)" }

    private func required(_ field: String) throws(OfferingsError) -> JSONValue {
        guard let value = members[field], value != .null else {
            throw OfferingsError(.missingField, at: place(field), expected: "a value", found: "none")
        }
        return value
    }

    /// Returns the value of a field; nil if it is absent or null.
    private func optional<Value>(
        _ field: String, _ read: (OfferingsFields) -> (String) throws(OfferingsError) -> Value
    ) throws(OfferingsError) -> Value? {
        guard let value = members[field], value != .null else { return nil }
        return try read(self)(field)
    }

    func object(_ field: String) throws(OfferingsError) -> OfferingsFields {
        try OfferingsFields(required(field), at: place(field))
    }

    func list(_ field: String) throws(OfferingsError) -> [(JSONValue, String)] {
        let value = try required(field)
        guard let elements = value.elements else {
            throw OfferingsError(.wrongType, at: place(field), expected: "an array", found: value.kind.detail)
        }
        guard elements.count <= OfferingsDocument.maximumCount else {
            throw OfferingsError(
                .tooLarge, at: place(field), expected: "at most \(OfferingsDocument.maximumCount) elements",
                found: "\(elements.count) elements")
        }
        return elements.enumerated().map { ($0.element, "\(place(field))[\($0.offset)]") }
    }

    func text(_ field: String) throws(OfferingsError) -> String { try Self.text(required(field), at: place(field)) }

    /// Returns a string that is not empty.
    func name(_ field: String) throws(OfferingsError) -> String {
        let text = try text(field)
        guard !text.isEmpty else {
            throw OfferingsError(.wrongValue, at: place(field), expected: "a string that is not empty", found: "\"\"")
        }
        return text
    }

    private static func text(_ value: JSONValue, at path: String) throws(OfferingsError) -> String {
        guard let text = value.text else {
            throw OfferingsError(.wrongType, at: path, expected: "a string", found: value.kind.detail)
        }
        guard text.utf8.count <= OfferingsDocument.maximumStringSize else {
            throw OfferingsError(
                .tooLarge, at: path, expected: "at most \(OfferingsDocument.maximumStringSize) bytes",
                found: "\(text.utf8.count) bytes")
        }
        return text
    }
}
