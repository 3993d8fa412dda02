internal import ReceiptTypes

extension BatchVerifier {
    /// Verifies all receipts of the sources, and counts the results by the values of fields instead of writing them.
    ///
    /// Results whose verdict is not among those of the batch's ``ResultContents`` are not counted in a group. Memory
    /// use does not grow with the input, because the number of groups is bounded.
    ///
    /// - Parameters:
    ///   - sources: The sources, read one after another.
    ///   - fields: The fields whose values make a group.
    ///   - report: Receives the progress, from time to time.
    /// - Returns: The counts of the groups, and those of all results.
    /// - Throws: The errors of `report` and of a source's `read`, and ``BatchError``, such as
    ///   ``BatchError/Code/tooManyGroups`` for more groups than ``ResultCounts/maximumGroups``.
    public func count(
        _ sources: [BatchSource],
        by fields: ResultFields,
        report: (Progress) throws -> Void = { _ in }
    ) throws -> (groups: ResultCounts, summary: BatchSummary) {
        var counts = ResultCounts(names: fields.names)
        let summary = try producing([], by: [fields]).verify(sources, from: BatchPosition()) { output, progress in
            for groups in output.groups { try counts.add(groups) }
            try report(progress)
        }
        return (counts, summary)
    }
}
