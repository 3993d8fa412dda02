internal import ReceiptTypes

/// A price as a store of a country writes it in a language. Enough to look right in a test, and no more than a table.
enum PriceText {
    static func text(_ price: Milliunits, currency: String, locale: String) -> String {
        let style = Style(language: locale)
        let places = withoutMinorUnit.contains(currency) ? 0 : 2
        let number = digits(price, places, style)
        let symbol = symbols.first { $0.currency == currency }?.symbol ?? currency
        let isWord = symbol.utf8.count > 2 && symbol == currency
        let sign = price.rawValue < 0 ? "-" : ""
        return style.isSymbolFirst
            ? "\(sign)\(symbol)\(isWord ? "\u{a0}" : "")\(number)" : "\(sign)\(number)\u{a0}\(symbol)"
    }

    private struct Style {
        let group: String
        let decimal: String
        let isSymbolFirst: Bool

        init(language locale: String) {
            let language = String(
                decoding: locale.utf8.prefix { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self)
            switch language {
            case "de", "es", "it", "nl", "da", "el", "id": (group, decimal, isSymbolFirst) = (".", ",", false)
            case "fr", "ru", "pl", "sv", "nb", "cs", "fi", "hu", "uk":
                (group, decimal, isSymbolFirst) = ("\u{a0}", ",", false)
            case "pt", "tr": (group, decimal, isSymbolFirst) = (".", ",", true)
            default: (group, decimal, isSymbolFirst) = (",", ".", true)
            }
        }
    }

    private static func digits(_ price: Milliunits, _ places: Int, _ style: Style) -> String {
        let (units, rest) = price.rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
        var text = ""
        let whole = [UInt8]("\(units)".utf8)
        for (offset, digit) in whole.enumerated() {
            if offset > 0, (whole.count - offset).isMultiple(of: 3) { text += style.group }
            text.unicodeScalars.append(Unicode.Scalar(digit))
        }
        var fraction = String(String(rest + 1000).dropFirst())
        // What is there is shown, also where the currency has nothing so small.
        while fraction.utf8.count > places, fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? text : text + style.decimal + fraction
    }

    private static let withoutMinorUnit = ["JPY", "KRW", "VND", "CLP", "HUF", "IDR", "TWD"]
    private static let symbols: [(currency: String, symbol: String)] = [
        ("USD", "$"), ("EUR", "€"), ("GBP", "£"), ("JPY", "¥"), ("CNY", "¥"), ("KRW", "₩"), ("INR", "₹"),
        ("BRL", "R$"), ("TRY", "₺"), ("RUB", "₽"), ("ILS", "₪"), ("PLN", "zł"), ("CAD", "$"), ("AUD", "$"),
        ("NZD", "$"), ("MXN", "$"),
    ]
}
