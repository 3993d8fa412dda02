public import ReceiptTypes

/// The app that a local store sells for.
public struct LocalStoreApp: Codable, Sendable, Hashable {
    /// The bundle id, and the package name of purchases in the form of Google Play.
    public var bundleID: String
    /// The app's number in the App Store; nil where it has none, as in the sandbox.
    public var appAppleID: Int64?
    /// The version that customers have installed.
    public var version: String
    /// The environment that is signed into everything.
    public var environment: StoreEnvironment

    /// Describes an app.
    public init(
        bundleID: String,
        appAppleID: Int64? = nil,
        version: String = "1",
        environment: StoreEnvironment = .sandbox
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.version = version
        self.environment = environment
    }
}
