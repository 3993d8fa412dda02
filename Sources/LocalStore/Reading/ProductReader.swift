internal import PurchaseCore
internal import ReceiptTypes

/// Reads products from one of the lists of a file.
struct ProductReader {
    /// The list that contains the product.
    enum List {
        case products
        case nonRenewing
        /// The subscriptions of the group with an identifier.
        case group(String)
    }

    let list: List
    let context: ReadingContext

    /// The product types by their names in the format.
    private static let types: [(name: String, value: ProductType)] = [
        ("Consumable", .consumable), ("NonConsumable", .nonConsumable),
        ("NonRenewingSubscription", .nonRenewingSubscription),
        ("RecurringSubscription", .autoRenewableSubscription),
    ]
    /// The name that hand-written files use for a subscription: StoreKit's instead of the format's.
    private static let handwritten = "AutoRenewableSubscription"
    private static let aliases = [(alias: handwritten, name: "RecurringSubscription")]

    /// Reads a product, or returns nil where its identifier is missing or already in use.
    func product(_ place: SourceValue) -> ConfiguredProduct? {
        guard let reader = RecordReader(place, isSubscription(place) ? .subscription : .product, context)
        else { return nil }
        let type = type(of: reader)
        let price = reader.price(.displayPrice) ?? Milliunits(0)
        let isFirst = checkID(reader)
        var product = ConfiguredProduct(
            id: reader.text(.productID) ?? "",
            referenceName: reader.text(.referenceName) ?? "",
            type: type,
            price: price,
            isFamilyShareable: reader.flag(.familyShareable),
            internalID: reader.internalID(),
            localizations: reader.localizations(.productLocalization)
        )
        if type == .autoRenewableSubscription { product.subscription = subscription(reader, product.id) }
        return isFirst ? product : nil
    }

    /// Returns whether a product has the fields of a subscription: it is in a group, or has the type or period of one.
    private func isSubscription(_ place: SourceValue) -> Bool {
        if case .group = list { return true }
        guard let object = place.value.object else { return false }
        if let text = object[FormatKey.type.rawValue]?.text {
            return RecordReader.lenientMatch(text, in: Self.types, aliases: Self.aliases)?.value
                == .autoRenewableSubscription
        }
        return object[FormatKey.recurringSubscriptionPeriod.rawValue] != nil
            || object[FormatKey.subscriptionPeriod.rawValue] != nil
    }

    private func checkID(_ reader: RecordReader) -> Bool {
        guard let id = reader.text(.productID) else { return false }
        guard !id.isEmpty else {
            reader.report(
                .error, .emptyText, at: .productID, "the product has an empty productID", hint: "the product is ignored"
            )
            return false
        }
        guard let first = context.productIDs.insert(id, at: reader.place.path) else { return true }
        reader.report(
            .error, .duplicateProductID, at: .productID, "two products have the same productID",
            found: reader[.productID]?.found, hint: "\(first) is used"
        )
        return false
    }

    // MARK: Type

    private func type(of reader: RecordReader) -> ProductType {
        let expected: ProductType? =
            switch list {
            case .products: nil
            case .nonRenewing: .nonRenewingSubscription
            case .group: .autoRenewableSubscription
            }
        let expectedName = Self.types.first { $0.value == expected ?? .nonConsumable }?.name ?? ""
        guard reader[.type] != nil else {
            let period = reader[.recurringSubscriptionPeriod]
            let type = expected ?? (period == nil ? .nonConsumable : .autoRenewableSubscription)
            let name = Self.types.first { $0.value == type }?.name ?? ""
            reader.report(
                .error, .missingType, at: .type, "\(reader.record.name) has no type",
                expected: expected == nil ? Quotation.choice(Self.types.prefix(2).map(\.name)) : name,
                hint: "it is read as \(name)"
            )
            return type
        }
        // A common mistake in hand-written files, which gets its own message below.
        let isHandwritten = reader.text(.type)?.isIdentical(to: Self.handwritten) ?? false
        let type =
            reader.choice(
                .type, of: isHandwritten ? [(Self.handwritten, .autoRenewableSubscription)] : Self.types,
                aliases: Self.aliases,
                otherwise: "it is read as \(expectedName)"
            ) ?? expected ?? .nonConsumable
        switch list {
        case .products where type == .autoRenewableSubscription:
            reader.report(
                .error, .subscriptionAmongProducts, at: .type, "a subscription is in the list of products",
                expected: Quotation.choice(Self.types.prefix(2).map(\.name)), found: reader[.type]?.found,
                hint: "move it to a subscription group, with the type RecurringSubscription"
            )
        case .group where isHandwritten:
            reader.report(
                .error, .unknownValue, at: .type, "type has an unknown value", expected: "RecurringSubscription",
                found: reader[.type]?.found, hint: "it is read as RecurringSubscription"
            )
        case .products where type == .nonRenewingSubscription, .nonRenewing where type != .nonRenewingSubscription,
            .group where type != .autoRenewableSubscription:
            reportMisplaced(reader)
        default: break
        }
        // Every product in a group is an auto-renewable subscription.
        if case .group = list { return .autoRenewableSubscription }
        return type
    }

