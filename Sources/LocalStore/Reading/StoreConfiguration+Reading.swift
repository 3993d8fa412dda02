extension StoreConfiguration {
    /// Reads a `.storekit` file of the versions 2 to 5, or a newer one as far as it is known.
    ///
    /// Takes what is meant: a file that was written by hand and is not quite right is read all the same, with findings.
    ///
    /// ```swift
    /// let reading = try StoreConfiguration.read(bytes)
    /// for finding in reading.findings { print("Demo.storekit:\(finding)") }
    /// let products = reading.configuration.products
    /// ```
    ///
    /// - Throws: Only where nothing can be understood: the bytes are no JSON object, a key is there twice, or the file
    ///   is beyond ``ConfigurationBudget``.
    public static func read(_ bytes: [UInt8]) throws(StoreConfigurationError) -> StoreConfigurationReading {
        let (configuration, findings) = try ConfigurationReader.read(bytes)
        return StoreConfigurationReading(configuration: configuration, findings: findings)
    }

    /// Reads a `.storekit` file and keeps silent about what is not as it should be.
    public init(reading bytes: [UInt8]) throws(StoreConfigurationError) {
        self = try Self.read(bytes).configuration
    }
}
