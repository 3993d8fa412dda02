internal import PurchaseCore
internal import ReceiptTypes

extension ConfiguredProduct {
    /// The product as a customer of a storefront sees it.
    func product(in settings: StoreSettings) -> Product {
        let storefront = Storefront(code: settings.storefront)
        let texts = localization(for: settings.locale)
        return Product(
            id: id,
            type: type,
            displayName: texts?.displayName ?? referenceName,
            description: texts?.description ?? "",
            price: price,
            currency: storefront.currency,
            displayPrice: PriceText.text(price, currency: storefront.currency, locale: settings.locale),
            isFamilyShareable: isFamilyShareable,
            subscription: subscription.map { terms in
                SubscriptionTerms(
                    groupID: terms.groupID, level: terms.level, period: terms.period,
                    introductoryOffer: terms.introductoryOffers.first.map { $0.productOffer(.introductory) },
                    promotionalOffers: terms.promotionalOffers.map { $0.productOffer(.promotional) }
                )
            }
        )
    }

    /// The texts of a locale, or else of its language, or else the first ones.
    private func localization(for locale: String) -> Localization? {
        func language(_ locale: String) -> [UInt8] {
            [UInt8](locale.utf8.prefix { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") })
        }
        return localizations.first { $0.locale.isIdentical(to: locale) }
            ?? localizations.first { language($0.locale) == language(locale) } ?? localizations.first
    }
}

extension ConfiguredOffer {
    fileprivate func productOffer(_ type: OfferType) -> ProductOffer {
        ProductOffer(
            id: type == .introductory ? nil : id, type: type, paymentMode: paymentMode, period: period,
            periodCount: periodCount, price: price
        )
    }
}
