public import ReceiptTypes

extension Milliunits {
    /// Parses a decimal such as `39.99` without floating point.
    ///
    /// Returns nil for any other string, and for a value outside the range of `Int64` or finer than a thousandth.
    public init?(decimal text: String) {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        var fraction = parts.count == 2 ? [UInt8](parts[1]) : []
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard fraction.count <= 3 else { return nil }
        fraction += Array(repeating: UInt8(ascii: "0"), count: 3 - fraction.count)
        var value: Int64 = 0
        for digit in parts[0] + fraction {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - UInt8(ascii: "0"))
            let (sum, overflow) =
                isNegative
                ? product.subtractingReportingOverflow(step) : product.addingReportingOverflow(step)
            guard !tooLarge, !overflow else { return nil }
            value = sum
        }
        self.init(value)
    }
}

extension Product {
    /// Returns the subscription's price for a period of another length, rounded down; nil for other products.
    ///
    /// Use it only to compare prices: it counts 365 days and twelve equally long months to a year. For the subscription's own
    /// period, in any notation, it returns exactly the price.
    public func price(per period: BillingPeriod) -> Milliunits? {
        guard let own = subscription?.period, price.rawValue >= 0 else { return nil }
        let (high, low) = UInt64(price.rawValue).multipliedFullWidth(by: period.twelfthsOfADay)
        // The quotient does not fit into 64 bits.
        guard high < own.twelfthsOfADay else { return nil }
        let quotient = own.twelfthsOfADay.dividingFullWidth((high, low)).quotient
        return Int64(exactly: quotient).map(Milliunits.init)
    }
}

extension BillingPeriod {
    /// The length in twelfths of a day, a unit in which months and days are whole numbers if a year has 365 days.
    // Cannot overflow: the number of months and the number of days of a period are limited.
    fileprivate var twelfthsOfADay: UInt64 { UInt64(months * 365 + days * 12) }
}
