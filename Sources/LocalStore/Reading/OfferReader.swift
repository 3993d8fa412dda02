internal import PurchaseCore
internal import ReceiptTypes

/// Reads the offers of one subscription.
struct OfferReader {
    /// The time between two renewals of the subscription; nil where it cannot be read.
    let renewal: BillingPeriod?
    private var ids = UniqueTexts()
    private var codes = UniqueTexts()

    /// The names that the format has for the ways to pay.
    private static let paymentModes: [(name: String, value: OfferDiscountType)] = [
        ("free", .freeTrial), ("payAsYouGo", .payAsYouGo), ("payUpFront", .payUpFront),
    ]
    private static let eligibilities = ConfiguredOffer.Eligibility.allCases.map(\.rawValue)
    /// What the store offers at once, for nothing or for a payment.
    private static let periods: [BillingPeriod] = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
        .compactMap { BillingPeriod(iso8601: $0) }

    init(renewal: BillingPeriod?) {
        self.renewal = renewal
    }

    /// Reads an offer; nil where its period cannot be read.
    mutating func offer(_ reader: RecordReader) -> ConfiguredOffer? {
        reader.internalID()
        let period = reader.period(.subscriptionPeriod, otherwise: "the offer is left out")
        let price = reader.price(.displayPrice)
        let isFree = price ?? Milliunits(0) == Milliunits(0)
        let mode =
            reader.choice(
                .paymentMode, of: Self.paymentModes, others: [("freeTrial", "free")],
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

    /// Reads an offer that the app names by its id.
    mutating func identifiedOffer(_ reader: RecordReader) -> ConfiguredOffer? {
        let offer = offer(reader)
        let id = reader.text(.offerID) ?? ""
        guard !id.isEmpty else {
            if reader[.offerID] != nil {
                reader.report(.error, .emptyText, at: .offerID, "the offer's id is empty", hint: "it is left out")
            }
            return nil
        }
        if let first = ids.insert(id, at: reader.place.path) {
            reader.report(
                .error, .duplicateOfferID, at: .offerID, "two offers of the subscription have one id",
                found: reader[.offerID]?.found, hint: "\(first) counts"
            )
            return nil
        }
        guard var offer else { return nil }
        offer.id = id
        return offer
    }

    /// Reads what a code is redeemed for.
    mutating func codeOffer(_ reader: RecordReader) -> ConfiguredOffer? {
        let offer = offer(reader)
        let eligibility = Self.eligibility(reader)
        let name = reader.text(.referenceName) ?? ""
        if !name.isEmpty, let first = codes.insert(name, at: reader.place.path) {
            reader.report(
                .error, .duplicateOfferID, at: .referenceName, "two code offers of the subscription have one name",
                found: reader[.referenceName]?.found, hint: "\(first) counts"
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
                .error, .paidOfferWithoutPrice, at: .displayPrice, "an offer that is paid for has no price",
                expected: "a displayPrice above zero", found: reader[.displayPrice]?.found,
                hint: "it is read as 0.00"
            )
        }
        return price ?? zero
    }

    /// How many periods the offer lasts, and whether the store has such an offer.
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
        // A way to pay by the month makes an offer of months out of a subscription of a year.
        if mode == .payAsYouGo, let renewal, period != renewal, reader[.billingPlanType] == nil {
            reader.report(
                .warning, .offerPeriodNotAllowed, at: .subscriptionPeriod,
                "an offer that is paid as it goes has another period than its subscription",
                expected: renewal.description, found: reader[.subscriptionPeriod]?.found
            )
        } else if !Self.periods.contains(period) {
            reader.report(
                .warning, .offerPeriodNotAllowed, at: .subscriptionPeriod, "the store has no offer of that length",
                expected: Quotation.choice(Self.periods.map(\.description)),
                found: reader[.subscriptionPeriod]?.found
            )
        } else if period.months * count > 12 {
            reader.report(
                .error, .periodCountOutOfRange, at: .numberOfPeriods, "the offer lasts longer than a year",
                expected: "a year at the most", found: "\(count) times \(period)"
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
                reader.walk.report(
                    .error, .unknownValue, at: element, "eligibility has no such value",
                    expected: Quotation.choice(eligibilities), found: element.found, hint: "it is passed over"
                )
            }
        }
        if elements.isEmpty {
            reader.report(
                .error, .codeOfferWithoutEligibility, at: .eligibility, "a code offer says not who may redeem it",
                expected: "eligibility with \(Quotation.choice(eligibilities))"
            )
        }
        return result
    }

    private static func eligibility(of text: String) -> ConfiguredOffer.Eligibility? {
        ConfiguredOffer.Eligibility.allCases.first { $0.rawValue.isIdentical(to: text) }
    }
}
