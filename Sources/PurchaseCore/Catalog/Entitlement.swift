/// A permission that a purchase unlocks.
public enum Entitlement: Sendable, Hashable {
    /// Everything.
    case pro
    /// One template.
    case template(TemplateID)
    /// One feature of the app.
    case feature(FeatureID)
}

extension Entitlement: CustomStringConvertible {
    /// A short name, such as `pro`, `template A` or `feature export`.
    public var description: String {
        switch self {
        case .pro: "pro"
        case .template(let id): "template \(id)"
        case .feature(let id): "feature \(id)"
        }
    }
}

/// The id of a template that customers can buy.
public struct TemplateID: RawRepresentable, Sendable, Codable {
    /// The id in the app's own notation.
    public let rawValue: String

    /// Creates an id from any string.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension TemplateID: Hashable {
    /// Returns whether both ids have the same bytes, without Unicode normalization.
    public static func == (left: Self, right: Self) -> Bool {
        ExactString(left.rawValue) == ExactString(right.rawValue)
    }

    /// Feeds the id into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension TemplateID: CustomStringConvertible {
    /// The id in the app's own notation.
    public var description: String { rawValue }
}
