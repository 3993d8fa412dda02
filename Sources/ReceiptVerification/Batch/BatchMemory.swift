/// Limits that bound the memory of a batch for any input and any number of threads.
enum BatchMemory {
    /// The most bytes of input that blocks hold at once, from reading to the last result.
    static let inputLimit = 50_331_648
    /// The most bytes of results that wait to be written.
    static let outputLimit = 8_388_608
    /// The number of bytes of results after which a worker hands them over, even within a block.
    ///
    /// The results of a block of receipts stay below it.
    static let partSize = 262_144
    /// The number of groups of results after which a worker hands them over, even within a block.
    static let groupsInPart = 10_000
    /// The most JSON values in one record for each receipt that it may have: far more than any store sends with one.
    static let valuesPerReceipt = 128
    /// The most bytes that the results of one record repeat of it, for all receipts in it.
    static let copyLimit = 1_048_576
    /// The number of bytes after which a block is full, enough for some hundreds of receipts.
    ///
    /// It is large enough to hide the cost of passing a block to a thread, and small enough to keep all threads busy.
    static let blockSize = 2_097_152
    /// The size of blocks if there are so many threads that larger ones would exceed ``inputLimit``.
    static let smallestBlockSize = 65_536

    /// Returns the most JSON values in one record that may have a number of receipts, at least those for the default
    /// number.
    static func maximumValues(forReceipts count: Int) -> Int {
        let count = max(count, BatchVerifier.defaultMaximumReceiptsPerRecord)
        let (maximum, isOverflow) = count.multipliedReportingOverflow(by: valuesPerReceipt)
        return isOverflow ? .max : maximum
    }

    /// Returns the limit of a record with an app receipt: its base64 with line breaks, and what other records may have.
    static func appReceiptLimit(_ recordLimit: Int) -> Int {
        let (limit, isOverflow) = recordLimit.addingReportingOverflow(Budget.appReceiptSize / 2 * 3)
        return isOverflow ? .max : limit
    }

    /// Returns the size of blocks of which a number can be held at once, with buffers that are half as large again.
    static func blockSize(window: Int) -> Int {
        max(smallestBlockSize, min(blockSize, inputLimit / max(window, 1) / 3 * 2))
    }
}

/// Bounds the memory that threads use at once to search long records for receipts.
///
/// The tree of a JSON text takes up to thirty times the memory of the text. Short records, of which each thread has
/// one, pass freely; a long record waits until the records that are searched leave room for it.
final class RecordGate: Sendable {
    /// The length up to which records pass freely: above that of any genuine receipt.
    static let freeLength = 32_768
    /// The total length of the long records that are searched at once.
    private static let limit = 1_048_576

    private let lengths = Monitor(0)

    /// Waits until there is room to search a record of a length; ``leave(_:)`` follows the search.
    func enter(_ length: Int) {
        guard length > Self.freeLength else { return }
        lengths.wait { lengths -> Void? in
            // A record above the limit is searched alone.
            guard lengths == 0 || lengths + length <= Self.limit else { return nil }
            lengths += length
            return ()
        }
    }

    /// Ends the search of a record of a length.
    func leave(_ length: Int) {
        guard length > Self.freeLength else { return }
        lengths.update { $0 -= length }
    }
}
