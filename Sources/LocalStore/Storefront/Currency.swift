public import ReceiptTypes

/// A currency that the App Store charges in, with the notation of its prices.
public struct Currency: Sendable, Hashable {
    /// The ISO 4217 code, such as `EUR`.
    public let code: String
    /// The number of decimals in ISO 4217.
    public let decimals: Int
    /// The unambiguous English symbol, such as `€` or `CA$`; nil for a currency that is written with its code.
    public let symbol: String?

    /// Creates a currency.
    public init(code: String, decimals: Int = 2, symbol: String? = nil) {
        self.code = code
        self.decimals = decimals
        self.symbol = symbol
    }

    /// Returns the price as the customer sees it, without rounding.
    ///
    /// The notation is English in every locale, so output does not depend on the machine: symbol and amount (`€4.99`),
    /// or code, no-break space and amount (`CHF 4.99`). The amount has a decimal point and no thousands separators. It
    /// has the decimals of the currency, and more where the price needs them.
    public func displayPrice(_ price: Milliunits) -> String {
        let sign = price.rawValue < 0 ? "-" : ""
        let amount = price.text(decimals: decimals).dropFirst(sign.count)
        return sign + (symbol.map { $0 + amount } ?? "\(code)\u{a0}\(amount)")
    }
}

extension Currency {
    /// US dollars, which the App Store charges in every storefront without a local currency.
    public static let usDollar = Currency(code: "USD", symbol: "$")
    /// The euro.
    public static let euro = Currency(code: "EUR", symbol: "€")

    /// The currencies that the App Store charges in.
    public static let known: [Currency] = [
        usDollar, euro,
        Currency(code: "AED"),
        Currency(code: "AUD", symbol: "A$"),
        Currency(code: "BRL", symbol: "R$"),
        Currency(code: "CAD", symbol: "CA$"),
        Currency(code: "CHF"),
        Currency(code: "CLP", decimals: 0),
        Currency(code: "CNY", symbol: "CN¥"),
        Currency(code: "COP"),
        Currency(code: "CZK"),
        Currency(code: "DKK"),
        Currency(code: "EGP"),
        Currency(code: "GBP", symbol: "£"),
        Currency(code: "HKD", symbol: "HK$"),
        Currency(code: "HUF"),
        Currency(code: "IDR"),
        Currency(code: "ILS", symbol: "₪"),
        Currency(code: "INR", symbol: "₹"),
        Currency(code: "JPY", decimals: 0, symbol: "¥"),
        Currency(code: "KRW", decimals: 0, symbol: "₩"),
        Currency(code: "KZT"),
        Currency(code: "MXN", symbol: "MX$"),
        Currency(code: "MYR"),
        Currency(code: "NGN"),
        Currency(code: "NOK"),
        Currency(code: "NZD", symbol: "NZ$"),
        Currency(code: "PEN"),
        Currency(code: "PHP"),
        Currency(code: "PKR"),
        Currency(code: "PLN"),
        Currency(code: "QAR"),
        Currency(code: "RON"),
        Currency(code: "RUB"),
        Currency(code: "SAR"),
        Currency(code: "SEK"),
        Currency(code: "SGD"),
        Currency(code: "THB"),
        Currency(code: "TRY"),
        Currency(code: "TWD", symbol: "NT$"),
        Currency(code: "TZS"),
        Currency(code: "VND", decimals: 0, symbol: "₫"),
        Currency(code: "ZAR"),
    ]

    /// Returns the currency with an ISO 4217 code, or nil where the App Store does not charge in it.
    public static func named(_ code: String) -> Currency? {
        known.first { $0.code.utf8.elementsEqual(code.utf8) }
    }
}
