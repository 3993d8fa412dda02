/// The id of a template that can be bought.
public struct TemplateID: RawRepresentable, Sendable, Codable {
    /// The id as the app has it.
    public let rawValue: String

    /// Takes any id.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension TemplateID: Hashable {
    /// Whether both are the same bytes: Swift also takes texts for equal that only look the same.
    public static func == (left: Self, right: Self) -> Bool { ExactText(left.rawValue) == ExactText(right.rawValue) }

    /// Feeds the id into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension TemplateID: CustomStringConvertible {
    /// The id as the app has it.
    public var description: String { rawValue }
}
