import PurchaseCore

extension DatabaseSession {
    /// How long a clock must have been ahead before rows count as old because of it, in milliseconds: one day.
    private static let ageTolerance = 86_400_000

    /// Returns the SQL of the condition that a row is too old, which none is while all of them are of one day. Its last
    /// parameter is the longest age in milliseconds.
    ///
    /// The age is not counted to the device's clock, because a single look at a clock that is ahead would delete
    /// everything. It is counted to the last row that is at least a day older than the newest one: a clock that is
    /// ahead for less than a day writes no such row. What is written after that row stays, because after a clock that
    /// was ahead for longer it has an earlier time.
    static func isTooOld(_ rows: String, _ time: String) -> String {
        let reference = "FROM \(rows) WHERE \(time) <= (SELECT max(\(time)) FROM \(rows)) - \(ageTolerance)"
        return """
            id < (SELECT id \(reference) ORDER BY \(time) DESC, id DESC LIMIT 1)
            AND \(time) < (SELECT max(\(time)) \(reference)) - ?
            """
    }
}
