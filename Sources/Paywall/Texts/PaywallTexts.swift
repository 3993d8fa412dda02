public import PurchaseCore
public import ReceiptTypes

/// Writes what the screens of purchases show, in the customer's language.
///
/// All texts come from one `MessageCatalog`, so an app replaces a text, or adds a language, by merging its own catalog
/// with `MessageCatalog.paywall`.
///
/// ```swift
/// let texts = PaywallTexts(languages: preferredLanguages)
/// let price = texts.price(of: product)  // "$39.99 per year"
/// let perMonth = texts.derivedPrice(of: product, per: .month)?.text  // "about $3.33 per month"
/// ```
public struct PaywallTexts: Sendable {
    /// The customer's languages as BCP 47 tags, in the order of preference.
    public let languages: [String]
    /// The texts; one that it lacks is taken from `MessageCatalog.paywall`.
    public let catalog: MessageCatalog
    /// Every text in the customer's language only, because a long history would match the languages for each of its
    /// rows.
    private let chosen: MessageCatalog
    private let writeDay: (@Sendable (Timestamp) -> String)?

    /// Creates the texts for a customer.
    ///
    /// - Parameters:
    ///   - languages: The languages as BCP 47 tags, such as `Locale.preferredLanguages`.
    ///   - catalog: The texts.
    ///   - day: Writes a day as the customer reads it. The package has no time zones, so the default is the day in UTC,
    ///     in the words of the catalog: `November 22, 2026`.
    public init(
        languages: [String], catalog: MessageCatalog = .paywall,
        day: (@Sendable (Timestamp) -> String)? = nil
    ) {
        self.languages = languages
        self.catalog = catalog
        let all = MessageCatalog.paywall.merging(catalog)
        chosen = MessageCatalog(
            Dictionary(
                all.texts.keys.compactMap { key in
                    // Without values, the placeholders stay.
                    all.text(MessageKey(rawValue: key), languages: languages).map { (key, ["en": $0]) }
                }, uniquingKeysWith: { first, _ in first }))
        writeDay = day
    }

    /// Returns the day of an instant as the customer reads it.
    public func day(of date: Timestamp) -> String { writeDay?(date) ?? writtenDay(of: date) }

    func text(_ message: some CustomerMessage, _ values: [String: String] = [:]) -> String {
        text(message.key, values) ?? message.rawValue
    }

    /// Returns a text with a number, whose form depends on it in English: `1 day`, `2 days`.
    func text(_ message: some CountedMessage, count: Int, _ values: [String: String] = [:]) -> String {
        let values = values.merging(["count": "\(count)"]) { own, _ in own }
        return text(message.key(isOne: count == 1), values) ?? message.rawValue
    }

    /// Returns the translation of a text of the app; the text itself if the catalog does not have it as a key.
    func translation(of text: String) -> String { self.text(MessageKey(rawValue: text), [:]) ?? text }

    /// Returns a text with its placeholders filled in; nil if there is no such text.
    func text(_ key: MessageKey, _ values: [String: String] = [:]) -> String? {
        chosen.text(key, languages: [], values: values)
    }
}

// MARK: - Lengths and prices

extension PaywallTexts {
    /// Returns a length of time in words, such as `7 days` for `P1W` and `1 year 6 months` for `P18M`.
    ///
    /// - Parameters:
    ///   - period: The length.
    ///   - count: The number of times that it is repeated.
    public func length(_ period: BillingPeriod, times count: Int = 1) -> String {
        let count = max(1, count)
        guard let total = period.repeated(count) else { return "\(count) × \(length(period))" }
        let parts: [(LengthMessage, Int)] = [
            (.years, total.months / 12), (.months, total.months % 12), (.days, total.days),
        ]
        let words = parts.filter { $0.1 > 0 }.map { text($0.0, count: $0.1) }
        return words.dropFirst().reduce(words.first ?? "") { text(PriceMessage.pair, ["first": $0, "second": $1]) }
    }

