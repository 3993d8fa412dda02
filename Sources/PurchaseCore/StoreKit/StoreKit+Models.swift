#if canImport(StoreKit)
    internal import Foundation
    internal import ReceiptTypes
    internal import StoreKit

    // Conversions from StoreKit's types to the core's types.

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension SignedTransaction {
        init(_ result: StoreKit.VerificationResult<StoreKit.Transaction>) {
            var objection: String?
            if case .unverified(_, let error) = result { objection = "\(error)" }
            self.init(
                jws: result.jwsRepresentation,
                transactionID: String(result.unsafePayloadValue.id),
                productID: result.unsafePayloadValue.productID,
                objection: objection
            )
        }
    }

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension SignedSubscriptionStatus {
        init(_ status: StoreKit.Product.SubscriptionInfo.Status) {
            var objection: String?
            if case .unverified(_, let error) = status.renewalInfo { objection = "\(error)" }
            self.init(
                transaction: SignedTransaction(status.transaction),
                renewalInfoJWS: status.renewalInfo.jwsRepresentation,
                renewalInfoObjection: objection
            )
        }
    }

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension Product {
        /// Returns nil if the price or the period cannot be represented exactly.
        init?(_ product: StoreKit.Product) {
            guard let price = Milliunits(decimal: "\(product.price)") else { return nil }
            var terms: SubscriptionTerms?
            if let subscription = product.subscription {
                guard let period = BillingPeriod(subscription.subscriptionPeriod) else { return nil }
                var level = 1
                if #available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *) { level = subscription.groupLevel }
                var winBackOffers: [ProductOffer] = []
                if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, *) {
                    winBackOffers = subscription.winBackOffers.compactMap { ProductOffer($0, .winBack) }
                }
                terms = SubscriptionTerms(
                    groupID: subscription.subscriptionGroupID,
                    level: level,
                    period: period,
                    introductoryOffer: subscription.introductoryOffer.flatMap { ProductOffer($0, .introductory) },
                    promotionalOffers: subscription.promotionalOffers.compactMap { ProductOffer($0, .promotional) },
                    winBackOffers: winBackOffers
                )
            }
            self.init(
                id: product.id,
                type: ReceiptTypes.ProductType(rawValue: product.type.rawValue),
                displayName: product.displayName,
                description: product.description,
                price: price,
                currency: product.priceFormatStyle.currencyCode,
                displayPrice: product.displayPrice,
                isFamilyShareable: product.isFamilyShareable,
                subscription: terms
            )
        }
    }

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension BillingPeriod {
        init?(_ period: StoreKit.Product.SubscriptionPeriod) {
            switch period.unit {
            case .day: self.init(days: period.value)
            // Limited before the multiplication, because StoreKit supplies the number.
            case .week: self.init(days: min(period.value, 1_000_000) * 7)
            case .month: self.init(months: period.value)
            case .year: self.init(months: min(period.value, 1_000_000) * 12)
            @unknown default: return nil
            }
        }
    }

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension ProductOffer {
        init?(_ offer: StoreKit.Product.SubscriptionOffer, _ type: OfferType) {
            guard let period = BillingPeriod(offer.period), let price = Milliunits(decimal: "\(offer.price)")
            else { return nil }
            let mode: OfferDiscountType
            switch offer.paymentMode {
            case .freeTrial: mode = .freeTrial
            case .payAsYouGo: mode = .payAsYouGo
            case .payUpFront: mode = .payUpFront
            default: mode = OfferDiscountType(rawValue: offer.paymentMode.rawValue)
            }
            self.init(
                id: offer.id, type: type, paymentMode: mode, period: period, periodCount: offer.periodCount,
                price: price
            )
        }
    }

    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension StoreError {
        init(storeKit error: any Error) {
            if let error = error as? StoreError {
                self = error
                return
            }
            let code: Code
            switch error {
            case StoreKitError.networkError: code = .network
            case StoreKitError.userCancelled: code = .userCancelled
            case StoreKitError.systemError: code = .system
            case StoreKitError.notAvailableInStorefront: code = .productUnavailable
            case StoreKit.Product.PurchaseError.productUnavailable: code = .productUnavailable
            case StoreKit.Product.PurchaseError.purchaseNotAllowed: code = .purchaseNotAllowed
            case StoreKit.Product.PurchaseError.invalidQuantity: code = .invalidQuantity
            case StoreKit.Product.PurchaseError.ineligibleForOffer: code = .ineligibleForOffer
            default: code = .unknown
            }
            self.init(code, error.localizedDescription, underlying: error)
        }
    }
#endif
