public import ReceiptTypes

/// A currency of the App Store, and how prices in it are written.
public struct Currency: Sendable, Hashable {
    /// The code of ISO 4217, such as `EUR`.
    public let code: String
    /// The decimals that ISO 4217 gives it.
    public let decimals: Int
    /// The sign that no other currency shares in English, such as `€` or `CA$`; nil for those that are written by code.
    public let symbol: String?

    /// Describes a currency.
    public init(code: String, decimals: Int = 2, symbol: String? = nil) {
        self.code = code
        self.decimals = decimals
        self.symbol = symbol
    }

    /// The price as a customer sees it, exactly.
    ///
    /// It is English in every language, so that one file looks the same everywhere: the sign and the amount (`€4.99`),
    /// or the code, a no-break space and the amount (`CHF 4.99`). The amount has a point, no marks between thousands,
    /// and the currency's decimals; a price with finer parts shows those as well, since a price is never rounded.
    public func displayPrice(_ price: Milliunits) -> String {
        let (units, rest) = price.rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
        var places = String(String(rest + 1000).dropFirst())
        while places.utf8.count > max(decimals, 0), places.last == "0" { places.removeLast() }
        let amount = places.isEmpty ? "\(units)" : "\(units).\(places)"
        let sign = price.rawValue < 0 ? "-" : ""
        return sign + (symbol.map { $0 + amount } ?? "\(code)\u{a0}\(amount)")
    }
}
