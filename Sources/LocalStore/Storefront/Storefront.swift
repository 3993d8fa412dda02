/// A country or region with an App Store of its own.
public struct Storefront: Sendable, Hashable, Identifiable {
    /// The code of ISO 3166-1 with three letters, such as `USA`.
    public let code: String
    /// The number that the App Store has for it, such as `143441`.
    public let id: String
    /// The currency that customers pay in.
    public let currency: Currency

    /// Describes a storefront.
    public init(code: String, id: String, currency: Currency) {
        self.code = code
        self.id = id
        self.currency = currency
    }

    /// The storefront of a code, compared byte by byte; nil where the App Store has none that is known here.
    public init?(code: String) {
        guard let storefront = Self.known.first(where: { $0.code.utf8.elementsEqual(code.utf8) }) else { return nil }
        self = storefront
    }
}

extension StoreSettings {
    /// The storefront that the settings name; for one that is not known, the one of the United States.
    public var knownStorefront: Storefront { Storefront(code: storefront) ?? .unitedStates }
}

extension ConfiguredProduct {
    /// The price as a customer of a storefront sees it.
    public func displayPrice(in storefront: Storefront) -> String { storefront.currency.displayPrice(price) }
}