    private func reportMisplaced(_ reader: RecordReader) {
        let (message, expected) =
            switch list {
            case .products:
                ("a non-renewing subscription is in the list of products", "Consumable or NonConsumable")
            case .nonRenewing: ("nonRenewingSubscriptions contains another type", "NonRenewingSubscription")
            case .group: ("a subscription group contains another type", "RecurringSubscription")
            }
        reader.report(
            .error, .misplacedProduct, at: .type, message, expected: expected, found: reader[.type]?.found
        )
    }

    // MARK: Subscription

    /// The renewal periods that the App Store allows.
    private static let renewals: [BillingPeriod] = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
        .compactMap { BillingPeriod(iso8601: $0) }

    private func subscription(_ reader: RecordReader, _ id: String) -> ConfiguredSubscription {
        let period = reader.period(.recurringSubscriptionPeriod, otherwise: "it is read as P1M")
        if let period, !Self.renewals.contains(period) {
            reader.report(
                .error, .renewalPeriodNotAllowed, at: .recurringSubscriptionPeriod,
                "the App Store has no subscriptions with this period",
                expected: Quotation.choice(Self.renewals.map(\.description)),
                found: reader[.recurringSubscriptionPeriod]?.found
            )
        }
        var subscription = ConfiguredSubscription(
            groupID: groupID(reader, id), level: level(reader), period: period ?? .month
        )
        var offers = OfferReader(renewal: period)
        let limit = ConfigurationBudget.offerCount
        // Version 5 files can also have the single offer of older versions; the list takes precedence.
        let single = reader.record(.introductoryOffer, .introductoryOffer).flatMap { offers.offer($0) }
        let listed = reader.records(.introductoryOffers, .introductoryOffer, atMost: limit)
            .compactMap { offers.offer($0) }
        subscription.introductoryOffers = listed.isEmpty ? single.map { [$0] } ?? [] : listed
        subscription.promotionalOffers = reader.records(.adHocOffers, .identifiedOffer, atMost: limit)
            .compactMap { offers.identifiedOffer($0) }
        subscription.codeOffers = reader.records(.codeOffers, .codeOffer, atMost: limit)
            .compactMap { offers.codeOffer($0) }
        subscription.winBackOffers = reader.records(.winbackOffers, .identifiedOffer, atMost: limit)
            .compactMap { offers.identifiedOffer($0) }
        subscription.billingPlans = billingPlans(reader)
        return subscription
    }

    private func groupID(_ reader: RecordReader, _ id: String) -> String {
        let named = reader.text(.subscriptionGroupID)
        guard case .group(let group) = list else {
            // A subscription outside of a group that names none gets a group of its own.
            return named.flatMap { $0.isEmpty ? nil : $0 } ?? id
        }
        if let named, !named.isIdentical(to: group) {
            reader.report(
                .error, .groupMismatch, at: .subscriptionGroupID, "subscriptionGroupID is not the id of its group",
                expected: Quotation.of(group), found: reader[.subscriptionGroupID]?.found,
                hint: "the id of its group is used"
            )
        }
        return group
    }

    private func level(_ reader: RecordReader) -> Int {
        let given = reader.integer(.groupNumber) ?? 1
        let level = min(max(given, 1), ConfigurationBudget.level)
        if given != level {
            reader.report(
                .error, .levelOutOfRange, at: .groupNumber, "groupNumber is out of range",
                expected: "1 for the highest level, or a greater number", found: reader[.groupNumber]?.found,
                hint: "it is read as \(level)"
            )
        }
        return level
    }

    private func billingPlans(_ reader: RecordReader) -> [ConfiguredSubscription.BillingPlan] {
        var types = UniqueStrings()
        let limit = ConfigurationBudget.billingPlanCount
        return reader.records(.billingPlans, .billingPlan, atMost: limit).compactMap { plan in
            plan.internalID()
            let price = plan.price(.displayPrice) ?? Milliunits(0)
            let commitment = plan.price(.commitmentDisplayPrice)
            guard let text = plan.text(.billingPlanType) else { return nil }
            let known = BillingPlanType.known.map { (name: $0.rawValue, value: $0) }
            let type = plan.choice(.billingPlanType, of: known) ?? BillingPlanType(rawValue: text)
            if let first = types.insert(type.rawValue, at: plan.place.path) {
                plan.report(
                    .warning, .duplicateBillingPlan, at: .billingPlanType, "two billing plans have the same type",
                    found: plan[.billingPlanType]?.found, hint: "\(first) is used"
                )
                return nil
            }
            return ConfiguredSubscription.BillingPlan(
                type: type, price: price, commitmentPrice: commitment, isEnabled: plan.flag(.isEnabled)
            )
        }
    }
}
