extension Currency {
    /// US dollars, in which the App Store sells wherever it does not take the currency of the place.
    public static let usDollar = Currency(code: "USD", symbol: "$")
    /// Euros.
    public static let euro = Currency(code: "EUR", symbol: "€")

    /// The currencies that the App Store sells in.
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

    /// The currency of a code of ISO 4217; nil where the App Store does not sell in it.
    public static func named(_ code: String) -> Currency? {
        known.first { $0.code.utf8.elementsEqual(code.utf8) }
    }
}
