import PurchaseCore
import ReceiptTypes
import SQLite

// A product is one sealed value: its fields in the order of their declaration, and a number before each list.
extension Product {
    static let fieldsName = "product"

    /// The product as fields to seal.
    var fields: SealedFields {
        var values: [SQLiteValue] = [
            .text(id), .text(type.rawValue), .text(displayName), .text(description), .integer(price.rawValue),
            .text(currency), .text(displayPrice), .integer(isFamilyShareable ? 1 : 0),
            .integer(subscription == nil ? 0 : 1),
        ]
        if let subscription { values += subscription.values }
        return SealedFields(of: Self.fieldsName, values)
    }

    /// Reads the fields of a product; nil if they are not ones that this version writes.
    init?(_ fields: FieldReader) {
        var values = fields
        guard let id = values.text(), let type = values.text(),
            let displayName = values.text(),
            let description = values.text(), let price = values.integer(), let currency = values.text(),
            let displayPrice = values.text(), let isFamilyShareable = values.integer(),
            let hasSubscription = values.integer()
        else { return nil }
        let subscription = hasSubscription == 0 ? nil : SubscriptionTerms(&values)
        guard (subscription != nil) == (hasSubscription != 0), values.isEmpty else { return nil }
        self.init(
            id: id, type: ProductType(rawValue: type), displayName: displayName, description: description,
            price: Milliunits(price), currency: currency, displayPrice: displayPrice,
            isFamilyShareable: isFamilyShareable != 0, subscription: subscription)
    }
}

extension SubscriptionTerms {
    fileprivate var values: [SQLiteValue] {
        [.text(groupID), .integer(Int64(level))] + period.values
            + [.integer(introductoryOffer == nil ? 0 : 1)] + (introductoryOffer?.values ?? [])
            + Self.values(of: promotionalOffers) + Self.values(of: winBackOffers)
    }

    private static func values(of offers: [ProductOffer]) -> [SQLiteValue] {
        [.integer(Int64(offers.count))] + offers.flatMap(\.values)
    }

    private static func offers(_ values: inout FieldReader) -> [ProductOffer]? {
        guard let count = values.int(), count >= 0 else { return nil }
        var offers: [ProductOffer] = []
        while offers.count < count {
            guard let offer = ProductOffer(&values) else { return nil }
            offers.append(offer)
        }
        return offers
    }

    fileprivate init?(_ values: inout FieldReader) {
        guard let groupID = values.text(), let level = values.int(), let period = BillingPeriod(&values),
            let hasIntroductoryOffer = values.integer()
        else { return nil }
        let introductoryOffer = hasIntroductoryOffer == 0 ? nil : ProductOffer(&values)
        guard (introductoryOffer != nil) == (hasIntroductoryOffer != 0),
            let promotionalOffers = Self.offers(&values), let winBackOffers = Self.offers(&values)
        else { return nil }
        self.init(
            groupID: groupID, level: level, period: period, introductoryOffer: introductoryOffer,
            promotionalOffers: promotionalOffers, winBackOffers: winBackOffers)
    }
}

extension ProductOffer {
    fileprivate var values: [SQLiteValue] {
        [SQLiteValue(id), .integer(Int64(type.rawValue)), .text(paymentMode.rawValue)] + period.values
            + [.integer(Int64(periodCount)), .integer(price.rawValue)]
    }

    fileprivate init?(_ values: inout FieldReader) {
        let id = values.text()
        guard let type = values.integer().flatMap({ Int32(exactly: $0) }), let paymentMode = values.text(),
            let period = BillingPeriod(&values), let periodCount = values.int(), let price = values.integer()
        else { return nil }
        self.init(
            id: id, type: OfferType(rawValue: type), paymentMode: OfferDiscountType(rawValue: paymentMode),
            period: period, periodCount: periodCount, price: Milliunits(price))
    }
}

extension BillingPeriod {
    fileprivate var values: [SQLiteValue] { [.integer(Int64(months)), .integer(Int64(days))] }

    fileprivate init?(_ values: inout FieldReader) {
        guard let months = values.int(), let days = values.int() else { return nil }
        self.init(months: months, days: days)
    }
}
