extension StoreConfiguration {
    /// Tells everything about a `.storekit` file that is not as the format or the store wants it, in its order.
    ///
    /// ```swift
    /// let findings = StoreConfiguration.lint(bytes)
    /// let isGood = !findings.contains { $0.severity == .error }
    /// ```
    ///
    /// A file of which nothing can be read has one finding: why.
    public static func lint(_ bytes: [UInt8]) -> [LintFinding] {
        do throws(StoreConfigurationError) {
            return try read(bytes).findings
        } catch {
            return [error.finding]
        }
    }
}
