internal import PurchaseCore
internal import ReceiptTypes

/// Reads prices as decimal text, never through a binary floating-point number.
enum PriceText {
    /// The defect of a price.
    enum Problem: Hashable {
        /// The text is not a decimal number, but can be read as one.
        case loose
        /// The text is not a decimal number.
        case unreadable
        case negative
        case tooPrecise
        case outOfRange
    }

    /// Reads a price, with its defect if it has one; an unreadable price is zero.
    static func read(_ text: String) -> (price: Milliunits, problem: Problem?) {
        if let price = Milliunits(decimal: text) {
            if text.utf8.first == UInt8(ascii: "-") { return (Milliunits(0), .negative) }
            guard price.rawValue <= ConfigurationBudget.price
            else { return (Milliunits(ConfigurationBudget.price), .outOfRange) }
            return (price, nil)
        }
        guard let digits = Digits(text) else {
            guard let loose = normalized(text), let price = Digits(loose)?.price else {
                return (Milliunits(0), .unreadable)
            }
            return (price, .loose)
        }
        if digits.isNegative { return (Milliunits(0), .negative) }
        return (digits.price, digits.isTooPrecise ? .tooPrecise : .outOfRange)
    }

    /// Returns the text without surrounding currency symbols and spaces, and with a decimal point for a decimal comma.
    ///
    /// A comma before three digits stays, because it could be a thousands separator.
    private static func normalized(_ text: String) -> String? {
        guard text.utf8.count <= ConfigurationBudget.quotedSize else { return nil }
        let signs: Set<Unicode.Scalar> = ["$", "€", "£", "¥", "₹", " ", "\t", "\u{a0}"]
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.last, signs.contains(last) { scalars.removeLast() }
        scalars = Array(scalars.drop { signs.contains($0) })
        if let comma = scalars.firstIndex(of: ","), (1...2).contains(scalars.count - comma - 1) {
            scalars[comma] = "."
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// A decimal of any length and precision.
    private struct Digits {
        var isNegative: Bool
        var isTooPrecise: Bool
        /// The value, truncated to thousandths and limited to the highest price.
        var price: Milliunits

        init?(_ text: String) {
            var bytes = text.utf8[...]
            isNegative = bytes.first == UInt8(ascii: "-")
            if isNegative { bytes = bytes.dropFirst() }
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let decimals = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(decimals.contains) })
            else { return nil }
            let fraction = parts.count == 2 ? Array(parts[1]) : []
            isTooPrecise = fraction.dropFirst(3).contains { $0 != UInt8(ascii: "0") }
            let thousandths = (fraction.prefix(3) + [0, 0, 0].map { _ in UInt8(ascii: "0") }).prefix(3)
            var value: Int64 = 0
            for digit in Array(parts[0]) + thousandths {
                // Cannot overflow: the value is at most the highest price, 10¹⁵, before the multiplication.
                value = min(value * 10 + Int64(digit - UInt8(ascii: "0")), ConfigurationBudget.price)
            }
            price = Milliunits(value)
        }
    }
}
