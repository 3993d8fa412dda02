internal import ReceiptTypes

extension BatchVerifier {
    /// Verifies all receipts of the sources, and finds the purchases that they present more than once.
    ///
    /// Only results that the batch's ``ResultContents`` choose are compared. Memory use does not grow with the input:
    /// IDs beyond some hundred thousand are sorted in a temporary file, which takes about a hundred bytes for each of
    /// them. Only this process can read the file, and it disappears with the process.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - folder: The folder of the temporary file.
    ///   - report: Receives the progress, from time to time.
    ///   - take: Receives each purchase: those with a transaction ID before those with a purchase token, both in the
    ///     order of the lengths of the IDs, and then of the IDs.
    /// - Returns: The counts of all results.
    /// - Throws: The errors of `report`, `take` and a source's `read`, ``BatchError``, and ``FileError`` for the
    ///   temporary file, such as ``FileError/Code/noSpace``.
    public func findDuplicates(
        in sources: [BatchSource],
        temporaryFolder folder: String,
        report: (Progress) throws -> Void = { _ in },
        take: (DuplicateReceipt) throws -> Void
    ) throws -> BatchSummary {
        try findDuplicates(in: sources, sorter: EntrySorter(SpillFile(in: folder)), report: report, take: take)
    }

    func findDuplicates(
        in sources: [BatchSource],
        sorter: consuming EntrySorter,
        report: (Progress) throws -> Void = { _ in },
        take: (DuplicateReceipt) throws -> Void
    ) throws -> BatchSummary {
        let batch = producing([.entries, .digests])
        let summary = try batch.verify(sources, from: BatchPosition()) { output, progress in
            try sorter.add(output.lines)
            try report(progress)
        }
        try forEachDuplicate(among: sorter, in: sources, take)
        return summary
    }

    /// Passes on the purchases with several entries.
    func forEachDuplicate(
        among sorter: consuming EntrySorter, in sources: [BatchSource], _ take: (DuplicateReceipt) throws -> Void
    ) throws {
        // The first entry of a purchase, and the duplicate that it begins.
        var first: [UInt8] = []
        var purchaseCount = 0
        var duplicate: DuplicateReceipt?
        try sorter.forEach { entry in
            let count = DuplicateEntry.purchaseCount(in: entry)
            let isSame = first.withRawSpan { first in
                count == purchaseCount && entry.extracting(0..<count).isEqual(to: first.extracting(0..<purchaseCount))
            }
            guard isSame else {
                if let found = duplicate { try take(found) }
                duplicate = nil
                first = entry.array
                purchaseCount = count
                return
            }
            var found = duplicate ?? first.withRawSpan { beginning(of: DuplicateEntry($0), in: sources) }
            found.add(DuplicateEntry(entry), from: sources, redaction)
            duplicate = found
        }
        if let duplicate { try take(duplicate) }
    }

    private func beginning(of entry: DuplicateEntry, in sources: [BatchSource]) -> DuplicateReceipt {
        var duplicate = DuplicateReceipt(entry.purchase, redaction)
        duplicate.add(entry, from: sources, redaction)
        return duplicate
    }
}
