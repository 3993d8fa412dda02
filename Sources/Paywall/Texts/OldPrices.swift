public import PurchaseCore

/// Prices on a paywall that may have changed, because the store could not be asked.
///
/// The customer pays the price that the store shows at the purchase.
public struct OldPrices: Sendable, Hashable {
    /// The ids of the products whose prices are not the store's of this session.
    public let productIDs: [String]
    /// The milliseconds since the store returned the oldest of the prices; nil if that is not known.
    public let ageMilliseconds: Int64?

    /// Returns the prices that are not the store's of this session; nil if there are none.
    public init?(_ metadata: ProductMetadata) {
        let old = metadata.items.filter { $0.source != .store }
        guard !old.isEmpty else { return nil }
        productIDs = old.map(\.product.id)
        let ages = old.compactMap(\.ageMilliseconds)
        ageMilliseconds = ages.count == old.count ? ages.max() : nil
    }
}

extension PaywallTexts {
    /// Returns the warning that prices may have changed, with their age in hours or days, rounded up.
    public func warning(of prices: OldPrices) -> String {
        guard let age = prices.ageMilliseconds else { return text(PriceMessage.ageUnknown) }
        func count(_ unit: Int64) -> Int { Int(clamping: max(1, age / unit + (age % unit > 0 ? 1 : 0))) }
        let hour: Int64 = 3_600_000
        let isInHours = age <= 48 * hour
        return text(isInHours ? PriceAgeMessage.hours : .days, count: count(isInHours ? hour : 24 * hour))
    }
}

/// The warning that prices may have changed.
enum PriceAgeMessage: String, CountedMessage {
    case hours = "price.age.hours"
    case days = "price.age.days"

    func texts(isOne: Bool) -> [String] {
        switch self {
        case .hours:
            [
                isOne
                    ? "The prices are {count} hour old and may have changed. You pay the price that the store shows."
                    : "The prices are {count} hours old and may have changed. You pay the price that the store shows.",
                "価格は{count}時間前のもので、変更されている可能性があります。お支払い額はストアに表示される価格です。",
                "价格为 {count} 小时前的信息，可能已变动。实际以商店显示的价格为准。",
            ]
        case .days:
            [
                isOne
                    ? "The prices are {count} day old and may have changed. You pay the price that the store shows."
                    : "The prices are {count} days old and may have changed. You pay the price that the store shows.",
                "価格は{count}日前のもので、変更されている可能性があります。お支払い額はストアに表示される価格です。",
                "价格为 {count} 天前的信息，可能已变动。实际以商店显示的价格为准。",
            ]
        }
    }
}
