/// The limits for reading one `.storekit` file, which bound the work for hostile files.
public enum ConfigurationBudget {
    /// The size of a file in bytes; Xcode writes about 100 kB for a hundred products.
    public static let fileSize = 16_777_216
    /// The number of JSON values and names in a file, counted before parsing; a product has about 30.
    public static let valueCount = 1_000_000
    /// The nesting depth of arrays and objects; the format needs 8.
    public static let depth = 32
    /// The number of products of all types; the App Store's limit is 10,000.
    public static let productCount = 10_000
    /// The number of subscription groups.
    public static let groupCount = 1_000
    /// The number of offers of one kind for a subscription; the App Store's limit is 10 active ones.
    public static let offerCount = 200
    /// The number of billing plans of a subscription; the format has 2 types.
    public static let billingPlanCount = 16
    /// The number of localizations of a product or a group; the App Store has 40 locales.
    public static let localizationCount = 200
    /// The number of simulated errors in the settings; the format has 9.
    public static let simulatedErrorCount = 64
    /// The number of periods of an offer.
    public static let periodCount = 12
    /// The highest price in thousandths of a currency unit: 10¹² units.
    public static let price: Int64 = 1_000_000_000_000_000
    /// The highest `groupNumber`, that is, the lowest level of service.
    public static let level = 1_000_000
    /// The number of reported findings.
    public static let findingCount = 1_000
    /// The size in bytes of the longest string that a finding quotes; the base64 of the shortest private key has 92.
    public static let quotedSize = 64
}
