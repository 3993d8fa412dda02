extension LintFinding {
    /// What kind of thing a finding is about; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case, such as `unknown-key`.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }
}

extension LintFinding.Code {
    // MARK: Nothing can be read

    /// The file is larger than what is read.
    public static let fileTooLarge = Self(rawValue: "file-too-large")
    /// The file holds more values than what is read.
    public static let tooManyValues = Self(rawValue: "too-many-values")
    /// The text is no JSON.
    public static let notJSON = Self(rawValue: "not-json")
    /// The bytes are no UTF-8.
    public static let notUTF8 = Self(rawValue: "not-utf8")
    /// There is a NUL character.
    public static let nulCharacter = Self(rawValue: "nul-character")
    /// A key appears twice in one object.
    public static let duplicateKey = Self(rawValue: "duplicate-key")
    /// Arrays and objects are nested too deep.
    public static let tooDeep = Self(rawValue: "too-deep")
    /// A number does not fit.
    public static let numberOutOfRange = Self(rawValue: "number-out-of-range")
    /// The file is JSON, but no object.
    public static let notAnObject = Self(rawValue: "not-an-object")
    /// The machine had no memory.
    public static let outOfMemory = Self(rawValue: "out-of-memory")

    // MARK: The form

    /// There is a byte order mark.
    public static let byteOrderMark = Self(rawValue: "byte-order-mark")
    /// The format knows no such key there.
    public static let unknownKey = Self(rawValue: "unknown-key")
    /// A key has the name that it has elsewhere.
    public static let misnamedKey = Self(rawValue: "misnamed-key")
    /// A key is not there.
    public static let missingKey = Self(rawValue: "missing-key")
    /// A key came with a later version than the file's.
    public static let keyTooNew = Self(rawValue: "key-too-new")
    /// A value has another type than the format has there.
    public static let wrongType = Self(rawValue: "wrong-type")
    /// A value is none of those that the format has there.
    public static let unknownValue = Self(rawValue: "unknown-value")
    /// A text is empty where the store wants one.
    public static let emptyText = Self(rawValue: "empty-text")
    /// There are more products, offers or languages than are read.
    public static let tooManyItems = Self(rawValue: "too-many-items")
    /// There are more findings than are told.
    public static let tooManyFindings = Self(rawValue: "too-many-findings")

    // MARK: The version

    /// The version is not an object with `major` and `minor`.
    public static let versionNotAnObject = Self(rawValue: "version-not-an-object")
    /// The version is newer than those known.
    public static let newerVersion = Self(rawValue: "newer-version")
    /// The version is older than those known.
    public static let olderVersion = Self(rawValue: "older-version")

    // MARK: Products

    /// A product does not say what it is.
    public static let missingType = Self(rawValue: "missing-type")
    /// A subscription stands among the products that do not renew.
    public static let subscriptionAmongProducts = Self(rawValue: "subscription-among-products")
    /// A product stands in a list for another type.
    public static let misplacedProduct = Self(rawValue: "misplaced-product")
    /// Two products have one id.
    public static let duplicateProductID = Self(rawValue: "duplicate-product-id")
    /// Two things have one internal id.
    public static let duplicateInternalID = Self(rawValue: "duplicate-internal-id")
    /// Something is named twice in one language.
    public static let duplicateLocale = Self(rawValue: "duplicate-locale")
    /// A language is not spelled as the format does it.
    public static let localeSpelling = Self(rawValue: "locale-spelling")

    // MARK: Prices and periods

    /// A price is a number and not a text.
    public static let priceAsNumber = Self(rawValue: "price-as-number")
    /// A price is no decimal.
    public static let malformedPrice = Self(rawValue: "malformed-price")
    /// A price is below zero.
    public static let negativePrice = Self(rawValue: "negative-price")
    /// A price has fractions of a thousandth.
    public static let priceTooPrecise = Self(rawValue: "price-too-precise")
    /// A price is larger than any price.
    public static let priceOutOfRange = Self(rawValue: "price-out-of-range")
    /// A period is no ISO 8601 period.
    public static let malformedPeriod = Self(rawValue: "malformed-period")
    /// The store has no subscription that renews so.
    public static let renewalPeriodNotAllowed = Self(rawValue: "renewal-period-not-allowed")
    /// The store has no such offer of that length.
    public static let offerPeriodNotAllowed = Self(rawValue: "offer-period-not-allowed")
    /// An offer lasts fewer or more periods than the store allows.
    public static let periodCountOutOfRange = Self(rawValue: "period-count-out-of-range")

    // MARK: Groups and offers

    /// Two groups have one id.
    public static let duplicateGroupID = Self(rawValue: "duplicate-group-id")
    /// A group holds no subscription.
    public static let emptyGroup = Self(rawValue: "empty-group")
    /// A subscription names another group than the one that it stands in.
    public static let groupMismatch = Self(rawValue: "group-mismatch")
    /// A level of service is below 1.
    public static let levelOutOfRange = Self(rawValue: "level-out-of-range")
    /// Two offers of a subscription have one id.
    public static let duplicateOfferID = Self(rawValue: "duplicate-offer-id")
    /// A free offer has a price.
    public static let freeOfferWithPrice = Self(rawValue: "free-offer-with-price")
    /// An offer that is paid for has no price.
    public static let paidOfferWithoutPrice = Self(rawValue: "paid-offer-without-price")
    /// A code says not who may redeem it.
    public static let codeOfferWithoutEligibility = Self(rawValue: "code-offer-without-eligibility")
    /// A subscription has one way to pay twice.
    public static let duplicateBillingPlan = Self(rawValue: "duplicate-billing-plan")

    // MARK: Settings

    /// The time rate is a text.
    public static let timeRateAsText = Self(rawValue: "time-rate-as-text")
    /// The time rate has no meaning.
    public static let unknownTimeRate = Self(rawValue: "unknown-time-rate")
    /// The time rate is one that older readers do not know, and nothing is there for them.
    public static let missingCompatibilityTimeRate = Self(rawValue: "missing-compatibility-time-rate")
    /// The key is none of the format, but is found where `_timeRate` was meant.
    public static let renewalRateKey = Self(rawValue: "renewal-rate-key")
    /// The storefront is not three letters.
    public static let malformedStorefront = Self(rawValue: "malformed-storefront")
    /// The storefront is not among those known.
    public static let unknownStorefront = Self(rawValue: "unknown-storefront")
    /// The key of offers is not a private key on P-256 in base64.
    public static let malformedPrivateKey = Self(rawValue: "malformed-private-key")
}
