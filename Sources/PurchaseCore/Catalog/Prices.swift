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
    /// Use it only to compare prices: it counts 365 days and twelve equally long months to a year. For the
    /// subscription's own period, in any notation, it returns exactly the price.
    public func price(per period: BillingPeriod) -> Milliunits? {
        guard let own = subscription?.period, price.rawValue >= 0 else { return nil }
        let (high, low) = UInt64(price.rawValue).multipliedFullWidth(by: period.twelfthsOfADay)
        // The quotient does not fit into 64 bits.
        guard high < own.twelfthsOfADay else { return nil }
        let quotient = own.twelfthsOfADay.dividingFullWidth((high, low)).quotient
        return Int64(exactly: quotient).map(Milliunits.init)
    }
}

// MARK: Exact derived prices

/// A price that is derived from another one, such as the monthly price of a yearly subscription, as an exact fraction.
///
/// Round it only for display: the customer must not pay more than the shown price says.
public struct DerivedPrice: Sendable, Hashable {
    /// The numerator of the price in thousandths of the currency, in lowest terms.
    public let numerator: UInt64
    /// The denominator, at least 1, in lowest terms.
    public let denominator: UInt64

    /// Creates price × factor / divisor in lowest terms; nil if the numerator exceeds 64 bits or the divisor is zero.
    fileprivate init?(_ price: UInt64, times factor: UInt64, dividedBy divisor: UInt64) {
        guard divisor > 0 else { return nil }
        let common = Self.divisor(factor, divisor)
        let (factor, rest) = (factor / common, divisor / common)
        let shared = Self.divisor(price, rest)
        let (product, overflow) = (price / shared).multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        numerator = product
        denominator = rest / shared
    }

    /// Whether the price is a whole number of thousandths.
    public var isWhole: Bool { denominator == 1 }

    /// Returns the price rounded down to a multiple of a unit, such as 10 for cents; nil for a unit below 1.
    public func roundedDown(toMultipleOf unit: Milliunits = Milliunits(1)) -> Milliunits? {
        guard unit.rawValue >= 1, let whole = Int64(exactly: numerator / denominator) else { return nil }
        return Milliunits(whole - whole % unit.rawValue)
    }

    /// Returns how many percent this price is below another one, rounded down; nil if it is not below, or beyond 64
    /// bits.
    public func percentBelow(_ other: DerivedPrice) -> Int? {
        let (own, tooLarge) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (reference, overflow) = other.numerator.multipliedReportingOverflow(by: denominator)
        guard !tooLarge, !overflow, own < reference else { return nil }
        let (high, low) = (reference - own).multipliedFullWidth(by: 100)
        // The difference is at most the reference, so the quotient is at most 100.
        return Int(reference.dividingFullWidth((high, low)).quotient)
    }

    /// Returns the greatest common divisor, at least 1.
    private static func divisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var (left, right) = (left, right)
        while right > 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }
}

extension DerivedPrice: Comparable {
    /// Returns whether the first price is lower.
    public static func < (left: Self, right: Self) -> Bool {
        left.numerator.multipliedFullWidth(by: right.denominator)
            < right.numerator.multipliedFullWidth(by: left.denominator)
    }
}

extension Product {
    /// Returns the subscription's exact price for a period of another length; nil for other products.
    ///
    /// It counts 365 days and twelve equally long months to a year, as ``price(per:)`` does.
    public func derivedPrice(per period: BillingPeriod) -> DerivedPrice? {
        guard let own = subscription?.period, let price = UInt64(exactly: price.rawValue) else { return nil }
        return DerivedPrice(price, times: period.twelfthsOfADay, dividedBy: own.twelfthsOfADay)
    }
}

extension ProductOffer {
    /// The sum of all payments of the offer in thousandths of the currency; nil beyond 64 bits.
    public var totalPrice: Milliunits? {
        guard paymentMode == .payAsYouGo else { return paymentMode == .freeTrial ? Milliunits(0) : price }
        let (sum, overflow) = price.rawValue.multipliedReportingOverflow(by: Int64(periodCount))
        return overflow ? nil : Milliunits(sum)
    }
}

extension BillingPeriod {
    /// The length in twelfths of a day, a unit in which months and days are whole numbers if a year has 365 days.
    // Cannot overflow: the number of months and the number of days of a period are limited.
    fileprivate var twelfthsOfADay: UInt64 { UInt64(months * 365 + days * 12) }
}
