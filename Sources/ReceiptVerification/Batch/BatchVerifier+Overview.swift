internal import ReceiptTypes

extension BatchVerifier {
    /// Verifies all receipts of the sources, and returns what they have in common instead of writing their results.
    ///
    /// Only results that the batch's ``ResultContents`` choose are counted. A period chooses receipts by
    /// ``ResultPeriod/standardDates``, but purchases that are added up by ``ResultPeriod/purchaseDates``, unless it
    /// names other dates. Memory use does not grow with the input:
    /// each choice of fields has at most ``BatchOverview/maximumGroups`` groups, which are the first ones in the order
    /// of the input, and the IDs by which duplicates are found are sorted as
    /// ``findDuplicates(in:temporaryFolder:report:take:)`` does it. The purchases are sorted in the same way, to add up
    /// each of them once, and then their subscriptions: each of the three sorts has at most about 50 MB in memory.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - groupings: The fields by whose values the results are counted, for each of several counts.
    ///   - folder: The folder of the temporary file.
    ///   - report: Receives the progress, from time to time.
    /// - Throws: The errors of `report` and of a source's `read`, ``BatchError``, and ``FileError`` for the temporary
    ///   file.
    public func overview(
        of sources: [BatchSource],
        by groupings: [ResultFields],
        temporaryFolder folder: String,
        report: (Progress) throws -> Void = { _ in }
    ) throws -> BatchOverview {
        var overview = BatchOverview(groupings)
        var sorter = EntrySorter(try SpillFile(in: folder))
        var refusals = RefusedReceipts()
        var sales = EntrySorter(try SpillFile(in: folder))
        let batch = producing([.entries, .refusals, .sales], by: groupings)
        overview.summary = try batch.verify(sources, from: BatchPosition()) { output, progress in
            overview.add(output)
            refusals.add(output.refusals)
            try sorter.add(output.lines)
            try sales.add(output.sales)
            overview.sales.unidentified += output.unidentifiedSales
            overview.sales.withoutPrices.add(output.withoutPrices)
            try report(progress)
        }
        overview.refusals = refusals.receipts
        try batch.forEachDuplicate(among: sorter, in: sources) { overview.duplicates.add($0) }
        var periods = EntrySorter(try SpillFile(in: folder))
        try sales.forEachSale { sale in
            overview.sales.add(sale, utcOffset: utcOffset)
            var entry: [UInt8] = []
            TrialEntry.append(sale, to: &entry)
            if !entry.isEmpty { try periods.add(entry) }
        }
        overview.sales.convertedTrials = try TrialEntry.conversions(in: periods)
        return overview
    }
}
