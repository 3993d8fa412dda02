/// The format of a batch's input.
public enum BatchFormat: Sendable, Hashable {
    /// One receipt per line, in any form that ``ReceiptInput/detect(_:)`` recognizes.
    case lines
    /// One JSON object per line, with the receipt in the named member.
    case json(field: String)
    /// CSV with a header line (RFC 4180), with the receipt in the named column.
    case csv(column: String)
    /// One receipt per source.
    case whole
}

/// The format of a batch's results.
public enum BatchOutputFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object per line.
    case jsonLines = "jsonl"
    /// CSV with a header line (RFC 4180).
    case csv
}
