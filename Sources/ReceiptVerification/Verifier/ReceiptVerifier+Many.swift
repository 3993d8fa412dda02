extension ReceiptVerifier {
    /// Verifies many receipts on this thread, which costs about half of verifying them one by one; the reports come in
    /// order.
    ///
    /// Signatures are judged some hundreds at a time, so a report comes when more receipts have been taken. For files
    /// and streams, several threads and results as text there is ``BatchVerifier``.
    ///
    /// ```swift
    /// try verifier.verify(receipts.lazy.map { .jws($0) }) { report in count[report.verdict, default: 0] += 1 }
    /// ```
    ///
    /// - Throws: What `body` throws.
    public func verify<Failure: Error>(
        _ inputs: some Sequence<ReceiptInput>,
        _ body: (ReceiptReport) throws(Failure) -> Void
    ) throws(Failure) {
        var round = ReceiptRound<Void>(self)
        for input in inputs {
            round.add(input, ())
            if round.isFull { try round.finish { (receipt, _) throws(Failure) in try body(ReceiptReport(receipt)) } }
        }
        try round.finish { (receipt, _) throws(Failure) in try body(ReceiptReport(receipt)) }
    }
}
