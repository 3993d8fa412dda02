public import ReceiptTypes

/// The checked feature definitions of an app, which are part of its ``TemplatePriceCatalog``.
///
/// ```swift
/// let features = try FeatureCatalog([
///     FeatureDefinition(id: "notes", name: "Notes", level: .free),
///     FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: ["com.example.export"]),
/// ])
/// ```
public struct FeatureCatalog: Sendable {
    /// A catalog without features.
    public static let empty = FeatureCatalog(checked: [])

    /// The definitions in the order in which they were given.
    public let definitions: [FeatureDefinition]
    private let places: [FeatureID: Int]
    private let featuresByProduct: [ExactString: [FeatureID]]

    /// Creates a catalog from definitions without ``findings(in:soldProducts:)``.
    ///
    /// - Throws: The first finding.
    public init(_ definitions: [FeatureDefinition]) throws(FeatureCatalogError) {
        if let finding = Self.findings(in: definitions).first { throw finding }
        self.init(checked: definitions)
    }

    private init(checked definitions: [FeatureDefinition]) {
        self.definitions = definitions
        places = Dictionary(
            definitions.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        var features: [ExactString: [FeatureID]] = [:]
        for definition in definitions {
            for product in Set(definition.productIDs.map(ExactString.init)) {
                features[product, default: []].append(definition.id)
            }
        }
        featuresByProduct = features
    }

    /// Returns the definition of a feature.
    ///
    /// - Throws: An error with the code ``FeatureCatalogError/Code/notFound``.
    public func definition(of feature: FeatureID) throws(FeatureCatalogError) -> FeatureDefinition {
        guard let place = places[feature] else {
            throw FeatureCatalogError(.notFound, feature, "the catalog has no feature \(feature)")
        }
        return definitions[place]
    }

    /// Returns the features that a product unlocks; none for an unknown product.
    public func features(unlockedBy productID: String) -> [FeatureID] {
        featuresByProduct[ExactString(productID)] ?? []
    }
}

extension FeatureCatalog: Hashable, Codable {
    /// Returns whether both catalogs have the same definitions in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.definitions == right.definitions }

    /// Feeds the definitions into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(definitions) }

    /// Decodes an array of definitions, and throws a ``FeatureCatalogError`` if there are findings.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode([FeatureDefinition].self))
    }

    /// Encodes the array of definitions.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(definitions)
    }
}

// MARK: - Findings

extension FeatureCatalog {
    /// Returns everything that is wrong with definitions, in their order.
    ///
    /// - Parameters:
    ///   - definitions: The definitions.
    ///   - soldProducts: The products that the store sells, to find ids that it does not know and products of a kind
    ///     that unlocks nothing; nil to leave out these two checks. A product that is no longer sold, but still owned,
    ///     is a finding too: keep it in the definitions all the same.
    public static func findings(
        in definitions: [FeatureDefinition], soldProducts: [Product]? = nil
    ) -> [FeatureCatalogError] {
        let sold = soldProducts.map { products in
            Dictionary(products.map { (ExactString($0.id), $0.type) }, uniquingKeysWith: { first, _ in first })
        }
        var seen: Set<FeatureID> = []
        var findings: [FeatureCatalogError] = []
        for definition in definitions {
            let id = definition.id
            if !seen.insert(id).inserted {
                findings.append(.init(.duplicateID, id, "two definitions have the id \(id); rename or remove one"))
            }
            if definition.level == .premium, definition.productIDs.isEmpty {
                findings.append(.init(.premiumWithoutProduct, id, "the premium feature \(id) has no product to offer"))
            }
            for product in definition.productIDs {
                guard let sold else { continue }
                switch sold[ExactString(product)] {
                case nil:
                    let message = "the store does not sell the product \(product) of the feature \(id)"
                    findings.append(.init(.unknownProduct, id, message, productID: product))
                case .consumable:
                    let message = "the product \(product) of the feature \(id) is consumable and unlocks nothing"
                    findings.append(.init(.consumableProduct, id, message, productID: product))
                default: break
                }
            }
        }
        return findings
    }
}

/// An error in feature definitions, or a feature that a catalog does not have.
public struct FeatureCatalogError: CodedError {
    /// The stable reason of the error.
    public struct Code: ErrorCode {
        /// The stable name in kebab case, such as `duplicate-id`.
        public let rawValue: String

        /// Creates a code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Two definitions have the same id.
        public static let duplicateID = Self(rawValue: "duplicate-id")
        /// A premium feature lists no product, so nothing can be offered for it.
        public static let premiumWithoutProduct = Self(rawValue: "premium-without-product")
        /// The store does not know a product of the feature.
        public static let unknownProduct = Self(rawValue: "unknown-product")
        /// A product of the feature is consumable; a consumable is a balance and unlocks nothing.
        public static let consumableProduct = Self(rawValue: "consumable-product")
        /// The catalog does not have the feature.
        public static let notFound = Self(rawValue: "not-found")
    }

    /// The stable reason.
    public let code: Code
    /// The feature that the error is about.
    public let feature: FeatureID
    /// The product that the error is about; nil if it is not about one.
    public let productID: String?
    /// What is wrong, in one sentence without a final full stop.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ feature: FeatureID, _ message: String, productID: String? = nil) {
        self.code = code
        self.feature = feature
        self.message = message
        self.productID = productID
    }
}
