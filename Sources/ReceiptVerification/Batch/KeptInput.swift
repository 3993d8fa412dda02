/// The parts of each input record that a batch copies into its results, so that they can be joined to the caller's
/// data.
///
/// JSON Lines have them in the member `input`: members as they were written, and CSV cells as strings, in which a byte
/// that is not UTF-8 becomes U+FFFD. CSV has them as its first columns: a JSON string as its content, any other value
/// as JSON, and a cell unchanged. Like every other cell of the results, one that a spreadsheet would read as a formula
/// gets a leading apostrophe, also if it has apostrophes already, so that two cells never become equal; so does what is
/// after a semicolon, a tab or a line break in it, where a spreadsheet can begin another cell. Text behind a closing
/// quotation mark is part of a cell. Copies for a program are better in JSON Lines, which have every character. What a
/// record does not have is null, or an empty cell. `input` is null for a record that cannot be read, such as one that
/// exceeds the size limit, or whose kept parts are longer than 1 MiB, counted once for each of its receipts.
public struct KeptInput: Sendable, Hashable {
    /// Whether everything is kept, except the receipt itself unless its member or column is named.
    ///
    /// Of a column with JSON around the receipt, the rest of the JSON is kept.
    public let isAll: Bool
    /// The names of columns, or of members and nested members (`order.id`).
    ///
    /// The first header line of CSV must have each of them once; ``BatchSummary/absentNames`` lists those that no
    /// record of JSON has.
    public let names: [String]

    /// Keeps nothing.
    public static let nothing = KeptInput()
    /// Keeps all columns or members except the receipt.
    public static let all = KeptInput(isAll: true)

    /// Creates a selection; a name that is given twice counts once.
    public init(isAll: Bool = false, names: [String] = []) {
        self.isAll = isAll
        var seen: Set<String> = []
        self.names = names.filter { seen.insert($0).inserted }
    }

    /// Whether nothing is kept.
    public var isNothing: Bool { !isAll && names.isEmpty }
}
