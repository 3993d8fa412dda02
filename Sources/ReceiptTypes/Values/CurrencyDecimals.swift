/// The number of decimals with which amounts of a currency are written (ISO 4217).
package enum CurrencyDecimals {
    private static let none: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
        "XPF",
    ]
    private static let three: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

    /// Returns the number of decimals of a currency: 2 for an unknown code, and for none.
    package static func count(of code: String?) -> Int {
        guard let code else { return 2 }
        return none.contains(code) ? 0 : three.contains(code) ? 3 : 2
    }
}
