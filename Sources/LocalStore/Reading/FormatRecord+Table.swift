extension FormatRecord {
    /// The major format versions that the records describe.
    static let versions = 2...5

    static let root = FormatRecord(
        name: "the file",
        fields: [
            FormatField(key: .identifier, shape: .text, need: .usual),
            FormatField(key: .version, shape: .special, need: .required),
            FormatField(key: .appPolicies, shape: .object, need: .optional, since: 4),
            FormatField(key: .products, shape: .list, need: .usual),
            FormatField(key: .nonRenewingSubscriptions, shape: .list, need: .usual),
            FormatField(key: .subscriptionGroups, shape: .list, need: .usual),
            FormatField(key: .subscriptionOffersKeyPair, shape: .object, need: .optional, isNullable: true),
            FormatField(key: .settings, shape: .object, need: .optional),
        ]
    )

    static let version = FormatRecord(
        name: "the version",
        fields: [
            FormatField(key: .major, shape: .integer, need: .required),
            FormatField(key: .minor, shape: .integer, need: .usual),
        ]
    )

    static let appPolicies = FormatRecord(
        name: "appPolicies",
        fields: [
            FormatField(key: .eula, shape: .text, need: .usual),
            FormatField(key: .policies, shape: .list, need: .usual),
        ]
    )

    static let policy = FormatRecord(
        name: "a policy",
        fields: [
            FormatField(key: .locale, shape: .text, need: .required),
            FormatField(key: .policyText, shape: .text, need: .usual),
            FormatField(key: .policyURL, shape: .text, need: .usual),
        ]
    )

    static let keyPair = FormatRecord(
        name: "the offers key",
        fields: [
            FormatField(key: .id, shape: .text, need: .required),
            FormatField(key: .privateKey, shape: .text, need: .required),
        ]
    )

    // MARK: Products

    private static let productFields = [
        FormatField(key: .productID, shape: .text, need: .required),
        FormatField(key: .referenceName, shape: .text, need: .usual, isNullable: true),
        // Optional here, because `ProductReader` reports a missing type with more detail.
        FormatField(key: .type, shape: .text, need: .optional),
        FormatField(key: .displayPrice, shape: .special, need: .required),
        FormatField(key: .familyShareable, shape: .flag, need: .usual),
        FormatField(key: .internalID, shape: .text, need: .usual),
        FormatField(key: .localizations, shape: .list, need: .usual),
    ]

    static let product = FormatRecord(name: "a product", fields: productFields)

    static let subscription = FormatRecord(
        name: "a subscription",
        fields: productFields + [
            FormatField(key: .subscriptionGroupID, shape: .text, need: .usual),
            FormatField(key: .groupNumber, shape: .integer, need: .usual),
            FormatField(key: .recurringSubscriptionPeriod, shape: .text, need: .required),
            FormatField(key: .introductoryOffer, shape: .object, need: .optional, isNullable: true),
            FormatField(key: .introductoryOffers, shape: .list, need: .optional, since: 5),
            FormatField(key: .adHocOffers, shape: .list, need: .optional),
            FormatField(key: .codeOffers, shape: .list, need: .optional),
            FormatField(key: .winbackOffers, shape: .list, need: .optional, since: 4),
            FormatField(key: .billingPlans, shape: .list, need: .optional, since: 5),
        ],
        aliases: [("subscriptionPeriod", .recurringSubscriptionPeriod)]
    )

    static let productLocalization = FormatRecord(
        name: "a localization",
        fields: [
            FormatField(key: .locale, shape: .text, need: .required),
            FormatField(key: .displayName, shape: .text, need: .usual),
            FormatField(key: .description, shape: .text, need: .usual),
        ]
    )

    static let groupLocalization = FormatRecord(
        name: "a localization of a group",
        fields: [
            FormatField(key: .locale, shape: .text, need: .required),
            FormatField(key: .displayName, shape: .text, need: .usual),
            FormatField(key: .description, shape: .text, need: .optional),
        ]
    )

    static let group = FormatRecord(
        name: "a subscription group",
        fields: [
            FormatField(key: .id, shape: .text, need: .required),
            FormatField(key: .name, shape: .text, need: .usual),
            FormatField(key: .localizations, shape: .list, need: .usual),
            FormatField(key: .subscriptions, shape: .list, need: .usual),
        ]
    )

    // MARK: Offers

    private static let offerFields = [
        FormatField(key: .internalID, shape: .text, need: .usual),
        FormatField(key: .paymentMode, shape: .text, need: .required),
        FormatField(key: .subscriptionPeriod, shape: .text, need: .required),
        FormatField(key: .numberOfPeriods, shape: .integer, need: .optional),
        FormatField(key: .displayPrice, shape: .special, need: .optional),
        FormatField(key: .billingPlanType, shape: .text, need: .optional, since: 5),
    ]

    static let introductoryOffer = FormatRecord(
        name: "an introductory offer",
        fields: offerFields + [FormatField(key: .referenceName, shape: .text, need: .optional, isNullable: true)]
    )

    static let identifiedOffer = FormatRecord(
        name: "an offer",
        fields: offerFields + [
            FormatField(key: .offerID, shape: .text, need: .required),
            FormatField(key: .referenceName, shape: .text, need: .usual, isNullable: true),
        ]
    )

    static let codeOffer = FormatRecord(
        name: "a code offer",
        fields: offerFields + [
            FormatField(key: .referenceName, shape: .text, need: .required),
            // Optional here, because `OfferReader` reports a missing eligibility with more detail.
            FormatField(key: .eligibility, shape: .list, need: .optional),
            FormatField(key: .isStackable, shape: .flag, need: .usual),
        ]
    )

    static let billingPlan = FormatRecord(
        name: "a billing plan",
        fields: [
            FormatField(key: .billingPlanType, shape: .text, need: .required),
            FormatField(key: .displayPrice, shape: .special, need: .required),
            FormatField(key: .commitmentDisplayPrice, shape: .special, need: .optional, isNullable: true),
            FormatField(key: .internalID, shape: .text, need: .usual),
            FormatField(key: .isEnabled, shape: .flag, need: .usual),
        ]
    )

    // MARK: Settings

    static let settings = FormatRecord(
        name: "settings",
        fields: [
            FormatField(key: .settingsLocale, shape: .text, need: .optional),
            FormatField(key: .storefront, shape: .text, need: .optional),
            FormatField(key: .timeRate, shape: .special, need: .optional),
            FormatField(key: .compatibilityTimeRate, shape: .object, need: .optional),
            FormatField(key: .subscriptionRenewalRate, shape: .special, need: .optional),
            FormatField(key: .askToBuyEnabled, shape: .flag, need: .optional),
            FormatField(key: .billingIssuesEnabled, shape: .flag, need: .optional),
            FormatField(key: .renewalBillingIssuesEnabled, shape: .flag, need: .optional),
            FormatField(key: .billingGracePeriodEnabled, shape: .flag, need: .optional),
            FormatField(key: .disableDialogs, shape: .flag, need: .optional),
            FormatField(key: .failTransactionsEnabled, shape: .flag, need: .optional),
            FormatField(key: .storeKitError, shape: .integer, need: .optional, isNullable: true),
            FormatField(key: .storeKitErrors, shape: .list, need: .optional),
            FormatField(key: .applicationInternalID, shape: .text, need: .optional),
            FormatField(key: .developerTeamID, shape: .text, need: .optional),
            FormatField(key: .lastSynchronizedDate, shape: .number, need: .optional),
        ]
    )

    static let simulatedError = FormatRecord(
        name: "a simulated error",
        fields: [
            FormatField(key: .name, shape: .text, need: .required),
            FormatField(key: .enabled, shape: .flag, need: .usual),
            FormatField(key: .current, shape: .special, need: .optional, isNullable: true),
        ]
    )
}
