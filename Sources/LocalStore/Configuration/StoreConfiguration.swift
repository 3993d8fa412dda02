/// The content of a `.storekit` file: the products on sale and the settings of the store.
///
/// ``read(_:)`` reads a file leniently, and ``lint(_:)`` reports its errors.
public struct StoreConfiguration: Sendable, Hashable {
    /// The identifier of the file.
    public var identifier: String
    /// The format version, such as 4.0.
    public var version: FormatVersion
    /// The products in file order, followed by the subscriptions in the order of their groups.
    public var products: [ConfiguredProduct]
    /// The subscription groups.
    public var groups: [SubscriptionGroup]
    /// The settings of the store.
    public var settings: StoreSettings
    /// The key that signs promotional offers, or nil.
    public var offersKey: OffersKey?

    /// Creates a configuration.
    public init(
        identifier: String = "",
        version: FormatVersion = FormatVersion(major: 4, minor: 0),
        products: [ConfiguredProduct] = [],
        groups: [SubscriptionGroup] = [],
        settings: StoreSettings = StoreSettings(),
        offersKey: OffersKey? = nil
    ) {
        self.identifier = identifier
        self.version = version
        self.products = products
        self.groups = groups
        self.settings = settings
        self.offersKey = offersKey
    }

    /// A version of the `.storekit` format.
    public struct FormatVersion: Sendable, Hashable {
        /// The major version; this module knows 2 to 5.
        public var major: Int
        /// The minor version; 0 in every known file.
        public var minor: Int

        /// Creates a version.
        public init(major: Int, minor: Int) {
            self.major = major
            self.minor = minor
        }
    }

    /// Returns the product with an identifier, compared byte by byte.
    public func product(_ id: String) -> ConfiguredProduct? {
        products.first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}

/// A subscription group, in which a customer has one subscription at a time.
public struct SubscriptionGroup: Sendable, Hashable, Identifiable {
    /// The group identifier.
    public var id: String
    /// The internal name, which customers do not see.
    public var name: String
    /// The display names by locale.
    public var localizations: [Localization]

    /// Creates a group.
    public init(id: String, name: String = "", localizations: [Localization] = []) {
        self.id = id
        self.name = name
        self.localizations = localizations
    }
}
