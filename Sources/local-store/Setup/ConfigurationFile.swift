internal import CommandLineInterface
internal import LocalStore

/// A `.storekit` file, read as it was meant.
enum ConfigurationFile {
    static func configuration(in bytes: [UInt8], name: String) throws(UsageError) -> StoreConfiguration {
        try read(bytes, name: name).configuration
    }

    static func read(_ bytes: [UInt8], name: String) throws(UsageError) -> StoreConfigurationReading {
        do throws(StoreConfigurationError) {
            return try StoreConfiguration.read(bytes)
        } catch {
            throw UsageError(
                "\(Escaped(name)):\(Escaped(error.finding.description))", hint: "see local-store lint \(Escaped(name))"
            )
        }
    }
}
