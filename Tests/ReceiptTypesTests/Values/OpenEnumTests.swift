import ReceiptTypes
import Testing

/// Compares the enumerations of the payloads with lists of their values.
@Suite("Open enumerations")
struct OpenEnumTests {
    /// The known strings of an enumeration and the documented ones.
    struct Strings: CustomTestStringConvertible, Sendable {
        let name: String
        let known: [String]
        let expected: [String]

        init<Value: OpenEnum>(_ type: Value.Type, _ expected: String...) where Value.RawValue == String {
            name = "\(type)"
            known = type.known.map(\.rawValue)
            self.expected = expected
        }

        var testDescription: String { name }
    }

    @Test(
        "an enumeration of strings knows its values",
        arguments: [
            Strings(StoreEnvironment.self, "Sandbox", "Production", "Xcode", "LocalTesting"),
            Strings(
                ProductType.self, "Auto-Renewable Subscription", "Non-Consumable", "Consumable",
                "Non-Renewing Subscription"
            ),
            Strings(InAppOwnershipType.self, "FAMILY_SHARED", "PURCHASED", "ASSIGNED"),
            Strings(TransactionReason.self, "PURCHASE", "RENEWAL"),
            Strings(OfferDiscountType.self, "FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME"),
            Strings(RevocationType.self, "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"),
            Strings(BillingPlanType.self, "BILLED_UPFRONT", "MONTHLY"),
            Strings(OriginalPlatform.self, "iOS", "macOS", "tvOS", "visionOS", "watchOS", "managed"),
            Strings(ExternalPurchaseTokenType.self, "ACQUISITION", "SERVICES"),
            Strings(
                ConsumptionRequestReason.self, "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE",
                "LEGAL", "OTHER"
            ),
            Strings(SubscriptionPeriod.self, "P1W", "P1M", "P2M", "P3M", "P6M", "P1Y", "P3D", "P2W", "P9M"),
            Strings(AdvancedCommerceOfferReason.self, "ACQUISITION", "WIN_BACK", "RETENTION"),
            Strings(
                RefundReason.self, "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL",
                "OTHER", "MODIFY_ITEMS_REFUND", "SIMULATE_REFUND_DECLINE"
            ),
            Strings(RefundType.self, "FULL", "PRORATED", "CUSTOM"),
            Strings(PriceIncreaseInfoStatus.self, "SCHEDULED", "PENDING", "ACCEPTED"),
            Strings(
                NotificationType.self, "SUBSCRIBED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
                "OFFER_REDEEMED", "DID_RENEW", "EXPIRED", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "PRICE_INCREASE",
                "REFUND", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "REVOKE", "TEST",
                "RENEWAL_EXTENSION", "REFUND_REVERSED", "EXTERNAL_PURCHASE_TOKEN", "ONE_TIME_CHARGE", "RESCIND_CONSENT",
                "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE"
            ),
            Strings(
                NotificationSubtype.self, "INITIAL_BUY", "RESUBSCRIBE", "DOWNGRADE", "UPGRADE", "AUTO_RENEW_ENABLED",
                "AUTO_RENEW_DISABLED", "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "GRACE_PERIOD", "PENDING",
                "ACCEPTED", "BILLING_RECOVERY", "PRODUCT_NOT_FOR_SALE", "SUMMARY", "FAILURE", "UNREPORTED", "CREATED",
                "ACTIVE_TOKEN_REMINDER"
            ),
        ]
    )
    func strings(enumeration: Strings) {
        #expect(enumeration.known == enumeration.expected)
    }

    /// The known numbers of an enumeration and the documented ones.
    struct Numbers: CustomTestStringConvertible, Sendable {
        let name: String
        let known: [Int32]
        let meanings: [String]
        let expected: [Int32]

        init<Value: NumberedEnum>(_ type: Value.Type, _ expected: some Sequence<Int32>) {
            name = "\(type)"
            known = type.known.map(\.rawValue)
            meanings = type.known.compactMap(\.meaning)
            self.expected = Array(expected)
        }

        var testDescription: String { name }
    }

    @Test(
        "an enumeration of numbers knows its values, each with a different meaning",
        arguments: [
            Numbers(OfferType.self, 1...4), Numbers(RevocationReason.self, 0...1),
            Numbers(ExpirationIntent.self, 1...5),
            Numbers(AutoRenewStatus.self, 0...1), Numbers(PriceIncreaseStatus.self, 0...1),
            Numbers(SubscriptionStatus.self, 1...5), Numbers(PlayPurchaseState.self, [0, 1, 2, 4]),
        ]
    )
    func numbers(enumeration: Numbers) {
        #expect(enumeration.known == enumeration.expected)
        #expect(Set(enumeration.meanings).count == enumeration.known.count)
    }

    @Test("named values have the documented numbers")
    func namedNumbers() {
        #expect(OfferType.introductory.rawValue == 1 && OfferType.promotional.rawValue == 2)
        #expect(OfferType.code.rawValue == 3 && OfferType.winBack.rawValue == 4)
        #expect(SubscriptionStatus.active.rawValue == 1 && SubscriptionStatus.expired.rawValue == 2)
        #expect(SubscriptionStatus.billingRetry.rawValue == 3 && SubscriptionStatus.gracePeriod.rawValue == 4)
        #expect(SubscriptionStatus.revoked.rawValue == 5)
        #expect(RevocationReason.other.rawValue == 0 && RevocationReason.issue.rawValue == 1)
        #expect(AutoRenewStatus.off.rawValue == 0 && AutoRenewStatus.on.rawValue == 1)
        #expect(PlayPurchaseState.purchased.rawValue == 0 && PlayPurchaseState.cancelled.rawValue == 1)
        #expect(PlayPurchaseState.pending.rawValue == 2)
    }

    @Test("another raw value is accepted, and is not known")
    func unknown() {
        #expect(StoreEnvironment.production.isKnown)
        #expect(!StoreEnvironment(rawValue: "production").isKnown)
        #expect(StoreEnvironment(rawValue: "Moon").description == "Moon")
        #expect(OfferType(rawValue: 9).description == "9")
        #expect(OfferType(rawValue: 9).meaning == nil)
        #expect(OfferType(rawValue: 9).json == .integer(9))
        #expect(OfferType(json: .string("1")) == nil)
        #expect(OfferType(json: .integer(3_000_000_000)) == nil)
        #expect(StoreEnvironment(json: .integer(1)) == nil)
    }

    @Test("MIGRATE is read as MIGRATION, and its raw value stays")
    func migrate() {
        let type = ResponseBodyV2DecodedPayload(members: ["notificationType": .string("MIGRATE")]).notificationType
        #expect(type == .migration && type?.isKnown == true)
        #expect(type?.rawValue == "MIGRATE" && type?.json == .string("MIGRATE"))
        #expect(Set([NotificationType.migration, NotificationType(rawValue: "MIGRATE")]).count == 1)
        #expect(NotificationType(rawValue: "migrate") != .migration && NotificationType.migration != .priceChange)
    }

    @Test("hidden characters of a raw value are escaped in the description and kept in the JSON")
    func hidden() {
        let value = StoreEnvironment(rawValue: "\u{1b}[31m")
        #expect(value.description == "\\u{1b}[31m")
        #expect(value.json == .string("\u{1b}[31m"))
    }
}
