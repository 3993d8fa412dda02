internal import ReceiptTypes

/// A feature of an app: free, or unlocked by any one of its products.
///
/// A product can unlock several features, and a feature can have several products. A product that is in
/// ``TemplatePriceCatalog/proProductIDs`` unlocks every feature and need not be listed.
public struct FeatureDefinition: Sendable, Hashable, Identifiable {
    /// The id of the feature.
    public let id: FeatureID
    /// The name, for a developer or as the key of a translation.
    public let name: String
    /// The description, for a developer or as the key of a translation.
    public let description: String
    /// Whether the feature needs a purchase.
    public let level: FeatureLevel
    /// The ids of the products that unlock the feature, the one to offer first at the beginning.
    public let productIDs: [String]

    /// Creates a definition; a ``FeatureCatalog`` checks it.
    public init(id: FeatureID, name: String, description: String = "", level: FeatureLevel, productIDs: [String] = []) {
        self.id = id
        self.name = name
        self.description = description
        self.level = level
        self.productIDs = productIDs
    }
}

/// Whether a feature needs a purchase.
public enum FeatureLevel: String, Sendable, Hashable, Codable, CaseIterable {
    /// Every customer can use the feature.
    case free
    /// The feature has to be bought.
    case premium
}

/// The id of a feature; two ids are equal if they have the same bytes.
public struct FeatureID: RawRepresentable, Sendable, Codable {
    /// The id in the app's own notation.
    public let rawValue: String

    /// Creates an id from any string.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension FeatureID: Hashable {
    /// Returns whether both ids have the same bytes, without Unicode normalization.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isIdentical(to: right.rawValue) }

    // Ids of the same bytes have the same hash. Equivalent ids collide, which costs one comparison.
    /// Feeds the id into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension FeatureID: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates an id from a literal, such as `"export"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The id in the app's own notation.
    public var description: String { rawValue }
}

extension FeatureDefinition: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case name
        case description
        case level
        case productIDs = "products"
    }

    /// Decodes a definition; the description and the products may be absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(FeatureID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            description: try container.decodeIfPresent(String.self, forKey: .description) ?? "",
            level: try container.decode(FeatureLevel.self, forKey: .level),
            productIDs: try container.decodeIfPresent([String].self, forKey: .productIDs) ?? [])
    }
}
