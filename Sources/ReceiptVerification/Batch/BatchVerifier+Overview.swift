internal import ReceiptTypes

extension BatchVerifier {
    /// Verifies all receipts of the sources, and returns what they have in common instead of writing their results.
    ///
    /// Only results that the batch's ``ResultContents`` choose are counted. Memory use does not grow with the input:
    /// each choice of fields has at most ``BatchOverview/maximumGroups`` groups, which are the first ones in the order
    /// of the input, and the IDs by which duplicates are found are sorted as
    /// ``findDuplicates(in:temporaryFolder:report:take:)`` does it.
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
        let batch = producing([.entries, .refusals], by: groupings)
        overview.summary = try batch.verify(sources, from: BatchPosition()) { output, progress in
            overview.add(output)
            refusals.add(output.refusals)
            try sorter.add(output.lines)
            try report(progress)
        }
        overview.refusals = refusals.receipts
        try batch.forEachDuplicate(among: sorter, in: sources) { overview.duplicates.add($0) }
        return overview
    }
}
