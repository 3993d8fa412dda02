/// Why nothing of a `.storekit` file can be read.
public struct StoreConfigurationError: Error, Sendable {
    /// What is wrong, and where.
    public let finding: LintFinding

    /// Takes what is wrong.
    public init(_ finding: LintFinding) {
        self.finding = finding
    }

    /// What kind of thing is wrong.
    public var code: LintFinding.Code { finding.code }
}

extension StoreConfigurationError: Equatable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension StoreConfigurationError: CustomStringConvertible {
    /// One line with the place.
    public var description: String { finding.description }
}
