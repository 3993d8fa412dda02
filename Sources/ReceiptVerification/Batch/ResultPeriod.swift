public import ReceiptTypes

/// A period to which the results of a batch are limited, by a date of each verified receipt.
///
/// A receipt that is not verified has no date, because anyone can have written the ones in it.
///
/// The dates are also those of the fields `day` and `month` (``ResultFields/furtherNames``). A period without a start
/// and an end limits nothing, and chooses only them.
public struct ResultPeriod: Sendable {
    /// The dates that are compared by default: the signing time, and the time of a Google Play purchase, which has
    /// none.
    public static let standardDates = ["signedDate", "purchaseTime"]
    /// The dates that are compared by default where prices are added up: the time of the purchase, which all versions
    /// of a transaction have in common. By the signing time, a refund would be left out with the version that names it.
    public static let purchaseDates = ["transaction.purchaseDate", "purchaseTime"]

    /// The first instant of the period; nil if it has no beginning.
    public let start: Timestamp?
    /// The first instant after the period; nil if it has no end.
    public let end: Timestamp?
    /// The chosen dates; nil for the standard ones.
    private let chosenDates: ResultDates?

    /// Creates a period.
    ///
    /// - Parameters:
    ///   - start: The first instant of the period; nil if it has no beginning.
    ///   - end: The first instant after the period; nil if it has no end.
    ///   - dates: The names of dates (``ResultFields``). The first one that a receipt has is compared. Nil stands for
    ///     ``standardDates``, and where prices are added up for ``purchaseDates``.
    /// - Throws: A ``BatchError`` with the code ``BatchError/Code/noSuchResultField`` for a name that no field has, or
    ///   ``BatchError/Code/notADate`` for a field that is no date.
    public init(
        from start: Timestamp? = nil, until end: Timestamp? = nil, by dates: [String]? = nil
    ) throws(BatchError) {
        self.start = start
        self.end = end
        guard let dates else {
            chosenDates = nil
            return
        }
        let fields = try ResultFields(dates).fields
        if let other = fields.first(where: { !$0.isDate }) {
            throw BatchError(code: .notADate, detail: other.name, names: ResultFields.dateNames)
        }
        chosenDates = ResultDates(fields: fields)
    }

    private init() { (start, end, chosenDates) = (nil, nil, nil) }

    /// The period of all results.
    static let always = ResultPeriod()

    /// Whether results can be outside the period.
    var isLimited: Bool { start != nil || end != nil }

    /// Returns the dates that are compared.
    ///
    /// - Parameter isOfPurchases: Whether prices are added up.
    func dates(ofPurchases isOfPurchases: Bool) -> ResultDates {
        chosenDates ?? (isOfPurchases ? .ofPurchases : .standard)
    }

    /// Where the date of a result is.
    enum Side {
        case inside, outside
        /// The result has no date.
        case undated
    }

    func side(of result: BatchResult, ofPurchases isOfPurchases: Bool) -> Side {
        guard isLimited else { return .inside }
        guard let time = dates(ofPurchases: isOfPurchases).time(of: result) else { return .undated }
        return start.map { $0 <= time } ?? true && end.map { time < $0 } ?? true ? .inside : .outside
    }
}

/// Fields that are dates, of which the first one that a result has is its date.
struct ResultDates: Sendable {
    let fields: [ResultField]

    static let standard = ResultDates(fields: ResultPeriod.standardDates.compactMap(ResultField.init(named:)))
    static let ofPurchases = ResultDates(fields: ResultPeriod.purchaseDates.compactMap(ResultField.init(named:)))

    /// Returns the date of a result; nil if it has none.
    func time(of result: BatchResult) -> Timestamp? {
        for field in fields {
            if let time = result.time(of: field) { return time }
        }
        return nil
    }
}

extension ResultField {
    fileprivate var isDate: Bool {
        switch place {
        case .column(let column): [.signedDate, .revocationDate].contains(column)
        case .payload(_, _, let form): form == .time
        }
    }
}

extension ResultFields {
    fileprivate static var dateNames: [String] {
        allNames.filter { ResultField(named: $0)?.isDate ?? false }
    }
}

extension BatchResult {
    /// Returns the value of a field that is a date; nil if the receipt does not have it, or is not verified.
    fileprivate func time(of field: ResultField) -> Timestamp? {
        switch field.place {
        case .column(.signedDate): receipt.isVerified ? receipt.signingTime : nil
        case .column(.revocationDate): refund?.date
        case .column: nil
        case .payload(.receipt, let path, _): Self.time(at: path, in: payload)
        case .payload(.part(let kind), let path, _): Self.time(at: path, in: payload(of: kind))
        case .payload(.purchase, let path, _):
            Self.time(at: path, in: payload) ?? Self.time(at: path, in: payload(of: .transaction))
        }
    }

    private static func time(at path: FieldPath, in payload: JSONDocument?) -> Timestamp? {
        guard let payload else { return nil }
        return path.value(inside: payload.root)?.time
    }
}
