internal import ReceiptTypes

/// A kind of JSON object in the format, with its fields.
///
/// The records are the only description of the format; reading and linting both use them.
struct FormatRecord: Sendable {
    /// The name in messages, such as `a product`.
    let name: String
    let fields: [FormatField]
    /// Keys that other objects of the format use for the same value, and the keys that they mean here.
    var aliases: [(name: String, key: FormatKey)] = []

    /// Returns the field with a name, compared byte by byte.
    func field(named name: String) -> FormatField? {
        fields.first { $0.key.rawValue.isIdentical(to: name) }
    }

    /// Returns the field that an alias means.
    func aliasedField(_ name: String) -> FormatField? {
        guard let key = aliases.first(where: { $0.name.isIdentical(to: name) })?.key else { return nil }
        return fields.first { $0.key == key }
    }

    /// Returns the key with the spelling closest to an unknown name.
    func nearest(to name: String) -> String? {
        NearestWord.to(name, in: fields.map(\.key.rawValue))
    }
}

/// A field of an object: its key, its JSON type, and whether it is required.
struct FormatField: Sendable {
    /// The JSON type of a field.
    enum Shape: Sendable {
        case text
        case flag
        case integer
        case number
        case object
        case list
        /// Any value: hand-written files often use another type, and the reader of the field checks it.
        case special
    }

    /// Whether a field can be missing.
    enum Need: Sendable {
        /// Its absence is an error.
        case required
        /// Its absence is a warning: Xcode always writes the field, and a default exists.
        case usual
        /// It can be missing.
        case optional
    }

    let key: FormatKey
    let shape: Shape
    let need: Need
    /// The format version that introduced the field.
    var since = 2
    /// Whether null is allowed and means that the field is missing.
    var isNullable = false
}

extension FormatField.Shape {
    /// Returns whether a value has this type.
    func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.text, .string), (.flag, .boolean), (.integer, .integer), (.number, .integer), (.number, .decimal),
            (.object, .object), (.list, .array), (.special, _):
            true
        default: false
        }
    }

    /// The name of the type in messages.
    var words: String {
        switch self {
        case .text: "a string"
        case .flag: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .object: "an object"
        case .list: "an array"
        case .special: "a value"
        }
    }

    /// Returns what a value of another type is read as, or nil where it has no meaning.
    func reading(of value: SourceValue) -> String? {
        switch self {
        case .text: value.looseText.map(Quotation.of)
        case .flag: value.looseFlag.map { $0 ? "true" : "false" }
        case .integer: value.looseInteger.map(String.init)
        default: nil
        }
    }
}

/// The keys of all objects of the format.
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
