internal import ReceiptTypes

/// A value that stands for no receipt.
enum EmptyValue {
    private static let words = ["NULL", "null", "\\N"].map { [UInt8]($0.utf8) }

    /// Returns whether a cell or a string is blank or one of the words that databases export for a missing value.
    static func matches(_ value: RawSpan) -> Bool {
        // Receipts are much longer.
        guard value.byteCount <= 64 else { return value.trimmed.byteCount == 0 }
        let text = InputDetector.trimmed(value.array)
        return text.isEmpty || words.contains(text)
    }
}
