/// A run of complete records: the unit of work that threads take from a batch.
struct BatchBlock: Sendable {
    enum Content: Sendable {
        /// Records that each end with a line feed, except the last one of a source.
        case records(ArraySlice<UInt8>)
        /// A source that is one receipt.
        case whole(ArraySlice<UInt8>)
        /// A record that exceeds the limit; its bytes were not kept.
        case oversized(byteCount: Int)
    }

    var source: String
    var format: BatchFormat
    /// The header of a CSV source.
    var header: CSVHeader?
    var firstLine: Int
    /// The number of the first record in its source, from 1.
    var firstRecord: Int = 1
    var content: Content
    /// The position at which the block ends.
    ///
    /// The source's number is set by the reader of all sources.
    var end: BatchPosition
    /// What results begin with: the header line of CSV, in the first block of a run.
    var preamble: [UInt8] = []

    /// The number of bytes that the block keeps in memory, which is the capacity of the buffer that its records are in.
    var byteCount = 0
}

/// Results of one block: all of them, or a part if they are long.
struct BatchOutput: Sendable {
    /// The result lines, or the entries by which duplicates are found.
    var lines: [UInt8] = []
    /// The entries of sales, see ``SaleEntry``.
    var sales: [UInt8] = []
    /// The number of transactions without an ID, which have no such entry.
    var unidentifiedSales = 0
    /// The receipts of purchases whose signed data has no price.
    var withoutPrices = ReceiptsWithoutPrices()
    /// The numbers of results by the values that are counted, for each grouping; see ``ResultCounts``.
    var groups: [[GroupKey: Int]] = []
    /// The first results of each failure code.
    var refusals = RefusedReceipts()
    var summary = BatchSummary()
    /// The kept names that the records so far have.
    var names = KeptNames(.nothing)
    /// The chosen members that the payloads so far have.
    var payloadNames = PayloadNames([])
    /// The position after the last record with a result in ``lines``.
    var end = BatchPosition()

    /// Adds what a result says about a sale.
    ///
    /// - Parameter group: The values by which purchases are added up.
    mutating func addSale(of result: BatchResult, group: @autoclosure () -> [UInt8]) {
        guard let transaction = result.transactionReceipt else { return withoutPrices.add(result.receipt) }
        if !SaleEntry.append(transaction, group: group(), to: &sales) { unidentifiedSales += 1 }
    }
}
