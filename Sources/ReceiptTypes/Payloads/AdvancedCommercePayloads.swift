/// The Advanced Commerce data of a transaction (`advancedCommerceInfo`).
public struct AdvancedCommerceTransactionInfo: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The name and the description that the customer sees.
        public let descriptors = Field<AdvancedCommerceDescriptors>("descriptors")
        /// The estimated tax in milliunits of the currency.
        public let estimatedTax = Field<Milliunits>("estimatedTax")
        /// The items of the purchase.
        public let items = Field<[AdvancedCommerceTransactionItem]>("items")
        /// The duration of one subscription period.
        public let period = Field<SubscriptionPeriod>("period")
        /// The UUID of the request that the developer chose.
        public let requestReferenceId = Field<String>("requestReferenceId")
        /// The tax code of the product.
        public let taxCode = Field<String>("taxCode")
        /// The price without tax in milliunits of the currency.
        public let taxExclusivePrice = Field<Milliunits>("taxExclusivePrice")
        /// The tax rate as a decimal string.
        public let taxRate = Field<String>("taxRate")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// One item of a transaction (`items` of its Advanced Commerce data).
public struct AdvancedCommerceTransactionItem: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The ID of the item that the developer chose (`SKU`).
        public let sku = Field<String>("SKU")
        /// The description that the customer sees.
        public let description = Field<String>("description")
        /// The name that the customer sees.
        public let displayName = Field<String>("displayName")
        /// The offer that was applied.
        public let offer = Field<AdvancedCommerceOffer>("offer")
        /// The price in milliunits of the currency.
        public let price = Field<Milliunits>("price")
        /// The refunds of the item.
        public let refunds = Field<[AdvancedCommerceRefund]>("refunds")
        /// The time at which the item was revoked, in milliseconds since 1970.
        public let revocationDate = Field<Timestamp>("revocationDate")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// One refund of an item (`refunds`).
public struct AdvancedCommerceRefund: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The amount in milliunits of the currency.
        public let refundAmount = Field<Milliunits>("refundAmount")
        /// The time of the refund, in milliseconds since 1970.
        public let refundDate = Field<Timestamp>("refundDate")
        /// The reason for the refund.
        public let refundReason = Field<RefundReason>("refundReason")
        /// Whether the refund is full, prorated or custom.
        public let refundType = Field<RefundType>("refundType")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// The Advanced Commerce data of a renewal info (`advancedCommerceInfo`).
public struct AdvancedCommerceRenewalInfo: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The token to send with the next request about the subscription.
        public let consistencyToken = Field<String>("consistencyToken")
        /// The name and the description that the customer sees.
        public let descriptors = Field<AdvancedCommerceDescriptors>("descriptors")
        /// The items that renew.
        public let items = Field<[AdvancedCommerceRenewalItem]>("items")
        /// The duration of one subscription period.
        public let period = Field<SubscriptionPeriod>("period")
        /// The UUID of the request that the developer chose.
        public let requestReferenceId = Field<String>("requestReferenceId")
        /// The tax code of the product.
        public let taxCode = Field<String>("taxCode")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// One item of a subscription that renews (`items` of its Advanced Commerce data).
public struct AdvancedCommerceRenewalItem: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The ID of the item that the developer chose (`SKU`).
        public let sku = Field<String>("SKU")
        /// The description that the customer sees.
        public let description = Field<String>("description")
        /// The name that the customer sees.
        public let displayName = Field<String>("displayName")
        /// The offer that applies.
        public let offer = Field<AdvancedCommerceOffer>("offer")
        /// The price in milliunits of the currency.
        public let price = Field<Milliunits>("price")
        /// The next price increase.
        public let priceIncreaseInfo = Field<AdvancedCommercePriceIncreaseInfo>("priceIncreaseInfo")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// A price increase of an item (`priceIncreaseInfo`).
public struct AdvancedCommercePriceIncreaseInfo: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The IDs of the items whose price increases depend on this one.
        public let dependentSKUs = Field<[String]>("dependentSKUs")
        /// The new price in milliunits of the currency.
        public let price = Field<Milliunits>("price")
        /// The status of the price increase.
        public let status = Field<PriceIncreaseInfoStatus>("status")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// The name and the description of a purchase that the customer sees (`descriptors`).
public struct AdvancedCommerceDescriptors: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The description that the customer sees.
        public let description = Field<String>("description")
        /// The name that the customer sees.
        public let displayName = Field<String>("displayName")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// An offer on an item (`offer`).
public struct AdvancedCommerceOffer: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The duration of one period of the offer.
        public let period = Field<SubscriptionPeriod>("period")
        /// The number of periods of the offer.
        public let periodCount = Field<Int32>("periodCount")
        /// The price in milliunits of the currency.
        public let price = Field<Milliunits>("price")
        /// The reason for the offer.
        public let reason = Field<AdvancedCommerceOfferReason>("reason")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}
