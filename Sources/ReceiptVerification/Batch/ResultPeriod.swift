public import ReceiptTypes

/// A period to which the results of a batch are limited, by a date of each verified receipt.
///
/// A receipt that is not verified has no date, because anyone can have written the ones in it.
public struct ResultPeriod: Sendable {
    /// The dates that are compared by default: the signing time, and the time of a Google Play purchase, which has
    /// none.
    public static let standardDates = ["signedDate", "purchaseTime"]

    /// The first instant of the period; nil if it has no beginning.
    public let start: Timestamp?
    /// The first instant after the period; nil if it has no end.
    public let end: Timestamp?
    private let dates: [ResultField]

    /// Creates a period.
    ///
    /// - Parameters:
    ///   - start: The first instant of the period; nil if it has no beginning.
    ///   - end: The first instant after the period; nil if it has no end.
    ///   - dates: The names of dates (``ResultFields``). The first one that a receipt has is compared.
    /// - Throws: A ``BatchError`` with the code ``BatchError/Code/noSuchResultField`` for a name that no field has, or
    ///   ``BatchError/Code/notADate`` for a field that is no date.
    public init(
        from start: Timestamp? = nil, until end: Timestamp? = nil, by dates: [String] = standardDates
    ) throws(BatchError) {
        self.start = start
        self.end = end
        self.dates = try ResultFields(dates).fields
        guard let other = self.dates.first(where: { !$0.isDate }) else { return }
        throw BatchError(code: .notADate, detail: other.name, names: ResultFields.dateNames)
    }

    private init(always names: [String]) {
        (start, end) = (nil, nil)
        dates = names.compactMap(ResultField.init(named:))
    }

    /// The period of all results, which finds the date of each.
    static let always = ResultPeriod(always: standardDates)

    func contains(_ time: Timestamp) -> Bool {
        start.map { $0 <= time } ?? true && end.map { time < $0 } ?? true
    }

    /// Returns the date of a result that is compared; nil if it has none.
    func time(of result: BatchResult) -> Timestamp? {
        for date in dates {
            if let time = result.time(of: date) { return time }
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