    /// Returns the price of a product: the store's own text, and for a subscription the time that it pays for.
    public func price(of product: Product) -> String {
        guard let period = product.subscription?.period else { return product.displayPrice }
        return price(product.displayPrice, per: period)
    }

    /// Returns a price with the time that it pays for, such as `$9.99 per month` and `$9.99 every 3 months`.
    func price(_ price: String, per period: BillingPeriod) -> String {
        let rate: (RateMessage, Int)? =
            switch (period.months, period.days) {
            case (let months, 0) where months.isMultiple(of: 12): (.years, months / 12)
            case (let months, 0): (.months, months)
            case (0, let days) where days.isMultiple(of: 7): (.weeks, days / 7)
            case (0, let days): (.days, days)
            default: nil
            }
        guard let rate else { return text(PriceMessage.every, ["price": price, "length": length(period)]) }
        return text(rate.0, count: rate.1, ["price": price])
    }

    /// Returns an amount in a product's currency, in the notation of the store's own text for the product.
    func amount(_ amount: Milliunits, like product: Product) -> String {
        self.amount(amount, product.currency, like: product)
    }

    /// Returns an amount in the notation of a product in the same currency.
    ///
    /// Without such a product, and where its text cannot be read, the amount stands after the code of the currency:
    /// `USD 3.33`.
    func amount(_ amount: Milliunits, _ currency: String, like product: Product?) -> String {
        let decimals = CurrencyDecimals.count(of: currency)
        if let product, product.currency == currency {
            if amount == product.price { return product.displayPrice }
            let pattern = PricePattern(product.displayPrice, of: product.price)
            if let text = pattern?.text(amount, decimals: decimals) { return text }
        }
        return "\(currency) \(amount.text(decimals: decimals))"
    }

    /// Returns the smallest amount that a price in a currency can show.
    private static func smallestAmount(in currency: String) -> Milliunits {
        [Milliunits(1000), Milliunits(100), Milliunits(10), Milliunits(1)][CurrencyDecimals.count(of: currency)]
    }

    /// Returns what a subscription costs for a shorter period, marked as derived; nil if there is no such price.
    ///
    /// It is rounded down to what the currency can show. There is none for a period that is not shorter than the
    /// subscription's own, because the customer cannot pay it, and none that would read as zero.
    public func derivedPrice(of product: Product, per period: BillingPeriod) -> DerivedPriceText? {
        guard let own = product.subscription?.period, let price = product.derivedPrice(per: own),
            let derived = product.derivedPrice(per: period), derived < price,
            let shown = derived.roundedDown(toMultipleOf: Self.smallestAmount(in: product.currency)),
            shown.rawValue > 0
        else { return nil }
        let isExact = derived.isWhole && derived.roundedDown() == shown
        let words = self.price(amount(shown, like: product), per: period)
        return DerivedPriceText(
            text: text(isExact ? PriceMessage.derivedExact : .derivedRounded, ["price": words]), price: shown,
            period: period, isExact: isExact)
    }
}

/// A price that the store does not charge, for comparing subscriptions: that of a year for a month.
///
/// Show it smaller than the full price, and never in place of it.
public struct DerivedPriceText: Sendable, Hashable {
    /// The price in words that mark it as derived, such as `about $3.33 per month`.
    public let text: String
    /// The price in thousandths of the currency, rounded down to what the currency can show.
    public let price: Milliunits
    /// The period that the price is for.
    public let period: BillingPeriod
    /// Whether nothing was rounded.
    public let isExact: Bool
}

extension BillingPeriod {
    /// Returns the length of several periods; nil beyond the longest period.
    fileprivate func repeated(_ count: Int) -> BillingPeriod? {
        let (months, manyMonths) = months.multipliedReportingOverflow(by: count)
        let (days, manyDays) = days.multipliedReportingOverflow(by: count)
        return manyMonths || manyDays ? nil : BillingPeriod(months: months, days: days)
    }
}
