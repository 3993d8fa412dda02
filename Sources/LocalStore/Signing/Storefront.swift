internal import ReceiptTypes

/// What a storefront adds to a country: its number and its currency.
struct Storefront {
    let code: String
    let number: String
    let currency: String

    /// A country that is not in the table has the dollar and no number of its own.
    init(code: String) {
        let known = Self.table.first { $0.code.isIdentical(to: code) }
        self.code = code
        number = known?.number ?? "143441"
        currency = known?.currency ?? "USD"
    }

    // The App Store's numbers of storefronts, and the currencies in which they sell.
    private static let table: [(code: String, number: String, currency: String)] = [
        ("USA", "143441", "USD"), ("CAN", "143455", "CAD"), ("MEX", "143468", "MXN"), ("BRA", "143503", "BRL"),
        ("GBR", "143444", "GBP"), ("IRL", "143449", "EUR"), ("DEU", "143443", "EUR"), ("FRA", "143442", "EUR"),
        ("ITA", "143450", "EUR"), ("ESP", "143454", "EUR"), ("NLD", "143452", "EUR"), ("BEL", "143446", "EUR"),
        ("AUT", "143445", "EUR"), ("PRT", "143453", "EUR"), ("FIN", "143447", "EUR"), ("GRC", "143448", "EUR"),
        ("LUX", "143451", "EUR"), ("CHE", "143459", "CHF"), ("SWE", "143456", "SEK"), ("NOR", "143457", "NOK"),
        ("DNK", "143458", "DKK"), ("POL", "143478", "PLN"), ("CZE", "143489", "CZK"), ("HUN", "143482", "HUF"),
        ("TUR", "143480", "TRY"), ("RUS", "143469", "RUB"), ("ISR", "143491", "ILS"), ("SAU", "143479", "SAR"),
        ("ARE", "143481", "AED"), ("ZAF", "143472", "ZAR"), ("IND", "143467", "INR"), ("IDN", "143476", "IDR"),
        ("THA", "143475", "THB"), ("SGP", "143464", "SGD"), ("HKG", "143463", "HKD"), ("TWN", "143470", "TWD"),
        ("CHN", "143465", "CNY"), ("JPN", "143462", "JPY"), ("KOR", "143466", "KRW"), ("AUS", "143460", "AUD"),
        ("NZL", "143461", "NZD"),
    ]
}
