public import ReceiptTypes

extension Product {
    /// What the subscription costs for a period of another length, rounded down; nil for what is no subscription.
    ///
    /// To compare prices and for nothing else: a year counts 365 days and twelve months of the same length. The same period,
    /// however it is written, costs exactly the price.
    public func price(per period: BillingPeriod) -> Milliunits? {
        guard let own = subscription?.period, price.rawValue >= 0 else { return nil }
        let (high, low) = UInt64(price.rawValue).multipliedFullWidth(by: period.twelfthsOfADay)
        // A quotient of more than 64 bits is no price.
        guard high < own.twelfthsOfADay else { return nil }
        let quotient = own.twelfthsOfADay.dividingFullWidth((high, low)).quotient
        return Int64(exactly: quotient).map(Milliunits.init)
    }
}

extension BillingPeriod {
    /// The length, a year being 365 days, in the largest unit that has no fractions. Both numbers are below a thousand years.
    fileprivate var twelfthsOfADay: UInt64 { UInt64(months * 365 + days * 12) }
}
