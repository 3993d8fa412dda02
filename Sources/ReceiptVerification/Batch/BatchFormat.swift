/// How receipts lie in a batch's input.
public enum BatchFormat: Sendable, Hashable {
    /// One receipt a line, in any form that ``ReceiptInput/detect(_:)`` finds.
    case lines
    /// One JSON object a line, with the receipt in the member of that name.
    case json(field: String)
    /// CSV with a header (RFC 4180), with the receipt in the column of that name.
    case csv(column: String)
    /// Each source is one receipt.
    case whole
}

/// How a batch's results are written.
public enum BatchOutputFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object a line.
    case jsonLines = "jsonl"
    /// CSV with a header (RFC 4180).
    case csv
}
