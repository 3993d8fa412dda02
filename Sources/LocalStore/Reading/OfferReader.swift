internal import PurchaseCore
internal import ReceiptTypes

/// Reads the offers of one subscription.
struct OfferReader {
    /// The renewal period of the subscription; nil where it cannot be read.
    let renewal: BillingPeriod?
    private var ids = UniqueStrings()
    private var codes = UniqueStrings()

    /// The payment modes by their names in the format.
    private static let paymentModes: [(name: String, value: OfferDiscountType)] = [
        ("free", .freeTrial), ("payAsYouGo", .payAsYouGo), ("payUpFront", .payUpFront),
    ]
    private static let eligibilities = ConfiguredOffer.Eligibility.allCases.map(\.rawValue)
    /// The offer periods that the App Store allows, except for pay as you go.
    private static let periods: [BillingPeriod] = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
        .compactMap { BillingPeriod(iso8601: $0) }

    init(renewal: BillingPeriod?) {
        self.renewal = renewal
    }

    /// Reads an offer, or returns nil where its period cannot be read.
    mutating func offer(_ reader: RecordReader) -> ConfiguredOffer? {
        reader.internalID()
        let period = reader.period(.subscriptionPeriod, otherwise: "the offer is ignored")
        let price = reader.price(.displayPrice)
        let isFree = price ?? Milliunits(0) == Milliunits(0)
        let mode =
            reader.choice(
                .paymentMode, of: Self.paymentModes, aliases: [("freeTrial", "free")],
                otherwise: "it is read as \(isFree ? "free" : "payUpFront")"
            ) ?? (isFree ? .freeTrial : .payUpFront)
        guard let period else { return nil }
        let count = periodCount(reader, mode, period)
        return ConfiguredOffer(
            referenceName: reader.text(.referenceName) ?? "",
            paymentMode: mode,
            period: period,
            periodCount: count,
            price: Self.price(reader, mode, price),
            billingPlanType: reader.text(.billingPlanType).map { BillingPlanType(rawValue: $0) }
        )
    }

    /// Reads a promotional or win-back offer, which has an identifier.
    mutating func identifiedOffer(_ reader: RecordReader) -> ConfiguredOffer? {
        let offer = offer(reader)
        let id = reader.text(.offerID) ?? ""
        guard !id.isEmpty else {
            if reader[.offerID] != nil {
                reader.report(
                    .error, .emptyText, at: .offerID, "the offer has an empty offerID", hint: "the offer is ignored")
            }
            return nil
        }
        if let first = ids.insert(id, at: reader.place.path) {
            reader.report(
                .error, .duplicateOfferID, at: .offerID, "two offers of the subscription have the same offerID",
                found: reader[.offerID]?.found, hint: "\(first) is used"
            )
            return nil
        }
        guard var offer else { return nil }
        offer.id = id
        return offer
    }

    /// Reads a code offer.
    mutating func codeOffer(_ reader: RecordReader) -> ConfiguredOffer? {
        let offer = offer(reader)
        let eligibility = Self.eligibility(reader)
        let name = reader.text(.referenceName) ?? ""
        if !name.isEmpty, let first = codes.insert(name, at: reader.place.path) {
            reader.report(
                .error, .duplicateOfferID, at: .referenceName,
                "two code offers of the subscription have the same referenceName",
                found: reader[.referenceName]?.found, hint: "\(first) is used"
            )
            return nil
        }
        guard var offer else { return nil }
        offer.id = name
        offer.eligibility = eligibility
        offer.isStackable = reader.flag(.isStackable)
        return offer
    }

    // MARK: Parts

    private static func price(_ reader: RecordReader, _ mode: OfferDiscountType, _ price: Milliunits?) -> Milliunits {
        let zero = Milliunits(0)
        if mode == .freeTrial {
            if let price, price > zero {
                reader.report(
                    .warning, .freeOfferWithPrice, at: .displayPrice, "a free offer has a price",
                    expected: "no displayPrice", found: reader[.displayPrice]?.found, hint: "it is read as free"
                )
            }
            return zero
        }
        if price ?? zero == zero {
            reader.report(
                .error, .paidOfferWithoutPrice, at: .displayPrice, "a paid offer has no price",
                expected: "a displayPrice above zero", found: reader[.displayPrice]?.found,
                hint: "it is read as 0.00"
            )
        }
        return price ?? zero
    }

    /// Reads the number of periods, and reports lengths that the App Store does not allow.
    private func periodCount(_ reader: RecordReader, _ mode: OfferDiscountType, _ period: BillingPeriod) -> Int {
        let allowed = 1...ConfigurationBudget.periodCount
        let given = reader.integer(.numberOfPeriods) ?? 1
        let count = min(max(given, allowed.lowerBound), allowed.upperBound)
        if given != count {
            reader.report(
                .error, .periodCountOutOfRange, at: .numberOfPeriods, "numberOfPeriods is out of range",
                expected: "\(allowed.lowerBound) to \(allowed.upperBound)", found: reader[.numberOfPeriods]?.found,
                hint: "it is read as \(count)"
            )
        }
        // An offer for a billing plan has the period of the plan's payments and not of the subscription.
        if mode == .payAsYouGo, let renewal, period != renewal, reader[.billingPlanType] == nil {
            reader.report(
                .warning, .offerPeriodNotAllowed, at: .subscriptionPeriod,
                "a payAsYouGo offer has another period than its subscription",
                expected: renewal.description, found: reader[.subscriptionPeriod]?.found
            )
        } else if !Self.periods.contains(period) {
            reader.report(
                .warning, .offerPeriodNotAllowed, at: .subscriptionPeriod,
                "the App Store has no offers with this period",
                expected: Quotation.choice(Self.periods.map(\.description)),
                found: reader[.subscriptionPeriod]?.found
            )
        } else if period.months * count > 12 {
            reader.report(
                .error, .periodCountOutOfRange, at: .numberOfPeriods, "the offer lasts longer than a year",
                expected: "at most a year", found: "\(count) times \(period)"
            )
        }
        return count
    }

    private static func eligibility(_ reader: RecordReader) -> [ConfiguredOffer.Eligibility] {
        var result: [ConfiguredOffer.Eligibility] = []
        let elements = reader.elements(.eligibility, atMost: ConfigurationBudget.simulatedErrorCount)
        for element in elements {
            if let text = element.value.text, let value = eligibility(of: text) {
                if !result.contains(value) { result.append(value) }
            } else {
                reader.context.report(
                    .error, .unknownValue, at: element, "eligibility contains an unknown value",
                    expected: Quotation.choice(eligibilities), found: element.found, hint: "it is ignored"
                )
            }
        }
        if elements.isEmpty {
            reader.report(
                .error, .codeOfferWithoutEligibility, at: .eligibility, "a code offer has no eligibility",
                expected: Quotation.choice(eligibilities)
            )
        }
        return result
    }

    private static func eligibility(of text: String) -> ConfiguredOffer.Eligibility? {
        ConfiguredOffer.Eligibility.allCases.first { $0.rawValue.isIdentical(to: text) }
    }
}
