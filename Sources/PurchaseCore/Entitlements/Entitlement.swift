/// Something that a customer may use because it was paid for.
public enum Entitlement: Sendable, Hashable {
    /// Everything.
    case pro
    /// One template.
    case template(TemplateID)
}

extension Entitlement: CustomStringConvertible {
    /// The entitlement in a word or two.
    public var description: String {
        switch self {
        case .pro: "pro"
        case .template(let id): "template \(id)"
        }
    }
}
