/// What was read from a `.storekit` file, and what was not as it should be.
public struct StoreConfigurationReading: Sendable {
    /// The store, as it was meant.
    public var configuration: StoreConfiguration
    /// What was not as the format or the store wants it, in the order of the file; empty for a good file.
    public var findings: [LintFinding]

    /// Takes both.
    public init(configuration: StoreConfiguration, findings: [LintFinding]) {
        self.configuration = configuration
        self.findings = findings
    }
}
