/// The keys of the format, wherever they stand.
enum FormatKey: String, CaseIterable, Sendable {
    case identifier, version, major, minor, appPolicies, products, nonRenewingSubscriptions, subscriptionGroups
    case subscriptionOffersKeyPair, settings
    case eula, policies, policyText, policyURL
    case productID, referenceName, type, displayPrice, familyShareable, internalID, localizations
    case locale, displayName, description
    case id, name, subscriptions, privateKey
    case subscriptionGroupID, groupNumber, recurringSubscriptionPeriod
    case introductoryOffer, introductoryOffers, adHocOffers, codeOffers, winbackOffers, billingPlans
    case paymentMode, subscriptionPeriod, numberOfPeriods, billingPlanType, offerID, eligibility, isStackable
    case commitmentDisplayPrice, isEnabled
    case settingsLocale = "_locale"
    case storefront = "_storefront"
    case timeRate = "_timeRate"
    case compatibilityTimeRate = "_compatibilityTimeRate"
    case subscriptionRenewalRate = "_subscriptionRenewalRate"
    case askToBuyEnabled = "_askToBuyEnabled"
    case billingIssuesEnabled = "_billingIssuesEnabled"
    case renewalBillingIssuesEnabled = "_renewalBillingIssuesEnabled"
    case billingGracePeriodEnabled = "_billingGracePeriodEnabled"
    case disableDialogs = "_disableDialogs"
    case failTransactionsEnabled = "_failTransactionsEnabled"
    case storeKitError = "_storeKitError"
    case storeKitErrors = "_storeKitErrors"
    case applicationInternalID = "_applicationInternalID"
    case developerTeamID = "_developerTeamID"
    case lastSynchronizedDate = "_lastSynchronizedDate"
    case enabled, current, index
}
