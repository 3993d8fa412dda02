internal import ReceiptTypes

extension VerificationFailure {
    /// The failure of a record, or of a cell, that is not JSON.
    static func unreadable(_ fault: JSONDocument.Fault) -> Self {
        Self(code: .recordMalformed, expected: "JSON", actual: fault.found)
    }

    /// The failure of a record in which it is not known which member is meant.
    static func repeated(_ place: String) -> Self {
        Self(code: .recordMalformed, expected: "\(place) once", actual: "more than once in an object")
    }

    /// The failure of lines that a quotation mark may have joined to one row.
    static func joined(lines: Int) -> Self {
        Self(
            code: .recordMalformed, expected: "a quotation mark at the end of each cell that begins with one",
            actual: "\(lines) lines in one row")
    }

    /// The failure of a record that does not have the place of the receipt.
    ///
    /// - Parameter cells: The number of cells of a row.
    static func missing(_ place: String, cells: Int? = nil) -> Self {
        let found = cells.map { $0 == 1 ? "a row of 1 cell" : "a row of \($0) cells" } ?? "a record without it"
        return Self(code: .receiptMissing, expected: place, actual: found)
    }
}
