internal import PurchaseCore
internal import ReceiptTypes

extension ConfiguredProduct {
    /// Returns the product as customers see it in the storefront and locale of the settings.
    func product(in settings: StoreSettings) -> Product {
        let storefront = settings.knownStorefront
        let localized = localization(for: settings.locale)
        return Product(
            id: id,
            type: type,
            displayName: [localized?.displayName, referenceName].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? id,
            description: localized?.description ?? "",
            price: price,
            currency: storefront.currency.code,
            displayPrice: displayPrice(in: storefront),
            isFamilyShareable: isFamilyShareable,
            subscription: subscription.map { terms in
                SubscriptionTerms(
                    groupID: terms.groupID, level: terms.level, period: terms.period,
                    introductoryOffer: terms.introductoryOffers.first.map { $0.productOffer(.introductory) },
                    promotionalOffers: terms.promotionalOffers.map { $0.productOffer(.promotional) },
                    winBackOffers: terms.winBackOffers.map { $0.productOffer(.winBack) }
                )
            }
        )
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
