public import ReceiptTypes

extension StoreConfiguration {
    /// Reads a `.storekit` file of the versions 2 to 5, or the known parts of a newer one.
    ///
    /// Reading is lenient: a file with mistakes is read as it was probably meant, and the mistakes are findings.
    ///
    /// ```swift
    /// let reading = try StoreConfiguration.read(bytes)
    /// for finding in reading.findings { print("Demo.storekit:\(finding)") }
    /// let products = reading.configuration.products
    /// ```
    ///
    /// - Throws: ``StoreConfigurationError`` where the file cannot be read at all: it is not a JSON object, an object
    ///   contains a key twice, or the file exceeds ``ConfigurationBudget``.
    public static func read(_ bytes: [UInt8]) throws(StoreConfigurationError) -> StoreConfigurationReading {
        let (configuration, findings) = try ConfigurationReader.read(bytes)
        return StoreConfigurationReading(configuration: configuration, findings: findings)
    }

    /// Reads a `.storekit` file and drops the findings.
    ///
    /// - Throws: ``StoreConfigurationError``, as ``read(_:)`` does.
    public init(reading bytes: [UInt8]) throws(StoreConfigurationError) {
        self = try Self.read(bytes).configuration
    }

    /// Returns the findings about a `.storekit` file, in file order.
    ///
    /// ```swift
    /// let findings = StoreConfiguration.lint(bytes)
    /// let hasErrors = findings.contains { $0.severity == .error }
    /// ```
    ///
    /// A file that cannot be read has one finding, the reason.
    public static func lint(_ bytes: [UInt8]) -> [LintFinding] {
        do throws(StoreConfigurationError) {
            return try read(bytes).findings
        } catch {
            return [error.finding]
        }
    }
}

/// The configuration in a `.storekit` file, with the findings about the file.
public struct StoreConfigurationReading: Sendable {
    /// The configuration.
    public var configuration: StoreConfiguration
    /// The findings in file order; empty for a file without mistakes.
    public var findings: [LintFinding]

    /// Creates a reading.
    public init(configuration: StoreConfiguration, findings: [LintFinding]) {
        self.configuration = configuration
        self.findings = findings
    }
}

/// The error of a `.storekit` file that cannot be read.
public struct StoreConfigurationError: CodedError {
    /// The reason, with its place in the file.
    public let finding: LintFinding

    /// Creates an error.
    public init(_ finding: LintFinding) {
        self.finding = finding
    }

    /// The kind of the finding.
    public var code: LintFinding.Code { finding.code }
    /// The message of the finding.
    public var message: String { finding.message }
    /// The finding in one line, with its place.
    public var description: String { finding.description }
}
