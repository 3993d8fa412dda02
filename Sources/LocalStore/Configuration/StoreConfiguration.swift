/// What a local store sells and how it behaves: the content of a `.storekit` file.
///
/// ``read(_:)`` takes it from a file as it was meant, and ``lint(_:)`` tells what is not right about the file.
public struct StoreConfiguration: Sendable, Hashable {
    /// The file's own id, whatever its writer has chosen.
    public var identifier: String
    /// The version of the format, such as 4.0.
    public var version: FormatVersion
    /// Everything on sale, in the order of the file; subscriptions follow in the order of their groups.
    public var products: [ConfiguredProduct]
    /// The groups of subscriptions.
    public var groups: [SubscriptionGroup]
    /// How the store behaves.
    public var settings: StoreSettings
    /// The key that signs promotional offers; nil where the file has none.
    public var offersKey: OffersKey?

    /// Describes a store.
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

    /// The version of a `.storekit` file's format.
    public struct FormatVersion: Sendable, Hashable {
        /// 2 to 5 are known.
        public var major: Int
        /// 0 in all known files.
        public var minor: Int

        /// Takes a version.
        public init(major: Int, minor: Int) {
            self.major = major
            self.minor = minor
        }
    }

    /// The product with an id, compared byte by byte.
    public func product(_ id: String) -> ConfiguredProduct? {
        products.first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}
