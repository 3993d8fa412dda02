public import PurchaseCore
internal import ReceiptTypes

/// What a customer must be able to read before buying a product, which the review of a store asks for.
///
/// A paywall that shows every member that is not nil has: the full price with its period, what is charged at once, the
/// price after a trial, when the trial ends, how the subscription renews and is cancelled, the links to the terms and
/// the privacy policy, and the button that restores.
public struct PlanTerms: Sendable, Hashable {
    /// The full price with its period, in the store's own text: `$39.99 per year`. Show no price larger than this one.
    public let price: String
    /// The length of a period in words, such as `1 year`; nil for a product without one.
    public let period: String?
    /// The offer that the customer gets, and the price after it: `7 days free, then $9.99 per month`; nil without an
    /// offer.
    public let introduction: String?
    /// What is charged with the purchase: `Nothing is charged now.`; nil without an offer, which means the full price.
    public let introductionStart: String?
    /// When the offer ends and what is charged then; nil without an offer.
    public let introductionEnd: String?
    /// How the subscription renews and is cancelled, or that nothing renews.
    public let renewal: String
    /// The price for a shorter period, to compare plans; nil if none was asked for, or if there is none.
    public let derivedPrice: DerivedPriceText?
    /// The links, and the button that restores.
    public let legal: LegalLinks

    /// Creates the terms of a product.
    ///
    /// - Parameters:
    ///   - product: The product, as the store has returned it.
    ///   - trial: The answer of a `TrialManager` for the product. An offer is shown only to a customer that is
    ///     certainly eligible, because any other one is charged at once.
    ///   - comparison: The period of the derived price.
    ///   - duration: How long a non-renewing subscription lasts, from the `TemplatePriceCatalog`.
    ///   - legal: The links.
    ///   - texts: Writes the texts.
    public init(
        _ product: Product, trial: TrialEligibility = .unknown, comparison: BillingPeriod? = nil,
        duration: BillingPeriod? = nil, legal: LegalLinks, texts: PaywallTexts
    ) {
        price = texts.price(of: product)
        derivedPrice = comparison.flatMap { texts.derivedPrice(of: product, per: $0) }
        self.legal = legal
        let length = product.subscription?.period ?? (product.type == .nonRenewingSubscription ? duration : nil)
        period = length.map { texts.length($0) }
        if product.subscription != nil {
            renewal = texts.text(TermsMessage.renewal, ["price": price])
        } else if product.type == .nonRenewingSubscription {
            renewal =
                period.map { texts.text(TermsMessage.limited, ["length": $0]) }
                ?? texts.text(TermsMessage.limitedWithoutLength)
        } else {
            renewal = texts.text(TermsMessage.once)
        }
        guard case .eligible(let offer) = trial, product.subscription != nil else {
            (introduction, introductionStart, introductionEnd) = (nil, nil, nil)
            return
        }
        var values = ["price": price, "length": texts.length(offer.period, times: offer.periodCount)]
        let isFree = offer.paymentMode == .freeTrial
        if !isFree {
            let amount = texts.amount(offer.price, like: product)
            values["amount"] = amount
            values["offer"] =
                offer.paymentMode == .payAsYouGo ? texts.price(amount, per: offer.period) : amount
        }
        introduction = texts.text(isFree ? TermsMessage.trial : .discount, values)
        introductionStart = texts.text(isFree ? TermsMessage.trialStart : .discountStart, values)
        introductionEnd = texts.text(isFree ? TermsMessage.trialEnd : .discountEnd, values)
    }
}

/// The links that every paywall shows, and the label of the button that restores purchases.
public struct LegalLinks: Sendable, Hashable {
    /// A link with its label.
    public struct Link: Sendable, Hashable {
        /// The label in the customer's language.
        public let label: String
        /// The address.
        public let url: String
    }

    /// The terms of use.
    public let terms: Link
    /// The privacy policy.
    public let privacy: Link
    /// The label of the button that restores purchases.
    public let restore: String

    /// Creates the links to the app's own pages.
    public init(termsURL: String, privacyURL: String, texts: PaywallTexts) {
        terms = Link(label: texts.text(TermsMessage.linkTerms), url: termsURL)
        privacy = Link(label: texts.text(TermsMessage.linkPrivacy), url: privacyURL)
        restore = texts.text(TermsMessage.restore)
    }
}

// MARK: - A trial that runs

extension PaywallTexts {
    /// Returns how many days a free trial has left and what follows; nil if the purchase is not in a free trial, or if
    /// its payment has failed.
    ///
    /// - Parameters:
    ///   - purchase: The subscription.
    ///   - days: The remaining days, `TrialManager.remainingTrialDays(of:)`.
    ///   - next: The product that the subscription renews to; without it, the text has no price.
    public func remainingTrial(of purchase: PurchaseDetails, days: Int, next: Product?) -> String? {
        guard purchase.period == .trial, purchase.isGranted, purchase.billingIssue == nil else { return nil }
        let left = text(TrialMessage.daysLeft, count: days)
        guard let following = whatFollows(purchase, next) else { return left }
        return text(PriceMessage.sentences, ["first": left, "second": following])
    }

    private func whatFollows(_ purchase: PurchaseDetails, _ next: Product?) -> String? {
        guard let renews = purchase.willRenew else { return nil }
        guard renews else {
            return purchase.accessEnds.map { text(TermsMessage.trialEnds, ["date": day(of: $0)]) }
        }
        guard let date = purchase.renewsOn else { return nil }
        let nextID = purchase.planChange?.nextProductID ?? purchase.productID
        guard let next, next.id.isIdentical(to: nextID), let period = next.subscription?.period else {
            return text(TermsMessage.trialRenewsAtRegularPrice, ["date": day(of: date)])
        }
        var price = next.displayPrice
        // A price increase that the store has announced is not in the product yet.
        if let increase = purchase.priceIncrease {
            guard let amount = increase.price else {
                return text(
                    increase.needsConsent ? TermsMessage.trialNeedsConsent : .trialRenewsAtHigherPrice,
                    ["date": day(of: date)])
            }
            price = self.amount(amount, increase.currency ?? next.currency, like: next)
        }
        let message: TermsMessage =
            purchase.priceIncrease?.needsConsent == true ? .trialNeedsConsentToPrice : .trialRenews
        return text(message, ["date": day(of: date), "price": self.price(price, per: period)])
    }
}
