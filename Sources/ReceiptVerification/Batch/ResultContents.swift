public import ReceiptTypes

/// What the results of a batch contain, and which of them are written.
public struct ResultContents: Sendable {
    /// The standard contents, of every result.
    public static let standard = ResultContents()

    /// The chosen fields; nil for the standard ones.
    public var fields: ResultFields?
    /// Whether the results of verified receipts have the payload, in the member `payload`.
    ///
    /// CSV has no such column. The result of a receipt that is not verified never has the member.
    public var hasPayload: Bool
    /// Whether CSV has a number that a spreadsheet would shorten, such as a long ID, as the formula of a text:
    /// `="2000000123456789"`.
    ///
    /// That is a cell of at least twelve digits, of digits that begin with a zero, or of digits around an E, also one
    /// that is copied from the input. Other programs than spreadsheets read the formula instead of the ID.
    public var keepsDigits: Bool
    /// The verdicts whose results are written; the summary counts all results.
    public var verdicts: Set<Verdict>
    /// The period whose results are written; nil for all of them.
    ///
    /// ``BatchSummary/undated`` counts the results that are left out because they have no date.
    public var period: ResultPeriod?
    /// The pseudonyms that stand in place of identifiers; nil if results have the identifiers themselves.
    ///
    /// Kept columns and members, and the names of sources, are replaced as a whole, because any of them can identify a
    /// customer.
    public var redaction: Redaction?
    /// Returns the seconds by which the time zone of days and months is ahead of UTC at an instant.
    public var utcOffset: @Sendable (Timestamp) -> Int64

    /// Chooses the contents.
    public init(
        fields: ResultFields? = nil,
        hasPayload: Bool = false,
        keepsDigits: Bool = false,
        verdicts: Set<Verdict> = Set(Verdict.allCases),
        period: ResultPeriod? = nil,
        redaction: Redaction? = nil,
        utcOffset: @escaping @Sendable (Timestamp) -> Int64 = { _ in 0 }
    ) {
        self.fields = fields
        self.hasPayload = hasPayload
        self.keepsDigits = keepsDigits
        self.verdicts = verdicts
        self.period = period
        self.redaction = redaction
        self.utcOffset = utcOffset
    }
}
