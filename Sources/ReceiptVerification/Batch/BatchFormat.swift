/// The format of a batch's input.
public enum BatchFormat: Sendable, Hashable {
    /// One receipt per line, in any form that ``ReceiptInput/detect(_:)`` recognizes.
    case lines
    /// One JSON object per line, with the receipt in the named member.
    ///
    /// The name can be a path of nested members with dots between them, where `[]` stands for each element of an array:
    /// `order.receipt`, `items[].jws`. A member with exactly that name takes precedence, and a backslash makes a dot or
    /// a bracket part of a name. An array without elements holds no receipt, like null. A record without the member is
    /// undecided (`receipt-missing`).
    ///
    /// The signature of a Google Play purchase may stand in another member, which `signature` names in the same way. A
    /// receipt of another kind in the named member needs none. Of lists of data and signatures, those at the same
    /// places belong together; in lists of different lengths, the signature that is valid under the app's key.
    case json(field: String, signature: String? = nil)
    /// CSV with a header line (RFC 4180), with the receipt in the named column.
    ///
    /// The header line tells whether commas, semicolons or tabs separate the columns. The name can be a path into the
    /// JSON that a column contains, as for ``json(field:signature:)``; a column with exactly that name takes
    /// precedence. If several columns have the name, the run ends with a ``BatchError``.
    ///
    /// The signature of a Google Play purchase may stand in another column, which `signature` names.
    case csv(column: String, signature: String? = nil)
    /// One receipt per source.
    case whole

    var isCSV: Bool {
        if case .csv = self { true } else { false }
    }
}

/// The format of a batch's results.
public enum BatchOutputFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object per line.
    case jsonLines = "jsonl"
    /// CSV with a header line (RFC 4180).
    case csv
}
