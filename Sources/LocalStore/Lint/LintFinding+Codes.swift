extension LintFinding.Code {
    // MARK: Unreadable files

    /// The file is larger than ``ConfigurationBudget/fileSize``.
    public static let fileTooLarge = Self(rawValue: "file-too-large")
    /// The file has more values than ``ConfigurationBudget/valueCount``.
    public static let tooManyValues = Self(rawValue: "too-many-values")
    /// The file is not valid JSON.
    public static let notJSON = Self(rawValue: "not-json")
    /// The file is not valid UTF-8.
    public static let notUTF8 = Self(rawValue: "not-utf8")
    /// The file contains a NUL character.
    public static let nulCharacter = Self(rawValue: "nul-character")
    /// An object contains the same key twice.
    public static let duplicateKey = Self(rawValue: "duplicate-key")
    /// Arrays and objects are nested deeper than ``ConfigurationBudget/depth``.
    public static let tooDeep = Self(rawValue: "too-deep")
    /// A number is too large for its type.
    public static let numberOutOfRange = Self(rawValue: "number-out-of-range")
    /// The outermost JSON value is not an object.
    public static let notAnObject = Self(rawValue: "not-an-object")
    /// Memory ran out while the file was read.
    public static let outOfMemory = Self(rawValue: "out-of-memory")

    // MARK: Form

    /// The file begins with a byte order mark.
    public static let byteOrderMark = Self(rawValue: "byte-order-mark")
    /// The format has no such key in this object.
    public static let unknownKey = Self(rawValue: "unknown-key")
    /// A key has the name that other objects use for the same value.
    public static let misnamedKey = Self(rawValue: "misnamed-key")
    /// A key is missing.
    public static let missingKey = Self(rawValue: "missing-key")
    /// A key was introduced in a later format version than the file's.
    public static let keyTooNew = Self(rawValue: "key-too-new")
    /// A value has the wrong JSON type.
    public static let wrongType = Self(rawValue: "wrong-type")
    /// A value is not one of the values that the format defines.
    public static let unknownValue = Self(rawValue: "unknown-value")
    /// A required string is empty.
    public static let emptyText = Self(rawValue: "empty-text")
    /// A list has more items than the reader accepts.
    public static let tooManyItems = Self(rawValue: "too-many-items")
    /// There are more findings than ``ConfigurationBudget/findingCount``; the others are dropped.
    public static let tooManyFindings = Self(rawValue: "too-many-findings")

    // MARK: Version

    /// The version is not an object with `major` and `minor`.
    public static let versionNotAnObject = Self(rawValue: "version-not-an-object")
    /// The version is newer than the versions that this module knows.
    public static let newerVersion = Self(rawValue: "newer-version")
    /// The version is older than the versions that this module knows.
    public static let olderVersion = Self(rawValue: "older-version")

    // MARK: Products

    /// A product has no type.
    public static let missingType = Self(rawValue: "missing-type")
    /// An auto-renewable subscription is in the list of products that do not renew.
    public static let subscriptionAmongProducts = Self(rawValue: "subscription-among-products")
    /// A product is in the list of another product type.
    public static let misplacedProduct = Self(rawValue: "misplaced-product")
    /// Two products have the same identifier.
    public static let duplicateProductID = Self(rawValue: "duplicate-product-id")
    /// Two objects have the same internal identifier.
    public static let duplicateInternalID = Self(rawValue: "duplicate-internal-id")
    /// A product or a group has two localizations for the same locale.
    public static let duplicateLocale = Self(rawValue: "duplicate-locale")
    /// A locale is not spelled as the format spells it.
    public static let localeSpelling = Self(rawValue: "locale-spelling")

    // MARK: Prices and periods

    /// A price is a JSON number and not a string.
    public static let priceAsNumber = Self(rawValue: "price-as-number")
    /// A price is not a decimal number.
    public static let malformedPrice = Self(rawValue: "malformed-price")
    /// A price is negative.
    public static let negativePrice = Self(rawValue: "negative-price")
    /// A price has more than three decimals.
    public static let priceTooPrecise = Self(rawValue: "price-too-precise")
    /// A price is higher than ``ConfigurationBudget/price``.
    public static let priceOutOfRange = Self(rawValue: "price-out-of-range")
    /// A period is not an ISO 8601 period.
    public static let malformedPeriod = Self(rawValue: "malformed-period")
    /// The App Store has no subscriptions with this renewal period.
    public static let renewalPeriodNotAllowed = Self(rawValue: "renewal-period-not-allowed")
    /// The App Store has no offers of this length.
    public static let offerPeriodNotAllowed = Self(rawValue: "offer-period-not-allowed")
    /// An offer has fewer or more periods than the App Store allows.
    public static let periodCountOutOfRange = Self(rawValue: "period-count-out-of-range")

    // MARK: Groups and offers

    /// Two groups have the same identifier.
    public static let duplicateGroupID = Self(rawValue: "duplicate-group-id")
    /// A group has no subscriptions.
    public static let emptyGroup = Self(rawValue: "empty-group")
    /// A subscription names another group than the one that contains it.
    public static let groupMismatch = Self(rawValue: "group-mismatch")
    /// A level of service is less than 1.
    public static let levelOutOfRange = Self(rawValue: "level-out-of-range")
    /// Two offers of a subscription have the same identifier.
    public static let duplicateOfferID = Self(rawValue: "duplicate-offer-id")
    /// A free offer has a price.
    public static let freeOfferWithPrice = Self(rawValue: "free-offer-with-price")
    /// A paid offer has no price.
    public static let paidOfferWithoutPrice = Self(rawValue: "paid-offer-without-price")
    /// A code offer does not name the customers that may redeem it.
    public static let codeOfferWithoutEligibility = Self(rawValue: "code-offer-without-eligibility")
    /// A subscription has two billing plans of the same type.
    public static let duplicateBillingPlan = Self(rawValue: "duplicate-billing-plan")

    // MARK: Settings

    /// The time rate is a string and not a number.
    public static let timeRateAsText = Self(rawValue: "time-rate-as-text")
    /// The time rate is not one of the known rates.
    public static let unknownTimeRate = Self(rawValue: "unknown-time-rate")
    /// Older readers do not know the time rate, and the file has no `_compatibilityTimeRate` for them.
    public static let missingCompatibilityTimeRate = Self(rawValue: "missing-compatibility-time-rate")
    /// The file uses `_subscriptionRenewalRate`, which is not a key of the format, instead of `_timeRate`.
    public static let renewalRateKey = Self(rawValue: "renewal-rate-key")
    /// The storefront is not three capital letters.
    public static let malformedStorefront = Self(rawValue: "malformed-storefront")
    /// The storefront is not one of the known storefronts.
    public static let unknownStorefront = Self(rawValue: "unknown-storefront")
    /// The offers key is not a P-256 private key in base64.
    public static let malformedPrivateKey = Self(rawValue: "malformed-private-key")
}
