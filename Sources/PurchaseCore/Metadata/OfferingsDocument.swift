internal import ReceiptTypes

/// An offerings document in RevenueCat's shape: the metadata of one-time products from another source than the store.
///
/// It has an `identifier` and `packages`, each with an `identifier` and a `product`. A product has `id`, `type`
/// (`non_consumable` or `consumable`), `title`, `price`, `currencyCode`, `priceString`, and, if it has them,
/// `description`, `features` and `entitlements`. The last one is empty for a one-time product. Packages with products
/// of other types, such as subscriptions, are skipped, and unknown fields are ignored.
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
    /// - Throws: ``DocumentError`` with the first place that is wrong. Nothing of such a document is used.
    public init(json: [UInt8]) throws(DocumentError) {
        let limits = DocumentLimits(
            size: Self.maximumSize, depth: Self.maximumDepth, count: Self.maximumCount,
            stringSize: Self.maximumStringSize)
        let document = try DocumentValue(json: json, within: limits).fields()
        identifier = try document.required("identifier").name()
        var packages: [Package] = []
        var skipped: [String] = []
        var products: Set<ExactString> = []
        for element in try document.required("packages").elements() {
            let fields = try element.fields()
            let name = try fields.required("identifier").name()
            let product = try fields.required("product").fields()
            guard let type = try product.oneTimeType() else {
                skipped.append(name)
                continue
            }
            let package = try product.oneTimePackage(name, of: type)
            guard products.insert(ExactString(package.product.id)).inserted else {
                throw DocumentError(
                    .wrongValue, at: "\(element.path).product.id", expected: "a product that no other package has",
                    found: package.product.id)
            }
            packages.append(package)
        }
        self.packages = packages
        skippedPackages = skipped
    }
}

extension DocumentFields {
    /// Returns the type of a one-time product; nil for any other type.
    fileprivate func oneTimeType() throws(DocumentError) -> ProductType? {
        switch try required("type").name() {
        case "non_consumable": .nonConsumable
        case "consumable": .consumable
        default: nil
        }
    }

    fileprivate func oneTimePackage(
        _ name: String, of type: ProductType
    ) throws(DocumentError) -> OfferingsDocument.Package {
        if let entitlements = optional("entitlements"), case let elements = try entitlements.elements(),
            !elements.isEmpty
        {
            throw entitlements.wrongValue(
                "an empty array, because the product is a one-time product", "\(elements.count) elements")
        }
        var features: [FeatureID] = []
        for feature in try elements("features") { features.append(FeatureID(rawValue: try feature.text())) }
        let product = Product(
            id: try required("id").name(), type: type, displayName: try required("title").name(),
            description: try optional("description")?.text() ?? "", price: try required("price").price(),
            currency: try required("currencyCode").name(), displayPrice: try required("priceString").name())
        return OfferingsDocument.Package(identifier: name, product: product, features: features)
    }
}

extension DocumentValue {
    /// Returns the price, a number or a string with a decimal.
    ///
    /// The shortest text of a binary number is the decimal that it was read from, up to 15 digits. With a thousandth as
    /// the last digit, that is every price below 10¹².
    fileprivate func price() throws(DocumentError) -> Milliunits {
        let text: String
        switch json {
        case .integer(let integer): text = "\(integer)"
        case .decimal(let decimal) where decimal.magnitude < 1e12: text = "\(decimal)"
        case .string(let string): text = string
        case .decimal: text = ""
        default: throw wrongType("a number or a string with a decimal")
        }
        guard let price = Milliunits(decimal: text), price.rawValue >= 0 else {
            throw wrongValue("a price of at least 0 with at most three decimal places", json.description)
        }
        return price
    }
}
