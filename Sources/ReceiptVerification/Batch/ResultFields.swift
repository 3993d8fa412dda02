public import ReceiptTypes

/// A choice of the fields that results contain.
///
/// A field is a column of the standard results, such as `verdict` or `transactionId`, or a value of the verified
/// payload, with dots between the names of nested members: `quantity`, `data.status`. `transaction.`, `renewalInfo.`
/// and `appTransaction.` lead to the receipt of that kind, which is the receipt itself or a part of a notification:
/// `transaction.expiresDate`. `payload.` leads to any member of the payload, also one that this version does not know.
///
/// Dates are in RFC 3339, amounts of money are decimals in units of their currency, and other values are as the store
/// has signed them. A value that a receipt does not have, and each value of a payload that is not verified, is null or
/// an empty cell.
public struct ResultFields: Sendable {
    /// The names of the fields, in their order.
    public let names: [String]
    let fields: [ResultField]

    /// Chooses fields; a name that is given twice counts once.
    ///
    /// - Throws: A ``BatchError`` with the code ``BatchError/Code/noSuchResultField`` for a name that no field has.
    public init(_ names: [String]) throws(BatchError) {
        var seen: Set<String> = []
        var fields: [ResultField] = []
        for name in names where seen.insert(name).inserted {
            guard let field = ResultField(named: name) else {
                throw BatchError(code: .noSuchResultField, detail: name, names: Self.allNames)
            }
            fields.append(field)
        }
        self.names = fields.map(\.name)
        self.fields = fields
    }

    private init(standard names: [String]) {
        self.names = names
        fields = names.compactMap(ResultField.init(named:))
    }

    /// The columns of standard results in CSV.
    static let standard = ResultFields(standard: commonNames)

    // MARK: Names

    /// The names of the fields that results of all kinds of receipts have.
    public static let commonNames: [String] = {
        let columns = ResultColumn.allCases.filter { !ResultColumn.further.contains($0) }.map(\.rawValue)
        let unverified = columns.firstIndex(of: ResultColumn.unverifiedBundleId.rawValue) ?? columns.endIndex
        return columns[..<unverified] + ResultField.purchaseFields.map(\.name.description) + columns[unverified...]
    }()

    /// The names of further fields that results of all kinds of receipts have, and that standard results leave out.
    ///
    /// `day` and `month` are those of the date by which a period chooses results: ``ResultPeriod/standardDates``, in
    /// sums of prices ``ResultPeriod/purchaseDates``, or the dates of ``ResultContents/period``. They are in UTC or in
    /// another time zone (``ResultContents/utcOffset``).
    /// `refundedInPart` is true if the store has refunded a part of the purchase. `message` and `hint` describe the
    /// failure of a receipt that is not verified. `leafSubject` is the name of the certificate whose key has signed,
    /// and `signerNotBefore` and `signerNotAfter` are the time in which all certificates of the signer's chain are
    /// valid.
    public static let furtherNames = ResultColumn.further.map(\.rawValue)

    /// Returns the names of the fields of a payload.
    public static func names(of kind: ReceiptKind) -> [String] { kind.schema.paths() }

    static var allNames: [String] {
        var seen: Set<String> = []
        let payloads = ReceiptKind.allCases.flatMap(names)
        let parts = ResultField.parts.flatMap { kind in names(of: kind).map { "\(kind.rawValue).\($0)" } }
        return (commonNames + furtherNames + payloads + parts).filter { seen.insert($0).inserted }
    }
}
