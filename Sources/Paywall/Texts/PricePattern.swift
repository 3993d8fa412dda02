internal import PurchaseCore
internal import ReceiptTypes

/// The notation of a store's price text, to write other amounts of the same currency in the same way.
///
/// A store gives one text for each product, and none for the price of an offer or the price per month. The pattern is
/// read from the text of a known amount: from `39,99 €` follows `3,33 €`. So nothing here knows a locale, and a symbol,
/// a side or a digit of any script stays as the store writes it.
struct PricePattern {
    private let prefix: String
    private let suffix: String
    /// The zero of the digits, such as `0`.
    private let zero: Unicode.Scalar
    /// The separator before the fraction; nil if the text has none and it does not follow from the other separator.
    private let decimalSeparator: Unicode.Scalar?
    private let groupSeparator: Unicode.Scalar?
    /// The number of digits of the last group, and of the groups before it.
    private let groupSizes: (last: Int, others: Int)
    private let hasFraction: Bool

    /// Reads the notation of a price text; nil if the text does not have the amount, or has no amount above zero.
    init?(_ text: String, of amount: Milliunits) {
        let scalars = Array(text.unicodeScalars)
        guard amount.rawValue > 0, let first = scalars.firstIndex(where: \.isDigit),
            let last = scalars.lastIndex(where: \.isDigit),
            let zero = scalars[first].zeroOfItsScript
        else { return nil }
        // The digits between separators.
        var groups = [""]
        var separators: [Unicode.Scalar] = []
        for scalar in scalars[first...last] {
            if let digit = scalar.value(after: zero) {
                groups[groups.count - 1].append(digit)
            } else {
                guard Self.separators.contains(scalar) else { return nil }
                separators.append(scalar)
                groups.append("")
            }
        }
        guard groups.allSatisfy({ !$0.isEmpty }) else { return nil }
        // The amount decides whether the last separator stands before a fraction: 1,000 is either.
        if let decimal = separators.last, let fraction = groups.last, Set(separators.dropLast()).count <= 1,
            !separators.dropLast().contains(decimal),
            Milliunits(decimal: "\(groups.dropLast().joined()).\(fraction)") == amount
        {
            hasFraction = true
            decimalSeparator = decimal
            separators.removeLast()
            groups.removeLast()
        } else if Set(separators).count <= 1, Milliunits(decimal: groups.joined()) == amount {
            hasFraction = false
            decimalSeparator = separators.first.map(Self.decimalSeparator)
        } else {
            return nil
        }
        groupSeparator = separators.first
        let size = separators.isEmpty ? 3 : groups.last?.count ?? 3
        groupSizes = (size, groups.count > 2 ? groups[groups.count - 2].count : size)
        prefix = String(String.UnicodeScalarView(scalars[..<first]))
        suffix = String(String.UnicodeScalarView(scalars[(last + 1)...]))
        self.zero = zero
    }

    /// Returns an amount in the notation of the text; nil if it is negative or needs a separator that is not known.
    ///
    /// - Parameter decimals: The number of decimals of the currency. A whole amount has none if the text has none.
    func text(_ amount: Milliunits, decimals: Int) -> String? {
        guard amount.rawValue >= 0 else { return nil }
        let isShort = !hasFraction && amount.rawValue.isMultiple(of: 1000)
        let parts = amount.text(decimals: isShort ? 0 : decimals).split(separator: ".")
        var number = grouped(parts.first.map { String($0) } ?? "")
        if let fraction = parts.dropFirst().first {
            guard let decimalSeparator else { return nil }
            number.append(Character(decimalSeparator))
            number += fraction
        }
        return prefix + written(number) + suffix
    }

    private func grouped(_ units: String) -> String {
        guard let groupSeparator, groupSizes.last > 0, groupSizes.others > 0 else { return units }
        var groups: [Substring] = []
        var rest = units[...]
        while rest.count > (groups.isEmpty ? groupSizes.last : groupSizes.others) {
            let size = groups.isEmpty ? groupSizes.last : groupSizes.others
            groups.insert(rest.suffix(size), at: 0)
            rest = rest.dropLast(size)
        }
        return ([rest] + groups).joined(separator: String(groupSeparator))
    }

    /// Replaces the digits of ASCII by those of the text.
    private func written(_ number: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in number.unicodeScalars {
            text.append(scalar.value(after: "0").flatMap { $0.wholeNumberValue }.flatMap { zero.digit($0) } ?? scalar)
        }
        return String(text)
    }

    /// The characters that stores write between digits: points, commas, apostrophes, spaces, and the Arabic separators.
    private static let separators: Set<Unicode.Scalar> = [
        ".", ",", "'", "\u{2019}", " ", "\u{A0}", "\u{202F}", "\u{2009}", "\u{66B}", "\u{66C}",
    ]

    /// Returns the separator that stands before a fraction where another one stands between groups.
    private static func decimalSeparator(beside groupSeparator: Unicode.Scalar) -> Unicode.Scalar {
        switch groupSeparator {
        case ",", "'", "\u{2019}": "."
        case "\u{66C}": "\u{66B}"
        default: ","
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { properties.numericType == .decimal }

    /// The zero of the script of this digit; nil for any other character.
    fileprivate var zeroOfItsScript: Unicode.Scalar? {
        guard isDigit, let value = properties.numericValue, (0...9).contains(value) else { return nil }
        return Unicode.Scalar(self.value - UInt32(value))
    }

    /// Returns the ASCII digit for this digit of a script; nil for any other character.
    fileprivate func value(after zero: Unicode.Scalar) -> Character? {
        guard value >= zero.value, value - zero.value <= 9 else { return nil }
        return Character(String(value - zero.value))
    }

    fileprivate func digit(_ number: Int) -> Unicode.Scalar? { Unicode.Scalar(value + UInt32(number)) }
}
