/// What the reading of one `.storekit` file spends at the most, whatever the file says.
public enum ConfigurationBudget {
    /// Bytes of a file; those that Xcode writes for a hundred products have 100 kB.
    public static let fileSize = 16_777_216
    /// Values, names and brackets of a file together, before it is parsed; a product has about 30.
    public static let valueCount = 1_000_000
    /// Levels of arrays and objects; the format has 8.
    public static let depth = 32
    /// Products of all kinds; the App Store takes 10,000 of an app.
    public static let productCount = 10_000
    /// Groups of subscriptions.
    public static let groupCount = 1_000
    /// Offers of one kind of a subscription; the App Store takes 10 that are active.
    public static let offerCount = 200
    /// Ways to pay for a subscription; the format has 2.
    public static let billingPlanCount = 16
    /// Languages of one thing; the App Store has 40.
    public static let localizationCount = 200
    /// Errors that the settings switch on or off; the format has 9.
    public static let simulatedErrorCount = 64
    /// Periods of one offer, and so the times that it is charged.
    public static let periodCount = 12
    /// The highest price in thousandths of a currency's unit: a million millions.
    public static let price: Int64 = 1_000_000_000_000_000
    /// The lowest level of service.
    public static let level = 1_000_000
    /// Findings that are told.
    public static let findingCount = 1_000
    /// Bytes of a text that a finding quotes; the shortest private key has 92.
    public static let quotedSize = 64
}
